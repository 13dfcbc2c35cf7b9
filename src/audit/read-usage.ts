/** What model calls cost, for admins: sums over the audit, and the turns that cost or took most. */
import type { Usage } from '../core/usage.ts'
import { STATEMENT_TIMEOUT_MS, type Database } from '../store/database.ts'

/** What the cost of model calls is summed by. DAY is the day in UTC, MODEL is `provider:model`. */
export type UsageGrouping = 'DAY' | UsageSplit
/** What one day is split into. */
export type UsageSplit = 'ROLE' | 'MODEL' | 'PROVIDER' | 'SESSION' | 'USER'

/**
 * The sum of one group. `key` is its value in text form; `''` collects calls of no session (SESSION) or of no user
 * (USER).
 */
export interface UsageOf {
  readonly key: string
  readonly usage: Usage
  /** Of the calls, those that the cost leaves out because their model had no price. */
  readonly unpricedCalls: number
}

const KEYS: Readonly<Record<UsageGrouping, string>> = {
  DAY: `(e.at AT TIME ZONE 'UTC')::date::text`,
  ROLE: `e.data->>'role'`,
  MODEL: `(e.data->>'provider') || ':' || (e.data->>'model')`,
  PROVIDER: `e.data->>'provider'`,
  SESSION: `coalesce(e.session_id, '')`,
  USER: `coalesce(e.actor, '')`,
}

/** Half a second for a million entries; with jsonb_to_record it takes half as long again. */
const sum = (field: string): string => `sum((e.data->>'${field}')::int8)`

const SUMS = `count(*)::float8 AS calls, ${sum('inputTokens')}::float8 AS "inputTokens",
  ${sum('outputTokens')}::float8 AS "outputTokens", ${sum('cachedTokens')}::float8 AS "cachedTokens",
  sum((e.data->>'cost')::float8) AS cost,
  count(*) FILTER (WHERE e.data->>'cost' IS NULL)::float8 AS "unpricedCalls"`

type Sums = Usage & Pick<UsageOf, 'unpricedCalls'>

/** What model calls cost, by key; the `limit` keys that cost most, but days in order. */
export async function readUsage(
  database: Database,
  asked: { readonly by: UsageGrouping; readonly from: Date | null; readonly to: Date | null; readonly limit: number },
): Promise<UsageOf[]> {
  const { by, from, to, limit } = asked
  const costliest = `cost DESC NULLS LAST, ${sum('inputTokens')} + ${sum('outputTokens')} DESC, key`
  const text = `SELECT ${KEYS[by]} AS key, ${SUMS} FROM audit_entries e WHERE e.kind = 'MODEL_CALL' AND e.at >= coalesce($1::timestamptz, '-infinity')
      AND e.at < coalesce($2::timestamptz, 'infinity')
    GROUP BY 1 ORDER BY ${by === 'DAY' ? 'key DESC' : costliest} LIMIT $3`
  const rows = await database.query<{ key: string } & Sums>({ name: '', text, timeoutMs: STATEMENT_TIMEOUT_MS }, [
    from,
    to,
    limit,
  ])
  const sums = rows.map(({ key, unpricedCalls, ...usage }) => ({ key, usage, unpricedCalls }))
  return by === 'DAY' ? sums.toReversed() : sums
}

/** The sum of one group on one day (UTC); `key` null: of all groups that have no row of their own. */
export interface UsageOfDay extends Omit<UsageOf, 'key'> {
  readonly day: string
  readonly key: string | null
}

/**
 * What model calls cost, by day and key, days in order: the `keys` keys that cost most in all of it, then the others
 * together.
 */
export async function readUsageByDay(
  database: Database,
  asked: { readonly by: UsageSplit; readonly from: Date; readonly to: Date; readonly keys: number },
): Promise<UsageOfDay[]> {
  const { by, from, to, keys } = asked
  const added = (column: string): string => `sum("${column}") AS "${column}"`
  const text = `
    WITH sums AS MATERIALIZED (
      SELECT ${KEYS.DAY} AS day, ${KEYS[by]} AS key, ${SUMS}
      FROM audit_entries e WHERE e.kind = 'MODEL_CALL' AND e.at >= $1::timestamptz AND e.at < $2::timestamptz
      GROUP BY 1, 2
    ), ranked AS (
      SELECT key, row_number() OVER (
        ORDER BY sum(cost) DESC NULLS LAST, sum("inputTokens") + sum("outputTokens") DESC, key) AS rank
      FROM sums GROUP BY key
    )
    SELECT day, CASE WHEN rank <= $3 THEN key END AS key, ${['calls', 'inputTokens', 'outputTokens', 'cachedTokens', 'cost', 'unpricedCalls'].map(added).join(', ')}
    FROM sums JOIN ranked USING (key) GROUP BY day, CASE WHEN rank <= $3 THEN key END, least(rank, $3 + 1)
    ORDER BY day, least(rank, $3 + 1)`
  const rows = await database.query<Omit<UsageOfDay, 'usage'> & Sums>(
    { name: '', text, timeoutMs: STATEMENT_TIMEOUT_MS },
    [from, to, keys],
  )
  return rows.map(({ day, key, unpricedCalls, ...usage }) => ({ day, key, usage, unpricedCalls }))
}

/** By what turns are put in order: the dearest, those that read and wrote most, or the slowest first. */
export type TurnRanking = 'COST' | 'TOKENS' | 'DURATION'

const RANKS: Readonly<Record<TurnRanking, string>> = {
  COST: 't.cost',
  TOKENS: 'nullif(t.input_tokens + t.output_tokens, 0)',
  DURATION: 't.finished_at - t.started_at',
}

/** The ids of the turns that began in a time and come first by `by`; those of which that is not known are left out. */
export async function readRankedTurns(
  database: Database,
  asked: { readonly by: TurnRanking; readonly from: Date | null; readonly to: Date | null; readonly limit: number },
): Promise<{ readonly id: string }[]> {
  const { by, from, to, limit } = asked
  const text = `SELECT t.id FROM turns t WHERE t.created_at >= coalesce($1::timestamptz, '-infinity')
      AND t.created_at < coalesce($2::timestamptz, 'infinity') AND ${RANKS[by]} IS NOT NULL
    ORDER BY ${RANKS[by]} DESC, t.id DESC LIMIT $3`
  return database.query<{ id: string }>({ name: '', text, timeoutMs: STATEMENT_TIMEOUT_MS }, [from, to, limit])
}
