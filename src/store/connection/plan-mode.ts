/**
 * How a connection of the pool plans what it is asked. PostgreSQL plans a prepared statement anew for the values of
 * each of its first five uses, on every connection, before it keeps one plan for all. To plan what each turn and each
 * poll runs takes six to ten times as long as to run it (bench/README.md, "Planned once"), and it finds its rows in one
 * way, whatever its values are: it is planned once, by `plan_cache_mode = force_generic_plan`. All else, such as lists
 * with filters, is left to PostgreSQL.
 */
import pg, { type PoolClient } from 'pg'

type Mode = 'auto' | 'force_generic_plan'
type Done = (error: Error | null, result?: unknown) => void
/** As pools and Prisma ask; with `done` there is no promise. */
type Ask = (config: unknown, values: unknown, done?: Done) => unknown

/**
 * Has the connection plan each statement as its `plansOnce` says, from now on. The mode is set just before the first
 * statement that wants another one, which fails when that does. One statement at a time, as pg wants it.
 */
export function planAsAsked(client: Pick<PoolClient, 'query'>): void {
  // As it is at that moment: what records statements takes its place later.
  const ask: Ask = (...asked) => (Reflect.get(pg.Client.prototype, 'query') as Ask).apply(client, asked)
  let mode: Mode = 'auto'
  const change = (to: Mode, done?: Done): unknown => {
    mode = to
    return ask(`SET plan_cache_mode = ${to}`, undefined, done)
  }
  const query = (config: unknown, values: unknown, done?: Done): unknown => {
    const wanted = modeFor(config) ?? mode
    if (wanted === mode) return ask(config, values, done)
    if (done === undefined) return (change(wanted) as Promise<unknown>).then(() => ask(config, values))
    return change(wanted, (error) => (error instanceof Error ? done(error) : ask(config, values, done)))
  }
  client.query = query as PoolClient['query']
}

/** Null: there is nothing to plan. */
function modeFor(config: unknown): Mode | null {
  const once = typeof config === 'object' && config !== null && 'plansOnce' in config ? config.plansOnce : false
  return once === null ? null : once === true ? 'force_generic_plan' : 'auto'
}
