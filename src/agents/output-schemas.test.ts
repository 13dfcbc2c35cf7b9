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

/** The fields of the answer's shape, as a text shows it. */
function shownIn(path: string): string[] {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8')
  const shape = /^`?(?:A.*: )?`?(\{.*\})`/m.exec(text)?.[1] ?? ''
  return [...shape.matchAll(/"(\w+)": /g)].flatMap(([, field]) => field ?? [])
}

/** Every field, in the order of the text. */
function fieldsOf({ properties = {}, items, anyOf = [] }: JsonSchema): string[] {
  const own = Object.entries(properties).flatMap(([key, value]) => [key, ...fieldsOf(value)])
  return [...own, ...(items === undefined ? [] : fieldsOf(items)), ...anyOf.flatMap(fieldsOf)]
}

const asked = { questions: [], questionFacts: [{ questionId: 'q', id: 'f', content: 'c' }], facts: [] }

describe.each([
  ['plan', 'planner', planFormat({ questions: [], questionFacts: [], facts: [] }).schema],
  ['plan', 'asked', planFormat(asked).schema],
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
    const fields = fieldsOf(schema?.json as JsonSchema)
    // A plan's outcome is explained beside the questions.
    const [plan, section] = ['planner/prompt.md', 'rendered/planner-asked.txt']
    const outcome = prompt === 'asked' ? shownIn(section) : []
    const shown = shownIn(prompt === 'asked' ? plan : `${prompt}/prompt.md`)
    const at = shown.indexOf('answer') + 1
    expect(outcome.length === 0 ? shown : shown.toSpliced(at, 0, 'outcome', ...outcome)).toEqual(fields)
  })

  test('uses only what strict mode knows', () => {
    const keywords = new Set(all.flatMap(([, one]) => Object.keys(one)))
    const known = new Set(
      ['type', 'properties', 'required', 'additionalProperties'].concat('items', 'anyOf', 'enum', 'description'),
    )
    expect([...keywords].filter((keyword) => !known.has(keyword))).toEqual([])
  })
})
