/** How much of what was said a checkpoint is shown, for models that read little. */
import { expect, test } from 'vitest'
import { summarisedChars } from '../../src/core/dialogue.ts'
import { loadSpan } from '../../src/knowledge/checkpoints/load-span.ts'
import { must } from '../../src/platform/must.ts'
import { createWorld } from '../intake/intake-world.ts'
import { fillSession } from '../harness/long-history.ts'

const ID = 'cli:long'

test('no more than twice what other agents are shown, of the newest as much as fits', async () => {
  await using world = await createWorld()
  await fillSession((sql, values) => world.sql(sql, ...values), { id: ID, turns: 60 })
  await world.sql(`UPDATE messages SET content = repeat('a gate ', 400) WHERE session_id = '${ID}'`)
  const load = async (maxChars: number) => {
    const span = must(await loadSpan(world.context.database, { sessionId: ID, maxChars }), 'a span')
    const { messages, leftOut } = span.context
    return { count: messages.length, leftOut, toSeq: span.toSeq, chars: JSON.stringify(messages).length }
  }
  // As many as ever where nothing is set, and some for a model that reads next to nothing.
  expect(await load(summarisedChars(8000))).toMatchObject({ count: 21, leftOut: true })
  const little = await load(summarisedChars(1000))
  expect(little).toMatchObject({ count: 2, leftOut: true, toSeq: 59 * 20 + 1 })
  await world.sql(`UPDATE tasks SET output = repeat('a gate ', 1000) WHERE session_id = '${ID}' AND type = 'MSG'`)
  await world.sql(`UPDATE messages SET content = repeat('a gate ', 1000) WHERE session_id = '${ID}'`)
  const { count, chars } = await load(1000)
  expect(count).toBe(1)
  expect(chars).toBeLessThan(1_500)
})
