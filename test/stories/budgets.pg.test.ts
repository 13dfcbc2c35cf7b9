/**
 * Budgets: a turn whose user or session has used up the day's tokens waits without a worker, and goes on from where it
 * was.
 */
import { writeFile } from 'node:fs/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { configPath } from '../../src/config/load-config.ts'
import type { Watch } from '../harness/api-client.ts'
import {
  eventsOf,
  send,
  Story,
  storyConfig,
  turnEnd,
  watchAll,
  type SessionEventData,
  type StoryConfig,
} from '../harness/story.ts'
import {
  AuditDocument,
  CancelTurnDocument,
  SessionDocument,
  TurnDocument,
  type TurnQuery,
  type WatchSessionSubscription,
} from '../generated/graphql.ts'

const SPENT: StoryConfig = { toml: '[budgets]\nuser_tokens_per_day = 1\n' }
const RAISED: StoryConfig = { toml: '[budgets]\nuser_tokens_per_day = 1000000\n' }

type Log = Watch<WatchSessionSubscription>
type Turn = NonNullable<TurnQuery['turn']>

/** The turn's id, once it waits. */
async function pausedTurn(watch: Log): Promise<string> {
  const { sessionEvents } = await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent')
  return sessionEvents.turnId ?? ''
}

async function readTurn(story: Story, id: string): Promise<Turn> {
  const { turn } = await story.as('ada').run(TurnDocument, { id })
  if (turn == null) throw new Error(`no turn ${id}`)
  return turn
}

async function callsOf(story: Story, turnId: string): Promise<string[]> {
  const filter = { turnId, kind: ['MODEL_CALL' as const] }
  const { audit } = await story.as('ada').run(AuditDocument, { first: 100, filter })
  return audit.edges.map(({ node }) => (node.__typename === 'ModelCallAudit' ? node.role : '')).toReversed()
}

function seqs(watch: Log): number[] {
  return watch.received.map(({ sessionEvents }) => sessionEvents.seq)
}

test('a turn waits where it is when the budget is used up, and goes on when it is raised; nothing is done twice', async () => {
  await using story = await Story.begin({ config: SPENT })
  const ben = story.as('ben')
  await send(ben, '@ben:spent', 'hello')
  await using watch = watchAll(ben, '@ben:spent')
  const id = await pausedTurn(watch)
  expect(await readTurn(story, id)).toMatchObject({
    status: 'RUNNING',
    pausedReason: expect.stringContaining('The budget of user ben (1 tokens a day) is used up for today.') as string,
    plans: [{}],
  })
  expect(await callsOf(story, id)).toEqual(['planner'])
  const [paused] = eventsOf(watch, 'TurnPausedEvent')
  expect(paused?.until).toMatch(/T00:00:0\d\.\d{3}Z$/)
  const { audit } = await story.as('ada').run(AuditDocument, { filter: { turnId: id, kind: ['SESSION'] } })
  expect(audit.edges).toMatchObject([{ node: { sessionChange: 'TURN_PAUSED', actor: { name: 'ben' } } }])

  await send(ben, '@ben:spent', 'and another thing')
  const { session } = await ben.run(SessionDocument, { id: '@ben:spent' })
  expect(session).toMatchObject({ status: 'RUNNING', queueLength: 1 })
  expect(eventsOf(watch, 'TurnPausedEvent')).toHaveLength(1)

  // Both processes see that there is more, and one of them goes on.
  await using beside = await Story.begin({ beside: story })
  await writeFile(configPath(story.home), storyConfig(RAISED))
  await Promise.all([story.app.reloadConfig(), beside.app.reloadConfig()])
  expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
  expect(await readTurn(story, id)).toMatchObject({ status: 'DONE', pausedAt: null, pausedReason: null, plans: [{}] })
  expect(await callsOf(story, id)).toEqual(['planner', 'messenger'])
  expect(eventsOf(watch, 'TurnPausedEvent')).toHaveLength(1)
  expect(seqs(watch)).toEqual([...seqs(watch)].sort((a, b) => a - b))
})

test('a command that was run is not run again after the pause', async () => {
  await using story = await Story.begin({ config: { toml: '[budgets]\nsession_tokens_per_day = 1\n' } })
  const ada = story.as('ada')
  const mark = story.path('mark')
  await send(ada, 'cli:once', `run: echo x >> ${mark}; cat ${mark}`)
  await using watch = watchAll(ada, 'cli:once')
  const id = await pausedTurn(watch)
  expect((await readTurn(story, id)).pausedReason).toContain('this session (1 tokens a day)')
  await story.reconfigure(storyConfig())
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  const { tasks } = await readTurn(story, id)
  expect(tasks.find(({ type }) => type === 'EXEC')).toMatchObject({ status: 'DONE', output: 'x\n' })
})

