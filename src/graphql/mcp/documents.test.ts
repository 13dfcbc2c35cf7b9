import { buildSchema, parse, validate } from 'graphql'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as documents from './documents.ts'

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'))

test.each(Object.entries(documents))('%s fits the schema', (_name, { text }) => {
  expect(validate(schema, parse(text))).toEqual([])
})
