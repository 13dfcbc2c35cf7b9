/** Lists of schedules cost as many statements as one schedule: no N+1. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { triggerSchedule } from '../../src/schedules/trigger-schedule.ts'
import { addSchedule } from '../schedules/schedule-world.ts'
import { recordStatements } from './record-statements.ts'
import { createSchemaWorld, type SchemaWorld } from './schema-world.ts'

const EVERYTHING = `query ($first: Int!) {
  schedules(first: $first) {
    edges { node {
      id name user nextRunAt
      lastRun { id status turn { status message { content } } }
      runs(first: 5) { edges { node { status schedule { name } session { id status } turn { status } } } }
    } }
    pageInfo { hasNextPage }
  }
}`

let it: SchemaWorld
beforeAll(async () => {
  it = await createSchemaWorld()
  for (let n = 0; n < 12; n += 1) {
    const id = await addSchedule(it.world, { mode: 'FRESH' })
    await triggerSchedule(it.world.context, it.world.as('bob'), id)
  }
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

async function cost(first: number): Promise<number> {
  const statements = await recordStatements(async () => {
    const { codes, data } = await it.run<{ schedules: { edges: unknown[] } }, { first: number }>('bob', EVERYTHING, {
      first,
    })
    expect(codes).toEqual([])
    expect(data.schedules.edges).toHaveLength(first)
  })
  return statements.length
}

test('twelve schedules with their runs cost as many statements as one', async () => {
  expect(await cost(12)).toBe(await cost(1))
})
