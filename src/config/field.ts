/**
 * The kinds of values that config.toml holds. Every one states its rule once ("must be …"); the same sentence is the
 * error when it is broken, so that an error always says what would be right.
 */
import * as z from 'zod'

interface SaysOptions {
  /** The value could be a secret: it never enters the error. */
  readonly hidden?: boolean
}

/** zod parameters under which a field that breaks its rule says so: what must be, and what was found. */
export function says(rule: string, options: SaysOptions = {}): { error: (issue: { input?: unknown }) => string } {
  return {
    error: ({ input }) => {
      if (input === undefined) return `is missing; it ${rule}`
      return options.hidden === true ? rule : `${rule}; it is ${describeValue(input)}`
    },
  }
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return 'a date'
  return Array.isArray(value) ? 'a list' : 'a table'
}

export interface Range {
  readonly min: number
  readonly max: number
}

export function wholeNumber({ min, max }: Range): z.ZodInt {
  const rule = says(`must be a whole number from ${min} to ${max}`)
  return z.int(rule).min(min, rule).max(max, rule)
}

/** Seconds in the file; fractions are allowed. */
export function seconds({ min, max }: Range): z.ZodNumber {
  const rule = says(`must be a number of seconds from ${min} to ${max}`)
  return z.number(rule).min(min, rule).max(max, rule)
}

export function trueOrFalse(): z.ZodBoolean {
  return z.boolean(says('must be true or false'))
}

/** Text that satisfies `isValid`; `rule` says in words what that is. */
export function text(rule: string, isValid: (value: string) => boolean, options?: SaysOptions): z.ZodString {
  return z.string(says(rule, options)).refine(isValid, says(rule, options))
}

export const NAME_RULE = 'must be 1 to 32 lower-case letters, digits, "_" or "-", beginning with a letter or "_"'

/** The name of a token, a user or a provider. */
export function name(): z.ZodString {
  return text(NAME_RULE, isName)
}

export function isName(value: string): boolean {
  return /^[a-z_][a-z0-9_-]{0,31}$/.test(value)
}

/** The name of an environment variable, and not a key that was put there by mistake. */
export function isVariableName(value: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(value) && !hasShapeOfKey(value)
}

/** A variable's name can have the shape of a key; these beginnings and mixtures only keys have. */
function hasShapeOfKey(value: string): boolean {
  return (
    /^(sk|pk|gsk|xai|hf|key|AIza)[-_]?[A-Za-z0-9]{16,}/.test(value) ||
    /(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{20,}/.test(value)
  )
}
