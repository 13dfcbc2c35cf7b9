/**
 * How long the lists of the schema are: for `extensions` of a field. What `paged` means is said in
 * ../../operation/paged.ts.
 */
import type { Paged } from '../../operation/paged.ts'

/** Of every connection. */
export const CONNECTION_PAGE = { default: 20, max: 100 } as const satisfies Paged
/** Of a session's log, whose entries are small. */
export const EVENT_PAGE = { default: 100, max: 500 } as const satisfies Paged

/** What the argument `first` of such a list says of itself. */
export function describeFirst({ default: byDefault, max }: Paged): string {
  return `How many from the front: 1 to ${max}, ${byDefault} when left out. Anything else is BAD_USER_INPUT.`
}

/** What the cost of an operation assumes of a list that takes no size. */
const ASSUMED = 5

/** A list that takes no size and holds what is stored, which other rules keep short. */
export const ALL_STORED = { paged: { default: ASSUMED, max: null } } as const satisfies { readonly paged: Paged }

/** The same, of lists that hold one entry as a rule, and now and then a few. */
export const MOSTLY_ONE = { paged: { default: 2, max: null } } as const satisfies { readonly paged: Paged }

/** A list that takes no size and never holds more than `max`; its cost assumes `assumed`. */
export function upTo(max: number, assumed: number = ASSUMED): { readonly paged: Paged } {
  return { paged: { default: assumed, max } }
}
