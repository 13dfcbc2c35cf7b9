import { buildSchema, parse, validate } from 'graphql'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as agui from '../agui/documents.ts'
import * as openai from '../openai/documents.ts'
import * as turns from './turn-documents.ts'

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))
const documents = Object.entries({ ...turns, ...openai, ...agui }).flatMap(([name, value]) =>
  typeof value === 'object' && 'text' in value ? [[name, value.text] as const] : [],
)

test.each(documents)('%s fits the schema', (_name, text) => {
  expect(validate(schema, parse(text))).toEqual([])
})
