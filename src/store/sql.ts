/**
 * SQL that our own code wrote. A text of any other origin does not compile where `Sql` is wanted, so no value gets into
 * a statement but as a parameter.
 */
import { BugError } from '../platform/must.ts'

declare const written: unique symbol

/** A statement, or a piece of one; made by `sql`, and by `fenced` (turn/fenced.ts) where the lease must hold. */
export type Sql = string & { readonly [written]: true }

/** Template tag for `Sql`. Its parts are pieces of SQL, or limits of ours. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (Sql | number)[]): Sql {
  let text = texts[0] ?? ''
  for (const [index, part] of parts.entries()) text += `${part}${texts[index + 1] ?? ''}`
  return text as Sql
}

/** A text of ours as a constant of SQL. */
export function literal(text: string): Sql {
  return `'${text.replaceAll("'", "''")}'` as Sql
}

/** A name of ours: of a table, a column or a part of a statement. */
export function identifier(name: string): Sql {
  if (!/^[a-z_]+$/.test(name)) throw new BugError(`"${name}" cannot stand in SQL as a name`)
  return name as Sql
}

/** The piece, or nothing: for what only some variants of a statement have. */
export function when(condition: boolean, piece: Sql): Sql {
  return condition ? piece : sql``
}

/** The piece that is made of a value, or nothing where there is none. */
export function given<Value>(value: Value | null | undefined, piece: (value: Value) => Sql): Sql {
  return value == null ? sql`` : piece(value)
}

/** The pieces one behind the other. */
export function concat(pieces: readonly Sql[]): Sql {
  return pieces.join('') as Sql
}
