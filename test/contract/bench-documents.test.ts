/** The bench asks for what the schema has: a part that is run seldom must not be found broken when it is needed. */
import { readdirSync, readFileSync } from 'node:fs'
import { parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { buildSchema } from '../../src/graphql/schema/schema.ts'

/** A constant that is an operation: `{ …`, `query …`, `mutation …` or `subscription …`. */
const OPERATION = /= *\n? *(?:`(\{ [^`$]*|(?:query|mutation|subscription)\b[^`]*)`|'((?:query|subscription)\b[^']*)')/g

const folder = new URL('../../bench/', import.meta.url)
const documents = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(OPERATION)].map(
      ([, quoted, plain]) => [name, quoted ?? plain ?? ''] as const,
    ),
  )

test('its operations are found', () => {
  const files = new Set(documents.map(([name]) => name))
  expect([...files].sort()).toEqual(
    expect.arrayContaining(['accept.ts', 'crowd.ts', 'lists.ts', 'pages.ts', 'turns.ts']),
  )
})

test.each(documents)('%s: %s', (_name, text) => {
  expect(validate(buildSchema(), parse(text)).map(({ message }) => message)).toEqual([])
})
