/** What strict structured output demands of a schema: providers refuse one that breaks a rule, and only at run time. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { consolidationFormat } from './consolidator/output.ts'
import { curationFormat } from './curator/output.ts'
import { INTROSPECTION_FORMAT } from './introspector/output.ts'
import { paraphraseFormat } from './paraphraser/output.ts'
import { planFormat } from './planner/output.ts'
import { REVIEW_FORMAT } from './reviewer/output.ts'

interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

/** Every schema inside, itself included, with its path. */
function walk(schema: JsonSchema, path = '$'): [string, JsonSchema][] {
  const inside = Object.entries(schema.properties ?? {}).flatMap(([key, value]) => walk(value, `${path}.${key}`))
  const items = schema.items === undefined ? [] : walk(schema.items, `${path}[]`)
  const choices = (schema.anyOf ?? []).flatMap((choice, index) => walk(choice, `${path}(${index + 1})`))
  return [[path, schema], ...inside, ...items, ...choices]
}

/** Every field, in the order of the text. */
function fieldsOf({ properties = {}, items, anyOf = [] }: JsonSchema): string[] {
  const own = Object.entries(properties).flatMap(([key, value]) => [key, ...fieldsOf(value)])
  return [...own, ...(items === undefined ? [] : fieldsOf(items)), ...anyOf.flatMap(fieldsOf)]
}

describe.each([
  ['plan', 'planner', planFormat({ questions: [], facts: [] }).schema],
  ['review', 'reviewer', REVIEW_FORMAT.schema],
  ['curation', 'curator', curationFormat([], []).schema],
  ['consolidation', 'consolidator', consolidationFormat([]).schema],
  ['paraphrase', 'paraphraser', paraphraseFormat([]).schema],
  ['introspection', 'introspector', INTROSPECTION_FORMAT.schema],
])('the schema of a %s', (name, prompt, schema) => {
  const all = walk(schema?.json as JsonSchema)

  test('has its name', () => {
    expect(schema?.name).toBe(name)
  })

  test.each(all.filter(([, { type }]) => type === 'object'))(
    '%s names every property as required and allows no other',
    (_, object) => {
      expect(object.required).toEqual(Object.keys(object.properties ?? {}))
      expect(object.additionalProperties).toBe(false)
    },
  )

  test('has the fields that the prompt shows, in the same order', () => {
    const text = readFileSync(new URL(`${prompt}/prompt.md`, import.meta.url), 'utf8')
    const shape = /^`?(?:Answer .*: )?`?(\{.*\})`$/m.exec(text)?.[1] ?? ''
    const shown = [...shape.matchAll(/"(\w+)": /g)].map((match) => match[1])
    expect(shown).toEqual(fieldsOf(schema?.json as JsonSchema))
  })

  test('uses only what strict mode knows', () => {
    const keywords = new Set(all.flatMap(([, one]) => Object.keys(one)))
    const known = new Set(
      ['type', 'properties', 'required', 'additionalProperties'].concat('items', 'anyOf', 'enum', 'description'),
    )
    expect([...keywords].filter((keyword) => !known.has(keyword))).toEqual([])
  })
})
