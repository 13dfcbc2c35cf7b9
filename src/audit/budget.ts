/**
 * Whether a user and a session have something left of what they may use today (UTC, by the database's clock), from what
 * the audit says they have used. Asked before each call of a model, and only where a budget is configured.
 *
 * Calls that are under way are not counted: turns of one user that run side by side may each begin one more.
 */
import { isLimited, userBudget } from '../config/schema/budgets.ts'
import type { Budget, Config } from '../config/config.ts'
import { AppError } from '../core/errors.ts'
import type { ModelCallRecord } from '../core/model-call.ts'
import { DELEGATION_NAMESPACE } from '../core/session/session-id.ts'
import { must } from '../platform/must.ts'
import type { Database } from '../store/database.ts'
import { noteBudget, type Used } from './budget-notice.ts'

export interface Spender {
  readonly sessionId: string
  readonly userName: string
}

interface Row {
  readonly userTokens: number
  readonly userCost: number
  readonly sessionTokens: number
  readonly sessionCost: number
  /** Milliseconds until the day ends. */
  readonly leftMs: number
  readonly now: Date
}

const used = (alias: string, where: string): string => `LATERAL (
    SELECT coalesce(sum((e.data->>'inputTokens')::int8 + (e.data->>'outputTokens')::int8), 0)::float8 AS tokens,
      coalesce(sum((e.data->>'cost')::float8), 0) AS cost
    FROM audit_entries e WHERE ${where} AND e.at >= day.begin AND e.kind = 'MODEL_CALL') ${alias}`

/** The session with its children and theirs: what they use is part of its budget, beside what each of them may use. */
const OF_SESSION = `e.session_id IN (
      WITH RECURSIVE family AS (
        SELECT $2::text AS id
        UNION ALL SELECT '${DELEGATION_NAMESPACE}:' || d.id FROM delegations d JOIN family f ON d.session_id = f.id)
      SELECT id FROM family)`

/** Parameters: user and session, each null when it has no budget. */
const USED_TODAY = {
  name: 'budget.used-today',
  text: `SELECT u.tokens AS "userTokens", u.cost AS "userCost", s.tokens AS "sessionTokens", s.cost AS "sessionCost",
      extract(epoch FROM day.begin + interval '1 day' - now())::float8 * 1000 AS "leftMs", now() AS now
    FROM (SELECT date_trunc('day', now(), 'UTC') AS begin) day,
      ${used('u', 'e.actor = $1')}, ${used('s', OF_SESSION)}`,
}

/** What a user has used today. */
export interface UserSpending extends Used {
  readonly userName: string
}

export interface Spending {
  /** Of each user that was asked for, in that order. */
  readonly users: readonly UserSpending[]
  /** When the day ends, and with it what was used. */
  readonly resetsAt: Date
}

const SPENDING = {
  name: 'budget.spending',
  text: `SELECT asked.name AS "userName", u.tokens, u.cost, day.begin + interval '1 day' AS "resetsAt"
    FROM (SELECT date_trunc('day', now(), 'UTC') AS begin) day,
      unnest($1::text[]) WITH ORDINALITY asked (name, n), ${used('u', 'e.actor = asked.name')}
    ORDER BY asked.n`,
}

/** What these users (at least one) have used of their budgets today, whether or not they have any. */
export async function readSpending(database: Database, userNames: readonly string[]): Promise<Spending> {
  const rows = await database.query<UserSpending & Pick<Spending, 'resetsAt'>>(SPENDING, [userNames])
  const { resetsAt } = must(rows[0], 'a row per user')
  return { users: rows, resetsAt }
}

export function hasBudget(config: Config, userName: string): boolean {
  return isLimited(userBudget(config, userName)) || isLimited(config.budgets.session)
}

/**
 * Null: the next call may be made. Otherwise BUDGET_USED_UP: whose, how much and what to do, for people; `retryAfterMs`
 * is the time until the next day. `made`: calls that are not in the audit yet. `share`: the part of a session's budget
 * that this one has.
 */
export async function checkBudget(
  database: Database,
  config: Config,
  {
    sessionId,
    userName,
    made,
    share = 1,
  }: Spender & { readonly made: readonly ModelCallRecord[]; readonly share?: number },
): Promise<AppError | null> {
  if (!hasBudget(config, userName)) return null
  const ofUser = userBudget(config, userName)
  const ofSession = sessionBudget(config, { userName, share })
  // What is not limited is not summed up: no row has null.
  const asked = [isLimited(ofUser) ? userName : null, isLimited(ofSession) ? sessionId : null]
  const [row] = await database.query<Row>(USED_TODAY, asked)
  if (row === undefined) return null
  const user = plus({ tokens: row.userTokens, cost: row.userCost }, made)
  const session = plus({ tokens: row.sessionTokens, cost: row.sessionCost }, made)
  const { currency } = config.settings
  await noteBudget(database, { userName, used: user, at: row.now, limits: { ...ofUser, currency } })
  const found =
    usedUp({ ...ofUser, currency }, user, `user ${userName}`) ??
    usedUp({ ...ofSession, currency }, session, 'this session')
  if (found === null) return null
  return new AppError(
    'BUDGET_USED_UP',
    found.limit === 0
      ? `The budget of ${found.whose} allows nothing. This goes on as soon as an admin raises the budget.`
      : `The budget of ${found.whose} is used up for today. This goes on by itself at midnight UTC, or as soon as an ` +
          'admin raises the budget.',
    // A second later: clocks differ.
    { retry: 'backoff', retryAfterMs: Math.ceil(row.leftMs / 1000) * 1000 },
  )
}

/** A session that has a `share` of its parent's has that of the user's, where sessions have no limit of their own. */
function sessionBudget(config: Config, { userName, share }: { userName: string; share: number }): Budget {
  const { session } = config.budgets
  if (share === 1) return session
  const { tokensPerDay, costPerDay } = isLimited(session) ? session : userBudget(config, userName)
  return {
    tokensPerDay: tokensPerDay === null ? null : Math.round(tokensPerDay * share),
    costPerDay: costPerDay === null ? null : costPerDay * share,
  }
}

function plus({ tokens, cost }: Used, made: readonly ModelCallRecord[]): Used {
  return {
    tokens: made.reduce((sum, call) => sum + call.inputTokens + call.outputTokens, tokens),
    cost: made.reduce((sum, call) => sum + (call.cost ?? 0), cost),
  }
}

interface UsedUp {
  /** Whose and which budget, in words. */
  readonly whose: string
  readonly limit: number
}

/** Which of the two limits, the lower first: one of nothing does not end with the day. Null: neither. */
function usedUp(
  { tokensPerDay, costPerDay, currency }: Budget & { readonly currency: string | null },
  { tokens, cost }: Used,
  whose: string,
): UsedUp | null {
  const money = currency === null ? '' : ` ${currency}`
  const ofCost: UsedUp[] =
    costPerDay !== null && cost >= costPerDay
      ? [{ whose: `${whose} (a cost of ${costPerDay}${money} a day)`, limit: costPerDay }]
      : []
  if (tokensPerDay === null || tokens < tokensPerDay || ofCost[0]?.limit === 0) return ofCost[0] ?? null
  return { whose: `${whose} (${tokensPerDay} tokens a day)`, limit: tokensPerDay }
}
