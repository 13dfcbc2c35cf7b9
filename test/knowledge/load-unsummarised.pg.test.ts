/** How much of what was said is summarised at once, after a time in which no summary could be made. */
import { expect, test } from 'vitest'
import { summarisedChars } from '../../src/core/dialogue.ts'
import { loadUnsummarised } from '../../src/knowledge/load-unsummarised.ts'
import { must } from '../../src/platform/must.ts'
import { createWorld } from '../intake/intake-world.ts'
import { fillSession } from '../harness/long-history.ts'

test('no more than twice what other agents are shown; the rest comes with the next summary', async () => {
  await using world = await createWorld()
  await fillSession((sql, values) => world.sql(sql, ...values), { id: 'cli:long', turns: 60 })
  await world.sql(`UPDATE sessions SET summary_seq = 0 WHERE id = 'cli:long'`)
  await world.sql(`UPDATE messages SET content = repeat('a gate ', 400) WHERE session_id = 'cli:long'`)
  const load = async (contextTokens: number) => {
    const maxChars = summarisedChars(contextTokens)
    const wanted = { sessionId: 'cli:long', seq: 1_000_000, keepLast: 5, keepBytes: 2 * contextTokens, maxChars }
    return must(await loadUnsummarised(world.context.database, wanted), 'messages that are in no summary')
  }
  const { messages, toSeq } = await load(2000)
  expect(messages).toHaveLength(5)
  await world.sql(`UPDATE sessions SET summary_seq = $1 WHERE id = 'cli:long'`, toSeq)
  expect(await load(2000)).toMatchObject({ fromSeq: toSeq })
  // As many as ever where nothing is set, and some for a model that reads next to nothing.
  expect((await load(8000)).messages).toHaveLength(21)
  expect((await load(0)).messages).toHaveLength(2)
})
