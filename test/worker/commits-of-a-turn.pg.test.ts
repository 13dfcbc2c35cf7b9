/** A short turn in an idle session is four commits, of which the first takes the message in and begins the turn. */
import { expect, test } from 'vitest'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { LINGER_MS } from '../../src/turn/journal.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { recordStatements } from '../contract/record-statements.ts'
import { converse, Story } from '../harness/story.ts'

/** What lingers is committed by the next barrier alone: how many commits there are does not depend on the machine. */
const never: Pick<Clock, 'after'> = {
  after: (ms, action) => (ms === LINGER_MS ? () => {} : systemClock.after(ms, action)),
}
/** Every change of a session commits with its event. */
const COMMIT = /INSERT INTO\s+events\b/

test('the message, the command that begins, the command that has ended, and the end', async () => {
  await using story = await Story.begin({ clock: never })
  const ada = story.as('ada')
  await converse(ada, 'cli:short', 'run: echo one\nDone')
  // While a claim is under way (each poll makes one) a message only waits, and the turn begins by a commit of its own.
  let kinds = await kindsOf(ada)
  while (kinds.includes(BEGINS_LATER)) kinds = await kindsOf(ada)
  expect(kinds).toEqual(['accepted AS', 'w_fence AS', 'w_fence AS', 'w_fence AS'])
})

const BEGINS_LATER = 'starting AS'

async function kindsOf(client: ApiClient): Promise<string[]> {
  const statements = await recordStatements(() => converse(client, 'cli:short', 'run: echo two\nDone'))
  return statements
    .filter((text) => COMMIT.test(text))
    .map((text) => /accepted AS|w_fence AS|starting AS/.exec(text)?.[0] ?? text)
}
