/** `cancelTurn` reaches a turn that runs in another process, by notification or poll, and touches no other turn. */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from '../harness/api-client.ts'
import { eventsOf, send, Story, turnEnd, watchAll } from '../harness/story.ts'
import { runAsAdmin } from '../harness/database.ts'
import { CancelTurnDocument, TurnDocument } from '../generated/graphql.ts'

/** A command that would run for ten minutes is ended long before a test gives up. */
const ENDLESS = 'run: echo begun; sleep 600'

let here: Story
beforeAll(async () => {
  here = await Story.begin()
})
afterAll(() => here?.[Symbol.asyncDispose]())

async function cancel(client: ApiClient, sessionId: string): Promise<string> {
  const { cancelTurn } = await client.run(CancelTurnDocument, { sessionId })
  if (cancelTurn.__typename !== 'CancelTurnPayload') throw new Error(JSON.stringify(cancelTurn))
  return cancelTurn.turn.id
}

/** A turn runs its endless command in `here`; `there` is another process on the same database, started after that. */
async function playEndless(sessionId: string, content: string) {
  await send(here.as('ada'), sessionId, content)
  const watch = watchAll(here.as('ada'), sessionId)
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  return watch
}

test('a command that runs in another process is ended, and the next message follows', async () => {
  await using watch = await playEndless('cli:elsewhere', `${ENDLESS}\nrun: echo never`)
  await using there = await Story.begin({ beside: here })
  await send(there.as('ada'), 'cli:elsewhere', 'run: echo next')
  const turnId = await cancel(there.as('ada'), 'cli:elsewhere')

  expect(await turnEnd(watch)).toMatchObject({ turnId, turnStatus: 'CANCELLED', failure: null })
  const { turn } = await there.as('ada').run(TurnDocument, { id: turnId })
  expect(turn).toMatchObject({ status: 'CANCELLED', cancelRequested: true, message: { status: 'CANCELLED' } })
  expect(turn?.tasks).toMatchObject([
    { status: 'CANCELLED', output: 'begun\n', stderr: 'The command was cancelled.' },
    { status: 'CANCELLED', startedAt: null },
    { type: 'MSG', status: 'CANCELLED', startedAt: null },
  ])
  expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
})

test('also when the notification is lost', async () => {
  await using watch = await playEndless('cli:lost', ENDLESS)
  await runAsAdmin(here.databaseUrl, `UPDATE turns SET cancel_requested = true WHERE session_id = 'cli:lost'`)
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'CANCELLED' })
})

test('a notification of a turn that has ended meanwhile does not end the one that runs now', async () => {
  const go = here.path('go')
  await using watch = await playEndless('cli:late', `run: until [ -e ${go} ]; do echo tick; sleep 0.05; done`)
  const notifications = [{ kind: 'cancel', sessionId: 'cli:late', turnId: 'turn_that_ended_before' }]
  await runAsAdmin(
    here.databaseUrl,
    `SELECT pg_notify('factotum_notifications', '${JSON.stringify({ from: 'test', notifications })}')`,
  )
  const heard = eventsOf(watch, 'TaskOutputEvent').length
  await expect.poll(() => eventsOf(watch, 'TaskOutputEvent').length).toBeGreaterThan(heard + 5)
  await writeFile(go, '')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
})
