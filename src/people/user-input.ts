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
  /** Every skill, also those that are installed later. */
  readonly allSkills?: boolean | null | undefined
}

const MAX_SKILLS = 200

export function nameIssues(path: readonly string[], name: string): InputIssue[] {
  if (!isName(name)) return [{ path, message: NAME_RULE }]
  return isServerPart(name) ? [{ path, message: 'is the name of a part of the server; choose another' }] : []
}

export function rightsIssues({ skills, allSkills }: RightsInput): InputIssue[] {
  const names = skills ?? []
  if (names.length > MAX_SKILLS) return [{ path: ['skills'], message: `must be at most ${MAX_SKILLS} names` }]
  if (names.length > 0 && allSkills === true)
    return [{ path: ['skills'], message: 'must be left out where allSkills is true' }]
  return names.flatMap((name, index) => textIssues(['skills', String(index)], name, { min: 1, max: 100 }))
}
