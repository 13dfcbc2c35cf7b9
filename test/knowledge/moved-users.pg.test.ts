/**
 * A user becomes another one while facts are merged: both lock in one order, so neither waits for the other for ever.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { moveUser } from '../../src/store/people/move-user.ts'
import { createWorld, type World } from '../intake/intake-world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

const move = () =>
  world.context.database.transaction((on) => moveUser(on, { from: 'ben', into: 'bea', at: new Date(0) }))
const lock = (on: World, id: string) => on.sql('SELECT id FROM facts WHERE id = $1 FOR UPDATE', id)

async function untilWaiting(): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  while ((await world.sql(waiting)).length === 0) await systemClock.sleep(2)
}

test.each([
  ['of their own', `'USER', 'ben', '{}', NULL`],
  ['that they taught', `'GLOBAL', '', '{ben}', NULL`],
  ['that they reviewed', `'GLOBAL', '', '{}', 'ben'`],
])('facts %s are locked in the order of their ids', async (_, whose) => {
  // The last one comes first, as it lies and in the index.
  for (const n of [2, 1])
    await world.sql(
      `INSERT INTO facts (id, content, norm, source, scope, scope_of, taught_by, reviewed_by, created_at, updated_at)
        VALUES ('fact_' || $1, $1, $1, 'CURATOR', ${whose}, now(), now())`,
      String(n),
    )
  let moving: ReturnType<typeof move> | undefined
  const [, moved] = await world.interleave(
    async (merge) => {
      await lock(merge, 'fact_1')
      moving = move()
      await untilWaiting()
      await lock(merge, 'fact_2')
    },
    async () => moving,
  )
  expect(moved).toEqual([])
  expect(
    await world.sql(`SELECT id FROM facts WHERE 'ben' IN (scope_of, reviewed_by) OR 'ben' = ANY (taught_by)`),
  ).toEqual([])
})
