/**
 * Budgets: a turn whose user or session has used up the day's tokens waits without a worker, and goes on from where it
 * was.
 */
import { writeFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configPath } from '../../src/config/load-config.ts'
import { ApiClient, type Watch } from '../harness/api-client.ts'
import { select } from '../harness/plugins.ts'
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

/** What one test uses up of a user's day is not there for another: tests on one server have users of their own. */
const MORE_USERS = ['dora', 'eve', 'fay', 'gus'].map(
  (name) => `[users.${name}]
role = "user"
skills = []
[tokens.${name}]
kind = "user"
user = "${name}"
token = "${name}-token-for-the-story"
`,
)

const budgets = (lines: string): StoryConfig => ({ toml: `[budgets]\n${lines}\n${MORE_USERS.join('')}` })
const SPENT = budgets('user_tokens_per_day = 1')
const RAISED = budgets('user_tokens_per_day = 1000000')

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: RAISED })
})
afterAll(() => story?.[Symbol.asyncDispose]())

const another = (name: 'dora' | 'eve' | 'fay' | 'gus'): ApiClient =>
  new ApiClient(story.app.url, `${name}-token-for-the-story`)

type Log = Watch<WatchSessionSubscription>
type Turn = NonNullable<TurnQuery['turn']>

/** The turn's id, once it waits. */
async function pausedTurn(watch: Log): Promise<string> {
  const { sessionEvents } = await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent')
  return sessionEvents.turnId ?? ''
}

