/** What is left of a budget: tokens and cost, of a user and of a session, today. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkBudget } from '../../src/audit/budget.ts'
import type { Budget, Config } from '../../src/config/config.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { appendAudit } from '../../src/store/audit-entries.ts'
import { Database } from '../../src/store/database.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { StubConfig } from '../model/stub-config.ts'

const FREE: Budget = { tokensPerDay: null, costPerDay: null }
const CALL = {
  role: 'planner',
  provider: 'p',
  model: 'm',
  status: 'OK',
  cachedTokens: 90,
  durationMs: 1,
} as const

let place: TestDatabase
let database: Database
beforeAll(async () => {
  place = await createTestDatabase()
  database = new Database({
    url: place.url,
    maxConnections: 2,
    logger: createLogger({ level: 'silent', pretty: false }),
  })
  await spend({ actor: 'ben', sessionId: 'cli:a', tokens: 100, cost: 1.5 })
  await spend({ actor: 'ben', sessionId: 'cli:b', tokens: 50, cost: null })
  await spend({ actor: 'ada', sessionId: 'cli:a', tokens: 1000, cost: 10 })
  await spend({
    actor: 'ben',
    sessionId: 'cli:a',
    tokens: 5_000_000,
    cost: 5000,
    at: new Date(Date.now() - 25 * 3_600_000),
  })
})
afterAll(async () => {
  await database.close()
  await place[Symbol.asyncDispose]()
})

interface Spent {
  readonly actor: string
  readonly sessionId: string
  readonly tokens: number
  readonly cost: number | null
  readonly at?: Date
}

async function spend({ actor, sessionId, tokens, cost, at = new Date() }: Spent): Promise<void> {
  const body = { kind: 'MODEL_CALL', ...CALL, inputTokens: tokens - 10, outputTokens: 10, cost } as const
  await appendAudit(database, [{ at, sessionId, turnId: 'turn_1', actor, tokenName: 'cli', body }])
}

interface Asked {
  readonly user?: Budget
  readonly session?: Budget
  readonly users?: readonly (readonly [string, Budget])[]
}

async function ask(
  { user = FREE, session = FREE, users = [] }: Asked,
  made: readonly number[] = [],
  share = 1,
): Promise<string | null> {
  const { config: stub } = new StubConfig({ baseUrl: null })
  const config: Config = {
    ...stub,
    settings: { ...stub.settings, currency: 'EUR' },
    budgets: { user, session, users: new Map(users) },
  }
  const calls = made.map((tokens) => ({
    ...CALL,
    inputTokens: tokens,
    outputTokens: 0,
    cost: 0.1,
    at: new Date(),
    texts: null,
  }))
  const refused = await checkBudget(database, config, { sessionId: 'cli:a', userName: 'ben', made: calls, share })
  return refused === null ? null : `${refused.code} ${refused.message}`
}

test.each<[what: string, asked: Asked, saying: string | null]>([
  ['no budget', {}, null],
  ['tokens left', { user: { tokensPerDay: 151, costPerDay: null } }, null],
  ['tokens used up', { user: { tokensPerDay: 150, costPerDay: null } }, 'user ben (150 tokens a day)'],
  ['cost left', { user: { tokensPerDay: null, costPerDay: 1.6 } }, null],
  ['cost used up', { user: { tokensPerDay: null, costPerDay: 1.5 } }, 'user ben (a cost of 1.5 EUR a day)'],
  [
    "a session's, of all its users",
    { session: { tokensPerDay: 1100, costPerDay: null } },
    'this session (1100 tokens a day)',
  ],
  [
    "a session's cost",
    { session: { tokensPerDay: null, costPerDay: 11.5 } },
    'this session (a cost of 11.5 EUR a day)',
  ],
  [
    "one's own",
    { user: { tokensPerDay: 1, costPerDay: null }, users: [['ben', { tokensPerDay: 1000, costPerDay: null }]] },
    null,
  ],
  ["another user's", { users: [['ada', { tokensPerDay: 1, costPerDay: null }]] }, null],
])('%s', async (_what, asked, saying) => {
  const refused = await ask(asked)
  expect(refused?.split(' is used up for today.')[0] ?? null).toBe(
    saying === null ? null : `BUDGET_USED_UP The budget of ${saying}`,
  )
})

test.each<[Budget, string]>([
  [{ tokensPerDay: 0, costPerDay: null }, '0 tokens a day'],
  [{ tokensPerDay: 150, costPerDay: 0 }, 'a cost of 0 EUR a day'],
])('a budget of nothing does not end with the day, and says so: %o', async (user, which) => {
  expect(await ask({ user })).toBe(
    `BUDGET_USED_UP The budget of user ben (${which}) allows nothing. This goes on as soon as an admin raises the budget.`,
  )
})

test('a share of tokens is a whole number', async () => {
  expect(await ask({ session: { tokensPerDay: 100, costPerDay: null } }, [], 0.29)).toContain('(29 tokens a day)')
})

test('calls that are not recorded yet count', async () => {
  const asked: Asked = { user: { tokensPerDay: 200, costPerDay: null } }
  expect(await ask(asked, [49])).toBeNull()
  expect(await ask(asked, [49, 1])).toContain('BUDGET_USED_UP')
})

test('that most or all of a budget is used is in the audit, once for each limit of a user, whichever process sees it', async () => {
  const before = new Set(await notices())
  // As two processes do, and one that starts again.
  const nearly = { user: { tokensPerDay: 160, costPerDay: null } }
  await Promise.all([ask(nearly), ask(nearly)])
  await ask(nearly)
  await ask({ user: { tokensPerDay: 1000, costPerDay: 7 } })
  await ask({ user: { tokensPerDay: 160, costPerDay: 0 } }, [20])
  await ask({ user: { tokensPerDay: 160, costPerDay: 0 } }, [30])
  expect((await notices()).filter((notice) => !before.has(notice))).toEqual([
    'BUDGET_NEARLY_USED ben has used 80 % of the budget of 160 tokens a day.',
    'BUDGET_USED_UP ben has used all of the budget of 160 tokens a day.',
  ])
})

async function notices(): Promise<string[]> {
  const text = `SELECT concat_ws(' ', data->>'change', data->>'detail') AS notice FROM audit_entries
    WHERE kind = 'CONFIG' AND actor = 'ben' ORDER BY pos`
  return (await database.query<{ notice: string }>({ name: '', text }, [])).map(({ notice }) => notice)
}
