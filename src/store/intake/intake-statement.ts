/**
 * A hand-written statement whose parameters have names: `input.<name>` in its text. The planner sees plain parameters,
 * as the `input` of one row without a table is folded into whatever reads it.
 */
import type { Queryable, Statement } from '../database.ts'
import type { Sql } from '../sql.ts'

/** PostgreSQL's type of each parameter, by name. */
type InputTypes = Readonly<Record<string, string>>

/** Runs the statement with its parameters by name, in one round trip; rejects as `Database.query` does. */
export type IntakeStatement<Types extends InputTypes> = <Row extends object>(
  database: Queryable,
  input: Readonly<Record<keyof Types, unknown>>,
) => Promise<Row[]>

/**
 * `text` follows `WITH input AS (…),`: it goes on with CTEs, then SELECT. `named` names the prepared statement, which
 * is planned once, unless it says otherwise.
 */
export function intakeStatement<const Types extends InputTypes>(
  named: string | Omit<Statement, 'text'>,
  types: Types,
  text: Sql,
): IntakeStatement<Types> {
  const columns = Object.entries(types).map(([column, type], index) => `$${index + 1}::${type} AS ${column}`)
  const head = typeof named === 'string' ? { name: named } : named
  const statement: Statement = {
    plansOnce: true,
    ...head,
    text: `WITH input AS NOT MATERIALIZED (\n  SELECT ${columns.join(',\n    ')}),\n${text}`,
  }
  const names: readonly (keyof Types)[] = Object.keys(types)
  return <Row extends object>(database: Queryable, input: Readonly<Record<keyof Types, unknown>>) =>
    database.query<Row>(
      statement,
      names.map((column) => input[column]),
    )
}
