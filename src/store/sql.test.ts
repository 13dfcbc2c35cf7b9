/** `tsc` is what tests here: the `@ts-expect-error` fails the type check once its line compiles. */
import { expect, test } from 'vitest'
import { identifier, literal, sql, when } from './sql.ts'

test('pieces stand where they are put', () => {
  const column = sql`s.id`
  expect(sql`SELECT ${column} LIMIT ${3}${when(false, sql` OFFSET 1`)}`).toBe('SELECT s.id LIMIT 3')
})

test('a text that is no SQL of ours does not compile', () => {
  const name: string = "x' OR true"
  // @ts-expect-error a value is a parameter
  expect(sql`SELECT ${name}`).toBeDefined()
})

test('a constant cannot end its quotes', () => {
  expect(literal("it's")).toBe("'it''s'")
})

test('only a plain word is a name', () => {
  expect(identifier('w_fence')).toBe('w_fence')
  expect(() => identifier('x; DROP TABLE turns')).toThrow('cannot stand in SQL')
})
