/**
 * Whether a prompt gets the fact that it needs: the marks of `npm run bench:memory` at the size that a test can afford,
 * for two seeds, so that nothing is tuned to one.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { rankFacts } from '../../src/knowledge/rank-facts.ts'
import { createWorld, type World } from '../intake/intake-world.ts'
import { makeStore, WAYS, type Way } from './corpus/store.ts'

const SIZE = 1000
/** Of thirty, among the first ten. Another language shares names alone; other names besides other words share less. */
const MARKS: Readonly<Record<Way, number>> = {
  'same words': 27,
  'other words': 20,
  'other forms': 27,
  'another language': 5,
  typos: 20,
  'a follow-up': 27,
  'other words and names': 0,
}

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

test.each([2, 4])('needed facts are among the first ten (seed %i)', async (seed) => {
  const { facts, questions } = makeStore({ size: SIZE, seed })
  for (let from = 0; from < SIZE; from += 250)
    await world.sql(
      `INSERT INTO facts (id, content, norm, source, created_at, updated_at)
       SELECT id, content, lower(content), 'MANUAL', now(), now() FROM unnest($1::text[], $2::text[]) AS f (id, content)`,
      facts.slice(from, from + 250).map(({ id }) => id),
      facts.slice(from, from + 250).map(({ content }) => content),
    )
  const found = new Map<Way, number>(WAYS.map((way) => [way, 0]))
  for (const { text, before, factId, way } of questions) {
    const query = { about: text, before: before === null ? [] : [before], maxCount: 10 }
    const ranked = await rankFacts(world.context.database, query)
    if (ranked.some(({ id }) => id === factId)) found.set(way, (found.get(way) ?? 0) + 1)
  }
  for (const way of WAYS) expect([way, found.get(way)]).toEqual([way, expect.toSatisfy((n: number) => n >= MARKS[way])])
})

test('one seed always gives one corpus', () => {
  expect(makeStore({ size: 100, seed: 7 })).toEqual(makeStore({ size: 100, seed: 7 }))
  expect(makeStore({ size: 100, seed: 7 }).facts).not.toEqual(makeStore({ size: 100, seed: 8 }).facts)
})
