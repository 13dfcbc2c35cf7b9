/** The rules for what an admin says of a user. */
import { isName, NAME_RULE } from '../config/field.ts'
import type { Role } from '../core/identity.ts'
import type { InputIssue } from '../core/refusal.ts'
import { isServerPart } from '../core/server-parts.ts'
import { textIssues } from '../core/text/text-rule.ts'

export interface RightsInput {
  readonly role?: Role | null | undefined
  /** Names of skills; admins may use all anyway. */
  readonly skills?: readonly string[] | null | undefined
  /** Patterns of names of tools, such as "weather__*". */
  readonly tools?: readonly string[] | null | undefined
  /** Every skill, also those that are installed later. */
  readonly allSkills?: boolean | null | undefined
}

const MAX_SKILLS = 200
const TOOL_PATTERN = /^[A-Za-z0-9_*-]{1,64}$/
const TOOL_PATTERN_RULE = 'must be the name of a tool, "<source>__<tool>", or a pattern such as "weather__*"'

export function nameIssues(path: readonly string[], name: string): InputIssue[] {
  if (!isName(name)) return [{ path, message: NAME_RULE }]
  return isServerPart(name) ? [{ path, message: 'is the name of a part of the server; choose another' }] : []
}

export function rightsIssues({ tools, ...input }: RightsInput): InputIssue[] {
  const patterns = tools ?? []
  if (patterns.length > MAX_SKILLS) return [{ path: ['tools'], message: `must be at most ${MAX_SKILLS} patterns` }]
  const wrong = patterns.flatMap((pattern, index) =>
    TOOL_PATTERN.test(pattern) ? [] : [{ path: ['tools', String(index)], message: TOOL_PATTERN_RULE }],
  )
  return [...skillIssues(input), ...wrong]
}

function skillIssues({ skills, allSkills }: RightsInput): InputIssue[] {
  const names = skills ?? []
  if (names.length > MAX_SKILLS) return [{ path: ['skills'], message: `must be at most ${MAX_SKILLS} names` }]
  if (names.length > 0 && allSkills === true)
    return [{ path: ['skills'], message: 'must be left out where allSkills is true' }]
  return names.flatMap((name, index) => textIssues(['skills', String(index)], name, { min: 1, max: 100 }))
}
