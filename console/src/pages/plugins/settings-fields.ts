/**
 * The fields of a form from a JSON schema of an object: what is a text, a number, a switch or one of some values has a
 * field of its own; anything else is typed as JSON. What a field holds is a text until it is sent.
 */
export interface SettingsField {
  readonly name: string
  readonly kind: 'text' | 'number' | 'switch' | 'choice' | 'json'
  readonly choices: readonly string[]
  readonly description: string
  /** It has no default. */
  readonly isRequired: boolean
}

interface Property {
  readonly type?: unknown
  readonly enum?: readonly unknown[]
  readonly description?: unknown
  readonly default?: unknown
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Property>>
  readonly required?: readonly string[]
}

export function settingsFields(schema: unknown): readonly SettingsField[] {
  const { properties, required } = (schema ?? {}) as ObjectSchema
  return Object.entries(properties ?? {}).map(([name, property]) => ({
    name,
    kind: kindOf(property),
    choices: (property.enum ?? []).map(String),
    description: hintOf(property),
    isRequired: required?.includes(name) === true && property.default === undefined,
  }))
}

function hintOf(property: Property): string {
  const said = typeof property.description === 'string' ? property.description : ''
  return kindOf(property) === 'json' ? `${said} As JSON.`.trim() : said
}

function kindOf({ type, enum: choices }: Property): SettingsField['kind'] {
  if (choices !== undefined && choices.every((choice) => typeof choice === 'string')) return 'choice'
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return 'number'
  return type === 'boolean' ? 'switch' : 'json'
}

/** "" stands for: it is left out, and has its default. */
export function textOf(field: SettingsField, value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' && field.kind !== 'json' ? value : JSON.stringify(value, null, 2)
}

/** Throws SyntaxError where a text is no JSON. */
export function settingsOf(fields: readonly SettingsField[], texts: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = texts[field.name] ?? ''
      return text.trim() === '' ? [] : [[field.name, valueOf(field, text)] as const]
    }),
  )
}

function valueOf({ kind }: SettingsField, text: string): unknown {
  if (kind === 'number') return Number(text)
  if (kind === 'switch') return text === 'true'
  return kind === 'json' ? (JSON.parse(text) as unknown) : text
}
