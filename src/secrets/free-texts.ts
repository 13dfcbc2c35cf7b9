/**
 * Redaction by declaration: which fields of a value hold free text, in which a secret may stand, and which hold words
 * and ids of ours, which rows and readers depend on. The types want a declaration for every field that can hold any
 * text, so a new field does not compile until it is declared one or the other.
 */
import { redactJson } from './redact-deep.ts'
import type { Redactor } from './redaction.ts'

/**
 * `text`: free text, redacted. `json`: JSON of others, all of its texts and names of fields are redacted. `kept`: an
 * id, a name or a code of ours, stored as it is. For a list or a map, the declaration of its items.
 */
type Declaration<Value> = unknown extends Value
  ? 'json'
  : Value extends number | boolean | bigint | Date | Uint8Array
    ? never
    : Value extends string
      ? string extends Value
        ? 'text' | 'kept'
        : never
      : Value extends ReadonlyMap<unknown, infer Item>
        ? Declaration<Item>
        : Value extends readonly (infer Item)[]
          ? Declaration<Item>
          : Value extends object
            ? string extends keyof Value
              ? 'json'
              : keyof FreeTexts<Value> extends never
                ? never
                : FreeTexts<Value>
            : never

/** A declaration for each field of `Value` that can hold any text; none for numbers, dates and closed sets of words. */
export type FreeTexts<Value> = {
  readonly [
    Field in keyof Value as [Declaration<NonNullable<Value[Field]>>] extends [never] ? never : Field
  ]-?: Declaration<NonNullable<Value[Field]>>
}

type Declared = 'text' | 'json' | 'kept' | { readonly [field: string]: Declared }

/** The value without secrets; itself when it holds none. */
export function redactTexts<Value extends object>(value: Value, texts: FreeTexts<Value>, redactor: Redactor): Value {
  return redactor.isEmpty ? value : (redactAs(value, texts, redactor) as Value)
}

function redactAs(value: unknown, declared: Declared, redactor: Redactor): unknown {
  if (value === null || value === undefined || declared === 'kept') return value
  if (declared === 'json') return redactJson(value, redactor)
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, redactAs(item, declared, redactor)]))
  if (Array.isArray(value)) return value.map((item: unknown) => redactAs(item, declared, redactor))
  if (declared === 'text') return typeof value === 'string' ? redactor.redact(value) : value
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => {
    const inner = declared[name]
    return [name, inner === undefined ? field : redactAs(field, inner, redactor)]
  })
  return Object.fromEntries(fields)
}
