/**
 * What the fragments of a turn's commit are made of. A fragment is a statement of the WITH list in
 * src/store/turn/turn-commit.sql.ts; it must read from a fenced source, so that without the lease it writes nothing.
 * The types hold that: only `fenced` makes a `Fenced`, and it does not compile without a `FencedSource` among its
 * parts.
 */
import type { Sql } from '../sql.ts'

/** Takes a value into a statement's parameters and gives its place, such as "$5". */
export type Bind = (value: unknown) => Sql

declare const source: unique symbol
declare const fragment: unique symbol

/** The name of a fragment that has rows only under the lease. */
export type FencedSource = Sql & { readonly [source]: true }

/** The text of a fragment that reads from a `FencedSource`. */
export type Fenced = Sql & { readonly [fragment]: true }

const named = (name: string): FencedSource => name as FencedSource

/** The session's row, locked, with its lease checked. */
export const FENCE = named('w_fence')
/** The turn's row. */
export const TURN = named('w_turn')
/** Learnings that this commit may decide, locked, each with its decision. */
export const JUDGED = named('w_judged')
/** Facts that are as the curator saw them, locked: each goes, as a new one takes its place. */
export const REPLACEABLE = named('w_replaceable')
/** Facts that this commit makes. */
export const MADE = named('w_made')
/** Questions that learnings may become: those that are open, locked, and those that this commit makes. */
export const JOINABLE = named('w_joinable')
/** Learnings that this commit has decided. */
export const CURATED = named('w_curated')
/** Learnings that became questions which this commit may answer, locked. */
export const ANSWERABLE_LEARNINGS = named('w_answerable_learnings')
/** Questions that this commit may answer, locked. */
export const ANSWERABLE = named('w_answerable')
/** Questions that this commit has answered. */
export const ANSWERS = named('w_answers')
/** Approvals that this commit has settled. */
export const SETTLED_APPROVALS = named('w_settled_approvals')

type ReadsSource<Parts extends readonly unknown[]> = Parts extends readonly [infer First, ...infer Rest]
  ? First extends FencedSource
    ? true
    : ReadsSource<Rest>
  : false

/** Template tag for a fragment; one of its parts must be a `FencedSource`, behind FROM or USING. */
export function fenced<const Parts extends readonly Sql[]>(
  texts: TemplateStringsArray,
  ...parts: ReadsSource<Parts> extends true ? Parts : readonly [FencedSource]
): Fenced {
  return String.raw({ raw: texts }, ...parts) as Fenced
}
