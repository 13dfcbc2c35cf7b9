import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { PersistedQueries } from './persisted-queries.ts'

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const named = (text: string): { extensions: object } => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: hashOf(text) } },
})

test('a text that was kept is found by its hash, another is not', () => {
  const queries = new PersistedQueries()
  expect(queries.keep(hashOf('{ a }'), '{ a }')).toBe(true)
  expect(queries.keep(hashOf('{ a }'), '{ b }')).toBe(false)
  expect(queries.resolve(named('{ a }')).query).toBe('{ a }')
  expect(queries.resolve(named('{ b }')).query).toBe('')
})

test('what names nothing, or brings its text, stays as it is', () => {
  const queries = new PersistedQueries()
  for (const params of [
    { query: '{ a }' },
    {},
    { query: '{ a }', ...named('{ a }') },
    { extensions: { persistedQuery: { sha256Hash: '__proto__' } } },
    { extensions: { persistedQuery: null } },
  ]) {
    expect(queries.resolve(params)).toBe(params)
  }
})

test('what was used last stays when there are too many', () => {
  const queries = new PersistedQueries(3 * 300)
  const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(50))
  for (const text of texts.slice(0, 3)) queries.keep(hashOf(text), text)
  const [a = '', b = '', , d = ''] = texts
  expect(queries.resolve(named(a)).query).toBe(a)
  queries.keep(hashOf(d), d)
  expect(queries.resolve(named(b)).query).toBe('')
  expect(queries.resolve(named(a)).query).toBe(a)
  expect(queries.resolve(named(d)).query).toBe(d)
})

test('a text that no operation may have is not kept', () => {
  const queries = new PersistedQueries()
  const long = `{ a } #${'x'.repeat(17 * 1024)}`
  expect(queries.keep(hashOf(long), long)).toBe(true)
  expect(queries.resolve(named(long)).query).toBe('')
})
