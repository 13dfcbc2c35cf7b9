/**
 * Redaction by declaration: which fields of a value hold free text, in which a secret may stand, and which hold words
 * and ids of ours, which rows and readers depend on. The types want a declaration for every field that can hold any
 * text, so a new field does not compile until it is declared one or the other.
 */
import { redactJson } from './redact-json.ts'
import type { Redactor } from './redaction.ts'

/** What holds a text, or none at all, but nothing further in. */
type Plain = string | number | boolean | bigint | Date | Uint8Array

/**
 * What is said of a value. `text`: free text, redacted. `repeated`: the same, and it is the same text for many values.
 * `json`: JSON of others, all of its texts and names of fields are redacted. `kept`: an id, a name or a code of ours,
 * stored as it is. For a list or a map, the declaration of its items; for one of several objects, that of all their
 * fields. Never: it can hold no text, or only words of a closed set.
 */
export type Declaration<Value> = unknown extends Value
  ? 'json'
  : [Value] extends [Plain]
    ? string extends Value
      ? 'text' | 'repeated' | 'kept'
      : never
    : [Value] extends [ReadonlyMap<unknown, infer Item>]
      ? Declaration<NonNullable<Item>>
      : [Value] extends [readonly (infer Item)[]]
        ? Declaration<NonNullable<Item>>
        : string extends FieldOf<Value>
          ? 'json'
          : [TextField<Value>] extends [never]
            ? never
            : FreeTexts<Value>

/** A declaration for each field of `Value` that can hold any text; none for numbers, dates and closed sets of words. */
export type FreeTexts<Value> = { readonly [Field in TextField<Value>]: Declaration<Held<Value, Field>> }

type TextField<Value> = {
  [Field in FieldOf<Value>]: [Declaration<Held<Value, Field>>] extends [never] ? never : Field
}[FieldOf<Value>]

/** Of a union, the names of the fields of all its members. */
type FieldOf<Value> = Value extends unknown ? keyof Value : never

/** What a field may hold, in whichever members of a union have it. */
type Held<Value, Field> = NonNullable<
  Value extends unknown ? (Field extends keyof Value ? Value[Field] : never) : never
>

type Declared = 'text' | 'repeated' | 'json' | 'kept' | { readonly [field: string]: Declared }

/** The value without secrets; itself when it holds none. */
export function redactTexts<Value>(value: Value, texts: Declaration<NonNullable<Value>>, redactor: Redactor): Value {
  return redactor.isEmpty ? value : (redactAs(value, texts, redactor) as Value)
}

/** A declaration for each member of a union, by the field that names it. */
export type TextsByKind<Union extends Readonly<Record<Field, string>>, Field extends string> = {
  readonly [Kind in Union[Field]]: FreeTexts<Extract<Union, Readonly<Record<Field, Kind>>>>
}

/** The same for a value whose field `by` says which declaration is its own. */
export function redactByKind<Field extends string, Union extends Readonly<Record<Field, string>>>(
  value: Union,
  { by, texts }: { readonly by: Field; readonly texts: TextsByKind<Union, Field> },
  redactor: Redactor,
): Union {
  const kind: Union[Field] = value[by]
  return redactor.isEmpty ? value : (redactAs(value, texts[kind], redactor) as Union)
}

function redactAs(value: unknown, declared: Declared, redactor: Redactor): unknown {
  if (value === null || value === undefined || declared === 'kept') return value
  if (declared === 'json') return redactJson(value, redactor)
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, redactAs(item, declared, redactor)]))
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => redactAs(item, declared, redactor))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (typeof declared === 'string') {
    if (typeof value !== 'string') return value
    return declared === 'repeated' ? redactor.redactRepeated(value) : redactor.redact(value)
  }
  const fields = value as Readonly<Record<string, unknown>>
  const redacted: Record<string, unknown> = {}
  let isOther = false
  for (const [name, inner] of Object.entries(declared)) {
    if (inner === 'kept' || !Object.hasOwn(fields, name)) continue
    const field = fields[name]
    const clean = redactAs(field, inner, redactor)
    if (clean === field) continue
    redacted[name] = clean
    isOther = true
  }
  return isOther ? { ...value, ...redacted } : value
}