/** A transaction that has run the statement, on a connection of its own, and is still open. */
async function holding(text: string, ...values: string[]): Promise<AsyncDisposable & { readonly client: pg.Client }> {
  const client = new pg.Client({ connectionString: story.databaseUrl })
  await client.connect()
  await client.query('BEGIN')
  await client.query(text, values)
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

/** The commit that pauses a turn of this session waits for an advisory lock. */
const PAUSE_WAITS = `
  CREATE FUNCTION pause_waits() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END';
  CREATE TRIGGER pause_waits BEFORE UPDATE ON turns FOR EACH ROW
    WHEN (NEW.paused_at IS NOT NULL AND NEW.session_id = '@gus:meanwhile') EXECUTE FUNCTION pause_waits()`

/** Not for a transaction: there, pg_stat_activity stays as it was first read. */
const CANCEL_WHAT_WAITS = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE 'UPDATE sessions s SET ready_at%'`

async function readTurn(place: Story, id: string): Promise<Turn> {
  const { turn } = await place.as('ada').run(TurnDocument, { id })
  if (turn == null) throw new Error(`no turn ${id}`)
  return turn
}

async function callsOf(turnId: string): Promise<string[]> {
  const filter = { turnId, kind: ['MODEL_CALL' as const] }
  const { audit } = await story.as('ada').run(AuditDocument, { first: 100, filter })
  return audit.edges.map(({ node }) => (node.__typename === 'ModelCallAudit' ? node.role : '')).toReversed()
}

function seqs(watch: Log): number[] {
  return watch.received.map(({ sessionEvents }) => sessionEvents.seq)
}

test('a turn waits where it is when the budget is used up, and goes on when it is raised; nothing is done twice', async () => {
  await using _spent = await story.reconfigureForNow(storyConfig(SPENT))
  const ben = story.as('ben')
  await send(ben, '@ben:spent', 'hello')
  await using watch = watchAll(ben, '@ben:spent')
  const id = await pausedTurn(watch)
  expect(await readTurn(story, id)).toMatchObject({
    status: 'RUNNING',
    pausedReason: expect.stringContaining('The budget of user ben (1 tokens a day) is used up for today.') as string,
    plans: [{}],
  })
  expect(await callsOf(id)).toEqual(['planner'])
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
  expect(await callsOf(id)).toEqual(['planner', 'messenger'])
  expect(eventsOf(watch, 'TurnPausedEvent')).toHaveLength(1)
  expect(seqs(watch)).toEqual([...seqs(watch)].sort((a, b) => a - b))
})

test('a command that was run is not run again after the pause', async () => {
  await using _spent = await story.reconfigureForNow(storyConfig(budgets('session_tokens_per_day = 1')))
  const ada = story.as('ada')
  const mark = story.path('mark')
  await send(ada, 'cli:once', `run: echo x >> ${mark}; cat ${mark}`)
  await using watch = watchAll(ada, 'cli:once')
  const id = await pausedTurn(watch)
  expect((await readTurn(story, id)).pausedReason).toContain('this session (1 tokens a day)')
  await story.reconfigure(storyConfig(RAISED))
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  const { tasks } = await readTurn(story, id)
  expect(tasks.find(({ type }) => type === 'EXEC')).toMatchObject({ status: 'DONE', output: 'x\n' })
})

test('cancelTurn ends a turn that waits at once, and the next one follows', async () => {
  const exceptCleo = 'user_tokens_per_day = 1\n[budgets.users.cleo]\ntokens_per_day = "unlimited"'
  await using _spent = await story.reconfigureForNow(storyConfig(budgets(exceptCleo)))
  const dora = another('dora')
  await send(dora, '@dora:cancel', 'hello')
  await using watch = watchAll(dora, '@dora:cancel')
  const id = await pausedTurn(watch)
  await send(dora, '@dora:cancel', 'hello again')
  const { cancelTurn } = await dora.run(CancelTurnDocument, { sessionId: '@dora:cancel' })
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

test('after a restart a turn that waits goes on with a higher budget, in whichever process; one that was paused in the moment in which a user cancelled it, by a process that died of it, ends at once', async () => {
  await using place = await Story.begin({ config: SPENT })
  const ben = place.as('ben')
  const paused = async (sessionId: string) => {
    await send(ben, sessionId, 'hello')
    await using watch = watchAll(ben, sessionId)
    const id = await pausedTurn(watch)
    return { id, after: seqs(watch).at(-1) ?? 0 }
  }
  const [waiting, both] = [await paused('@ben:restart'), await paused('@ben:both')]
  await place.app.stop()
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  await client.query('UPDATE turns SET cancel_requested = true WHERE id = $1', [both.id])
  await client.end()
  {
    await using same = await Story.begin({ beside: place })
    await using ended = watchAll(same.as('ben'), '@ben:both', both.after)
    expect(await turnEnd(ended)).toMatchObject({ turnId: both.id, turnStatus: 'CANCELLED' })
    expect(await readTurn(same, waiting.id)).toMatchObject({
      status: 'RUNNING',
      pausedAt: expect.any(String) as string,
    })
    await same.app.stop()
  }
  await writeFile(place.path('config.toml'), storyConfig(RAISED))
  await using next = await Story.begin({ beside: place })
  await using again = watchAll(next.as('ben'), '@ben:restart', waiting.after)
  expect(await turnEnd(again)).toMatchObject({ turnId: waiting.id, turnStatus: 'DONE' })
  const isPause = (event: SessionEventData): boolean => event.__typename === 'TurnPausedEvent'
  expect(again.received.some(({ sessionEvents }) => isPause(sessionEvents))).toBe(false)
})

test('turns go on with a higher budget though the session of another one is held by a transaction', async () => {
  await using _spent = await story.reconfigureForNow(storyConfig(SPENT))
  const eve = another('eve')
  const [held, free] = ['@eve:held', '@eve:free']
  for (const sessionId of [held, free]) await send(eve, sessionId, 'hello')
  await using ofHeld = watchAll(eve, held)
  await using ofFree = watchAll(eve, free)
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

test('a turn whose session is held for longer than a statement may wait goes on with a higher budget all the same', async () => {
  await using _spent = await story.reconfigureForNow(storyConfig(SPENT))
  const fay = another('fay')
  await send(fay, '@fay:long', 'hello')
  await using watch = watchAll(fay, '@fay:long')
  await pausedTurn(watch)
  await using held = await holding('SELECT FROM sessions WHERE id = $1 FOR UPDATE', '@fay:long')
  await story.reconfigure(storyConfig(RAISED))
  // As when it has waited for 30 s.
  await expect.poll(() => select(story, CANCEL_WHAT_WAITS)).toHaveLength(1)
  await held.client.query('ROLLBACK')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
})

test('a turn that is paused in the moment in which the budget is raised goes on', async () => {
  await using _spent = await story.reconfigureForNow(storyConfig(SPENT))
  const gus = another('gus')
  await send(gus, '@gus:before', 'hello')
  await using before = watchAll(gus, '@gus:before')
  await pausedTurn(before)
  const client = new pg.Client({ connectionString: story.databaseUrl })
  await client.connect()
  await client.query(PAUSE_WAITS)
  await client.end()
  await using held = await holding('SELECT pg_advisory_xact_lock(4711)')
  await using watch = watchAll(gus, '@gus:meanwhile')
  await send(gus, '@gus:meanwhile', 'hello')
  const waits = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted`
  await expect.poll(() => held.client.query(waits).then(({ rowCount }) => rowCount)).toBe(1)
  await story.reconfigure(storyConfig(RAISED))
  // Whatever was found to wait then goes on.
  expect(await turnEnd(before)).toMatchObject({ turnStatus: 'DONE' })
  await held.client.query('ROLLBACK')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(eventsOf(watch, 'TurnPausedEvent')).toHaveLength(1)
})
