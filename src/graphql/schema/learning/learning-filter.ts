/** Which learnings a list shows. A search finds parts of normal texts, by their trigrams (`learnings_norm`). */
import type { Config } from '../../../config/config.ts'
import type { Role } from '../../../core/identity.ts'
import type { FactScope, LearningFlag, LearningSource, LearningStatus } from '../../../core/status.ts'
import { normalText } from '../../../core/text/normal-text.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import { alikeLearnings } from '../../../knowledge/learnings/alike-learnings.ts'
import { builder } from '../builder.ts'
import type { GraphQLContext } from '../../context.ts'
import { RoleEnum } from '../enums.ts'
import { checkSearch, MAX_SEARCH_LENGTH } from '../values/check-search.ts'
import { likeLiteral } from '../values/like-literal.ts'
import { matchable } from '../values/matchable.ts'
import { readNumber } from '../values/read-number.ts'
import { FactScopeEnum } from '../fact/fact-enums.ts'
import { LearningFlagEnum, LearningSourceEnum, LearningStatusEnum } from './learning-enums.ts'

export const LearningFilterInput = builder.inputType('LearningFilter', {
  description: 'Which learnings to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    status: t.field({ type: [LearningStatusEnum], description: 'Only those in one of these states.' }),
    sessionId: t.id({ description: 'Only those of this session.' }),
    source: t.field({ type: [LearningSourceEnum], description: 'Only those that one of these learned.' }),
    user: t.string({ description: 'Only those that came of messages of the user with this name.' }),
    role: t.field({
      type: [RoleEnum],
      description:
        'Only those that came of messages of users who have one of these roles now; users who are gone, and several at once, count as USER.',
    }),
    held: t.boolean({ description: 'Only those that wait for a person, or only those that do not.' }),
    flag: t.field({ type: [LearningFlagEnum], description: 'Only those with one of these flags.' }),
    scope: t.field({ type: [FactScopeEnum], description: 'Only those of one of these scopes.' }),
    search: t.string({
      description: `Only those whose text has this part, but for its signs; with #1284 the one with that number. At most ${MAX_SEARCH_LENGTH} characters.`,
    }),
    similarTo: t.id({
      description:
        'Only those that are alike to this learning or fact, itself not among them: at most 100, the nearest of them. None ' +
        'without such a learning or fact.',
    }),
    createdAfter: t.field({ type: 'DateTime', description: 'Only those that were learned then or later.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Only those that were learned before.' }),
  }),
})

export interface LearningFilter {
  readonly status?: readonly LearningStatus[] | null | undefined
  readonly sessionId?: string | null | undefined
  readonly source?: readonly LearningSource[] | null | undefined
  readonly user?: string | null | undefined
  readonly role?: readonly Role[] | null | undefined
  readonly held?: boolean | null | undefined
  readonly flag?: readonly LearningFlag[] | null | undefined
  readonly scope?: readonly FactScope[] | null | undefined
  readonly search?: string | null | undefined
  readonly similarTo?: string | null | undefined
  readonly createdAfter?: Date | null | undefined
  readonly createdBefore?: Date | null | undefined
}

type FilterContext = Pick<GraphQLContext, 'database' | 'config'>

/** Throws BAD_USER_INPUT for a search that no row could match. */
export async function learningsMatching(
  { database, config }: FilterContext,
  filter: LearningFilter | null | undefined,
): Promise<Prisma.LearningWhereInput> {
  const { status, sessionId, source, user, role, held, flag, scope, search, similarTo } = filter ?? {}
  const { createdAfter, createdBefore } = filter ?? {}
  const conditions: Prisma.LearningWhereInput[] = []
  if (isFilled(status)) conditions.push({ status: { in: [...status] } })
  if (sessionId != null) conditions.push({ sessionId: matchable(sessionId) })
  if (isFilled(source)) conditions.push({ source: { in: [...source] } })
  if (user != null) conditions.push({ userName: matchable(user) })
  if (isFilled(role)) conditions.push({ OR: role.map((one) => ofRole(config.current(), one)) })
  if (held != null) conditions.push(held ? { status: 'PENDING', held } : { NOT: { status: 'PENDING', held: true } })
  if (isFilled(flag)) conditions.push({ flags: { hasSome: [...flag] } })
  if (isFilled(scope)) conditions.push({ OR: [{ scope: { in: [...scope] } }, ...ofSession(scope)] })
  if (search != null) conditions.push(matchingSearch(checkSearch(search)))
  if (similarTo != null) conditions.push({ id: { in: await alikeLearnings(database, matchable(similarTo)) } })
  if (createdAfter != null) conditions.push({ createdAt: { gte: createdAfter } })
  if (createdBefore != null) conditions.push({ createdAt: { lt: createdBefore } })
  return { AND: conditions }
}

function matchingSearch(search: string): Prisma.LearningWhereInput {
  const number = readNumber(search)
  return number === null ? { norm: { contains: likeLiteral(normalText(search)) } } : { number }
}

/** Admins are few; those who are gone are none. */
function ofRole({ users }: Config, role: Role): Prisma.LearningWhereInput {
  const admins = [...users.values()].flatMap((user) => (user.role === 'ADMIN' ? [user.name] : []))
  return role === 'ADMIN' ? { userName: { in: admins } } : { OR: [{ userName: null }, { userName: { notIn: admins } }] }
}

/** Of a learning that names no scope it is the session's. */
function ofSession(scopes: readonly FactScope[]): Prisma.LearningWhereInput[] {
  return scopes.includes('SESSION') ? [{ scope: null }] : []
}

function isFilled<Value>(values: readonly Value[] | null | undefined): values is readonly Value[] {
  return values != null && values.length > 0
}