test('cancelTurn ends a turn that waits at once, and the next one follows', async () => {
  await using story = await Story.begin({
    config: { toml: '[budgets]\nuser_tokens_per_day = 1\n[budgets.users.cleo]\ntokens_per_day = "unlimited"\n' },
  })
  const ben = story.as('ben')
  await send(ben, '@ben:cancel', 'hello')
  await using watch = watchAll(ben, '@ben:cancel')
  const id = await pausedTurn(watch)
  await send(ben, '@ben:cancel', 'hello again')
  const { cancelTurn } = await ben.run(CancelTurnDocument, { sessionId: '@ben:cancel' })
  expect(cancelTurn.__typename).toBe('CancelTurnPayload')
  expect(await turnEnd(watch)).toMatchObject({ turnId: id, turnStatus: 'CANCELLED' })
  const next = await watch.until(
    ({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent' && event.turnId !== id,
  )
  expect(next.sessionEvents.turnId).not.toBeNull()
  await send(story.as('cleo'), '@cleo:free', 'hello')
  await using free = watchAll(story.as('cleo'), '@cleo:free')
  expect(await turnEnd(free)).toMatchObject({ turnStatus: 'DONE' })
})

test('a turn that waits goes on after a restart with a higher budget, in whichever process', async () => {
  await using place = await Story.begin({ config: SPENT })
  const ben = place.as('ben')
  await send(ben, '@ben:restart', 'hello')
  await using watch = watchAll(ben, '@ben:restart')
  const id = await pausedTurn(watch)
  const after = seqs(watch).at(-1) ?? 0
  await place.app.stop()
  {
    await using same = await Story.begin({ beside: place })
    expect(await readTurn(same, id)).toMatchObject({ status: 'RUNNING', pausedAt: expect.any(String) as string })
    await same.app.stop()
  }
  await writeFile(place.path('config.toml'), storyConfig(RAISED))
  await using next = await Story.begin({ beside: place })
  await using again = watchAll(next.as('ben'), '@ben:restart', after)
  expect(await turnEnd(again)).toMatchObject({ turnId: id, turnStatus: 'DONE' })
  const isPause = (event: SessionEventData): boolean => event.__typename === 'TurnPausedEvent'
  expect(again.received.some(({ sessionEvents }) => isPause(sessionEvents))).toBe(false)
})

test('turns go on with a higher budget though the session of another one is held by a transaction', async () => {
  await using story = await Story.begin({ config: SPENT })
  const ben = story.as('ben')
  const [held, free] = ['@ben:held', '@ben:free']
  for (const sessionId of [held, free]) await send(ben, sessionId, 'hello')
  await using ofHeld = watchAll(ben, held)
  await using ofFree = watchAll(ben, free)
  await Promise.all([ofHeld, ofFree].map(pausedTurn))
  const holding = new pg.Client({ connectionString: story.databaseUrl })
  await holding.connect()
  await holding.query('BEGIN')
  await holding.query('SELECT FROM sessions WHERE id = $1 FOR UPDATE', [held])
  await story.reconfigure(storyConfig(RAISED))
  expect(await turnEnd(ofFree)).toMatchObject({ turnStatus: 'DONE' })
  await holding.end()
  expect(await turnEnd(ofHeld)).toMatchObject({ turnStatus: 'DONE' })
})

test('a turn that was paused in the moment in which a user cancelled it, by a process that died of it, ends at the next start', async () => {
  await using place = await Story.begin({ config: SPENT })
  const ben = place.as('ben')
  await send(ben, '@ben:both', 'hello')
  await using watch = watchAll(ben, '@ben:both')
  const id = await pausedTurn(watch)
  const after = seqs(watch).at(-1) ?? 0
  await place.app.stop()
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  await client.query('UPDATE turns SET cancel_requested = true WHERE id = $1', [id])
  await client.end()
  await using next = await Story.begin({ beside: place })
  await using again = watchAll(next.as('ben'), '@ben:both', after)
  expect(await turnEnd(again)).toMatchObject({ turnId: id, turnStatus: 'CANCELLED' })
})
