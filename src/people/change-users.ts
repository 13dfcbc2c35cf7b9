/** `createUser`, `updateUser`, `removeUser`: by admins. Called by the GraphQL door. */
import type { UserConfig } from '../config/config.ts'
import type { Role, Viewer } from '../core/identity.ts'
import { conflict, notFound, refuseInput, type Refusal, type InputIssue } from '../core/refusal.ts'
import { putUser, readUser, removeUserRow, revokeAccess, type UserRow } from '../store/people/write-people.ts'
import { declaredThere, editPeople } from './edit-people.ts'
import type { PeopleContext } from './people-context.ts'
import { isName, NAME_RULE } from '../config/field.ts'
import { isServerPart } from '../core/server-parts.ts'
import { textIssues } from '../core/text/text-rule.ts'

export const MAX_USERS = 1000

export interface UserChanged {
  readonly kind: 'UserChanged'
  readonly userName: string
}

export interface CreateUserInput extends RightsInput {
  readonly name: string
  readonly role: Role
  /**
   * The name is that of a removed user, who comes back; with what tokens and identities are left, if it went from
   * config.toml.
   */
  readonly restore?: boolean | null | undefined
}

/** A name that a user has had is given to no other user: sessions refer to it. */
export async function createUser(
  context: PeopleContext,
  viewer: Viewer,
  input: CreateUserInput,
): Promise<UserChanged | Refusal> {
  const { name, role } = input
  const refusal = refuseInput([...nameIssues(['name'], name), ...rightsIssues(input)])
  if (refusal !== null) return refusal
  return editPeople(context, viewer, async ({ transaction, people, at, by, audit }) => {
    if (people.users.has(name)) return conflict('NAME_TAKEN', `There is a user "${name}" already.`)
    const before = await readUser(transaction, name)
    const taken = whyTaken(before, input)
    if (taken !== null) return conflict('NAME_TAKEN', taken)
    if (people.users.size >= MAX_USERS) return tooMany('users', MAX_USERS)
    // Whom config.toml called so before may be another person, with tokens that were made here.
    if (before !== null && input.restore !== true) await revokeAccess(transaction, name, at)
    await putUser(
      transaction,
      { name, role, skills: skillsOf(input, []), tools: [...new Set(input.tools ?? [])] },
      { at, by },
    )
    await audit('USER_CREATED', `${name}, role ${role}`)
    return { kind: 'UserChanged', userName: name }
  })
}

/** Null: the name is free. One that went from config.toml may be taken over from there. */
function whyTaken(row: UserRow | null, { name, restore }: CreateUserInput): string | null {
  if (row === null) return null
  if (row.mergedInto !== null) return `The user "${name}" has become "${row.mergedInto}"; choose another name.`
  if (row.declared || restore === true) return null
  return `The user "${name}" was removed. Names are not given twice: choose another, or "restore" that user.`
}

export function tooMany(what: string, limit: number): Refusal {
  const message = `There are ${limit} ${what} already, which is the limit. Remove some that are not needed.`
  return { kind: 'LimitExceeded', message, limit, current: limit, retryAfterMs: null }
}

export interface UpdateUserInput extends RightsInput {
  readonly user: string
}

export async function updateUser(
  context: PeopleContext,
  viewer: Viewer,
  input: UpdateUserInput,
): Promise<UserChanged | Refusal> {
  const refusal = refuseInput(rightsIssues(input))
  if (refusal !== null) return refusal
  return editPeople(context, viewer, async ({ transaction, people, at, by, audit }) => {
    const user = people.users.get(input.user)
    if (user === undefined) return notFound('user', input.user)
    if (user.declared) return declaredThere('user', user.name)
    const role = input.role ?? user.role
    const skills = skillsOf(input, user.skills)
    const tools = input.tools == null ? user.tools : [...new Set(input.tools)]
    await putUser(transaction, { name: user.name, role, skills, tools }, { at, by })
    await audit('USER_UPDATED', `${user.name}, role ${role} (was ${user.role})`)
    return { kind: 'UserChanged', userName: user.name }
  })
}

function skillsOf({ skills, allSkills }: RightsInput, before: UserConfig['skills']): UserConfig['skills'] {
  if (allSkills === true) return '*'
  if (skills != null) return [...new Set(skills)]
  return allSkills === false && before === '*' ? [] : before
}

export interface UserRemoved {
  readonly kind: 'UserRemoved'
  readonly userName: string
}

export function removeUser(
  context: PeopleContext,
  viewer: Viewer,
  { user: name }: { readonly user: string },
): Promise<UserRemoved | Refusal> {
  return editPeople(context, viewer, async ({ transaction, people, at, audit }) => {
    const user = people.users.get(name)
    if (user === undefined) return notFound('user', name)
    if (user.declared) return declaredThere('user', name)
    await removeUserRow(transaction, name, at)
    await audit('USER_REMOVED', name)
    return { kind: 'UserRemoved', userName: name }
  })
}

interface RightsInput {
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

/**
 * The rules for what an admin says of a user.
 */
function nameIssues(path: readonly string[], name: string): InputIssue[] {
  if (!isName(name)) return [{ path, message: NAME_RULE }]
  return isServerPart(name) ? [{ path, message: 'is the name of a part of the server; choose another' }] : []
}

function rightsIssues({ tools, ...input }: RightsInput): InputIssue[] {
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
