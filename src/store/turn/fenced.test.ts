/** `tsc` is what tests here: each `@ts-expect-error` fails the type check once its line compiles. */
import { expect, test } from 'vitest'
import { sql } from '../sql.ts'
import { FENCE, fenced, type Fenced } from './fenced.ts'

test('a fragment is the text of its template, with its source in place', () => {
  const fragment: Fenced = fenced`UPDATE turns x SET step = ${sql`$5`} FROM ${FENCE} WHERE x.id = ${sql`$6`}`
  expect(fragment).toBe('UPDATE turns x SET step = $5 FROM w_fence WHERE x.id = $6')
})

test('a fragment that reads from no fenced source does not compile', () => {
  // @ts-expect-error no part is a FencedSource
  const parts: Fenced = fenced`DELETE FROM events WHERE session_id = ${sql`$1`}`
  // @ts-expect-error there is no part at all
  const none: Fenced = fenced`DELETE FROM events`
  // @ts-expect-error the name written as text is no FencedSource
  const text: Fenced = `DELETE FROM events USING w_fence`
  expect([parts, none, text]).toHaveLength(3)
})
