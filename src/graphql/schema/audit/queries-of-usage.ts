/** What model calls cost, summed up, and the turns that cost or took most: admins' alone. */
import { queryFromInfo } from '@pothos/plugin-prisma'
import {
  readRankedTurns,
  readUsage,
  readUsageByDay,
  type TurnRanking,
  type UsageGrouping,
  type UsageOf,
  type UsageOfDay,
  type UsageSplit,
} from '../../../audit/read-usage.ts'
import { builder } from '../builder.ts'
import { loadInOrder } from '../paging/load-in-order.ts'
import { readPageSize } from '../paging/page-request.ts'
import { CONNECTION_PAGE, describeFirst, upTo } from '../paging/page-sizes.ts'
import { TurnType } from '../turn/turn.ts'
import { UsageType } from '../turn/usage.ts'
import { badUserInput } from '../values/bad-user-input.ts'

type Values<Name extends string> = Record<Name, { readonly description: string }>
const ADMIN = { admin: true } as const

const SPLITS = {
  ROLE: { description: 'What the model was asked as, such as "planner".' },
  MODEL: { description: '"provider:model".' },
  PROVIDER: { description: 'Names of providers.' },
  SESSION: { description: 'Ids of sessions, deleted ones too.' },
  USER: { description: 'Names of users.' },
} as const satisfies Values<UsageSplit>

const UsageGroupingEnum = builder.enumType('UsageGrouping', {
  description: 'By what usage is summed up.',
  values: {
    DAY: { description: 'Days (UTC), such as "2026-11-21".' },
    ...SPLITS,
  } as const satisfies Values<UsageGrouping>,
})

const MAX_USAGE_ROWS = 500
/** A month by day, or as many models, roles or people as there are for most. */
const ASSUMED_USAGE_ROWS = 30

const UNPRICED = 'Of the calls, those whose model had no price when they were made: the cost leaves them out.'

const UsageRowType = builder.objectRef<UsageOf>('UsageRow').implement({
  description: 'What the model calls with one key have cost.',
  authScopes: ADMIN,
  fields: (t) => ({
    key: t.exposeString('key', {
      description: 'The day, role, model, provider, session or user; "" when none is known.',
    }),
    usage: t.expose('usage', { type: UsageType, description: 'The sums.' }),
    unpricedCalls: t.expose('unpricedCalls', { type: 'Count', description: UNPRICED }),
  }),
})

builder.queryField('usage', (t) =>
  t.field({
    type: [UsageRowType],
    extensions: upTo(MAX_USAGE_ROWS, ASSUMED_USAGE_ROWS),
    nullable: true,
    authScopes: ADMIN,
    description:
      `Model calls, tokens and cost, grouped, from the audit: at most the ${MAX_USAGE_ROWS} keys that cost most (of days, ` +
      'the newest), in that order (days in theirs). For admins.',
    args: {
      from: t.arg({ type: 'DateTime', description: 'Only calls made then or later; all when left out.' }),
      to: t.arg({ type: 'DateTime', description: 'Only calls made before then; all when left out.' }),
      by: t.arg({ type: UsageGroupingEnum, required: true, description: 'What the key is.' }),
    },
    resolve: (_root, { from, to, by }, { database }) =>
      readUsage(database, { by, from: from ?? null, to: to ?? null, limit: MAX_USAGE_ROWS }),
  }),
)

/** More lines than these cannot be told apart in a picture. */
const MAX_KEYS = 10
const MAX_DAYS = 366
const USUAL_DAYS = 30
const DAY_MS = 86_400_000

const UsageSplitEnum = builder.enumType('UsageSplit', {
  description: 'Into what the usage of a day is split.',
  values: SPLITS,
})

const UsageOfDayType = builder.objectRef<UsageOfDay>('UsageOfDay').implement({
  description: 'What the model calls with one key have cost on one day.',
  authScopes: ADMIN,
  fields: (t) => ({
    day: t.exposeString('day', { description: 'The day (UTC), such as "2026-11-21".' }),
    key: t.exposeString('key', {
      nullable: true,
      description: 'The role, model, provider, session or user; "" when none is known. Null: all others together.',
    }),
    usage: t.expose('usage', { type: UsageType, description: 'The sums.' }),
    unpricedCalls: t.expose('unpricedCalls', { type: 'Count', description: UNPRICED }),
  }),
})

builder.queryField('usageByDay', (t) =>
  t.field({
    type: [UsageOfDayType],
    // As for `usage`: a month of some keys is what is asked for most.
    extensions: upTo(MAX_DAYS * (MAX_KEYS + 1), ASSUMED_USAGE_ROWS),
    nullable: true,
    authScopes: ADMIN,
    description:
      `Model calls, tokens and cost, by day and key, days in order: of the ${MAX_KEYS} keys that cost most in all of the ` +
      'time, and of all others together. A day without calls has no row. For admins.',
    args: {
      from: t.arg({
        type: 'DateTime',
        description: `Only calls made then or later; ${USUAL_DAYS} days before "to" when left out.`,
      }),
      to: t.arg({
        type: 'DateTime',
        description: `Only calls made before then, at most ${MAX_DAYS} days later, or it is BAD_USER_INPUT; now when left out.`,
      }),
      by: t.arg({ type: UsageSplitEnum, required: true, description: 'What the key is.' }),
    },
    resolve: (_root, asked, { database, clock }) => {
      const to = asked.to ?? clock.now()
      const from = asked.from ?? new Date(to.getTime() - USUAL_DAYS * DAY_MS)
      if (to.getTime() - from.getTime() > MAX_DAYS * DAY_MS)
        throw badUserInput(`"to" must be at most ${MAX_DAYS} days after "from".`)
      return readUsageByDay(database, { by: asked.by, from, to, keys: MAX_KEYS })
    },
  }),
)

const TurnRankingEnum = builder.enumType('TurnRanking', {
  description: 'By what turns are put in order.',
  values: {
    COST: { description: 'The dearest first; those without a price are left out.' },
    DURATION: { description: 'The slowest first, waiting included; those that have not ended are left out.' },
    TOKENS: { description: 'Those that read and wrote the most tokens first.' },
  } as const satisfies Values<TurnRanking>,
})

builder.queryField('rankedTurns', (t) =>
  t.field({
    type: [TurnType],
    nullable: true,
    authScopes: ADMIN,
    extensions: { paged: CONNECTION_PAGE },
    description: 'The turns that cost or took most. For admins.',
    args: {
      first: t.arg.int({ description: describeFirst(CONNECTION_PAGE) }),
      by: t.arg({ type: TurnRankingEnum, required: true, description: 'What makes a turn come first.' }),
      from: t.arg({ type: 'DateTime', description: 'Only turns whose message came then or later; all when left out.' }),
      to: t.arg({ type: 'DateTime', description: 'Only turns whose message came before then; all when left out.' }),
    },
    resolve: async (_root, { first, by, from, to }, context, info) => {
      const { database } = context
      const limit = readPageSize({ first }, info)
      const keys = await readRankedTurns(database, { by, from: from ?? null, to: to ?? null, limit })
      const query = queryFromInfo({ context, info, typeName: 'Turn', select: { id: true } }) as { select: { id: true } }
      const load = (ids: string[]) => database.prisma.turn.findMany({ ...query, where: { id: { in: ids } } })
      return (await loadInOrder(keys, load)).map(({ node }) => node)
    },
  }),
)
