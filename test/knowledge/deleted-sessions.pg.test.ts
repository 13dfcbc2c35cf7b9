/** A session is deleted while its facts are merged: both lock in one order, so neither waits for the other for ever. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accessOf } from '../../src/intake/authorize-session.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { deleteIdleSession } from '../../src/store/intake/intake-delete-session.ts'
import type { Editor } from '../../src/store/knowledge/knowledge-edit.ts'
import { storeMergedFacts } from '../../src/store/knowledge/knowledge-fact.ts'
import { createWorld, type World } from '../intake/intake-world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
  await world.sql(
    `INSERT INTO sessions (id, source_kind, source_interactive, opened_by) VALUES ('cli:a', 'cli', true, 'user:alice')`,
  )
  // The last one comes first, as it lies and in the index.
  for (const n of [2, 1])
    await world.sql(
      `INSERT INTO facts (id, content, norm, source, scope, scope_of, session_id, created_at, updated_at)
        VALUES ('fact_' || $1, $1, $1, 'CURATOR', 'SESSION', 'cli:a', 'cli:a', now(), now())`,
      String(n),
    )
})
afterEach(() => world[Symbol.asyncDispose]())

const remove = () => deleteIdleSession(world.context.database, accessOf(world.as('alice')), 'cli:a')
const lock = (on: World, id: string) => on.sql('SELECT id FROM facts WHERE id = $1 FOR UPDATE', id)

/** Until so many transactions wait for a lock; asked outside of these, which see what they saw first. */
async function untilWaiting(count: number): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  while ((await world.sql(waiting)).length < count) await systemClock.sleep(2)
}

test('the deletion locks facts in the order of their ids', async () => {
  let deleting: ReturnType<typeof remove> | undefined
  const [, deleted] = await world.interleave(
    async (merge) => {
      await lock(merge, 'fact_1')
      deleting = remove()
      await untilWaiting(1)
      await lock(merge, 'fact_2')
    },
    async () => deleting,
  )
  expect(deleted).toMatchObject({ deleted: true })
  expect(await world.sql('SELECT id FROM facts WHERE session_id IS NULL ORDER BY id')).toHaveLength(2)
})

test('a merge, which makes a fact of the session, holds the session before the facts', async () => {
  const editor: Editor = { userName: 'alice', tokenName: 'alice', changeId: 'chg_1', at: new Date() }
  const merge = { ids: ['fact_1', 'fact_2'], text: { content: 'Both.', norm: 'both' } }
  let both: Promise<unknown[]> | undefined
  const [, results] = await world.interleave(
    async (other) => {
      await lock(other, 'fact_1')
      const merging = storeMergedFacts(world.context.database, editor, merge)
      await untilWaiting(1)
      both = Promise.all([merging, remove()])
      await untilWaiting(2)
    },
    async () => both,
  )
  expect(results).toMatchObject([{ kind: 'FactChanged' }, { deleted: true }])
  expect(await world.sql('SELECT content FROM facts WHERE invalidated_at IS NULL')).toEqual([{ content: 'Both.' }])
})
