/**
 * What becomes of the sessions and turns of a node that others evict. The nodes of this world hold no lock, so the one
 * that polls first evicts all others.
 */
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TurnWrite } from '../../src/core/turn-write.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { newId } from '../../src/platform/id.ts'
import { must } from '../../src/platform/must.ts'
import { beginTurn, takeSession, type OpenTurn } from '../../src/store/turn/begin-turn.ts'
import { beat, buryNode, evictNodes, freeSessions, leaveNode, registerNode } from '../../src/store/nodes.ts'
import type { Lease } from '../../src/store/turn/lease.ts'
import { commitTurn } from '../../src/store/turn/turn-commit.ts'
import { claimSessions } from '../harness/claim-sessions.ts'
import { createWorld, type World } from '../intake/intake-world.ts'
import { TIMING } from '../../src/config/timing.ts'

const LOST = 2
const SELF = 1

let world: World
beforeEach(async () => {
  world = await createWorld()
  // None of them is silent, however long a test takes.
  await world.sql(`UPDATE nodes SET seen_at = now() + interval '1 hour'`)
})
afterEach(() => world[Symbol.asyncDispose]())

const database = () => world.context.database
const limits = { summarizeThreshold: 3, maxRunningPerUser: 1000 }
const evict = async (unheard: number[] = []) => (await evictNodes(database(), SELF, { ...TIMING, unheard })).evicted
const claim = (node: number, held: string[] = []) => claimSessions(database(), node, { limit: 10, held })

/** A turn that node `LOST` runs, with a command under way or none. */
async function runTurn(
  sessionId: string,
  command: 'RUNNING' | 'DONE' | null,
): Promise<{ lease: Lease; turn: OpenTurn }> {
  await sendMessage(world.context, world.as('alice'), { sessionId, content: 'x' })
  const lease = must(
    (await claim(LOST, [])).find((one) => one.sessionId === sessionId),
    'it is free',
  )
  const begun = await beginTurn(database(), lease, { at: new Date(), limits })
  if (begun.kind === 'Nothing') throw new Error('no open turn')
  if (command !== null) await commitTurn(database(), { lease, turn: begun.turn }, planWith(command))
  return { lease, turn: begun.turn }
}

function planWith(status: 'RUNNING' | 'DONE'): TurnWrite {
  const planId = newId('plan')
  const plan = { id: planId, attempt: 1, goal: 'g', replanReason: null, secretNames: [], createdAt: new Date() }
  const task = {
    id: newId('task'),
    planId,
    index: 0,
    type: 'EXEC',
    detail: 'x',
    skill: null,
    args: null,
    expect: 'e',
  } as const
  return { events: [], plans: [plan], tasks: [{ ...task, patch: { status } }] }
}

const ownersOf = async () =>
  Object.fromEntries(
    (await world.sql<{ id: string; owner: number | null }>('SELECT id, owner FROM sessions')).map(({ id, owner }) => [
      id,
      owner,
    ]),
  )
const deathsOf = async () =>
  Object.fromEntries(
    (await world.sql<{ id: string; deaths: number }>('SELECT session_id AS id, takeovers AS deaths FROM turns')).map(
      ({ id, deaths }) => [id, deaths],
    ),
  )

describe('a node that was evicted', () => {
  beforeEach(async () => void (await evict()))

  test('claims nothing: no waiting session, no free one, and no session with its message', async () => {
    await sendMessage(world.context, world.as('alice'), { sessionId: 'cli:waits', content: 'x' })
    expect(await claim(LOST)).toEqual([])
    expect(await takeSession(database(), { sessionId: 'cli:waits', node: LOST }, { at: new Date(), limits })).toBeNull()
    const worker = {
      takeWith: <Result>(_: string, accept: (start: { readonly node: number } | null) => Promise<Result>) =>
        accept({ node: LOST }),
    }
    const context = { ...world.context, worker }
    for (const content of ['opens the session', 'finds it idle']) {
      await sendMessage(context, world.as('alice'), { sessionId: 'cli:new', content })
      expect(await ownersOf()).toMatchObject({ 'cli:new': null })
      await world.sql(`DELETE FROM messages WHERE session_id = 'cli:new'`)
      await world.sql(`UPDATE sessions SET queue_length = 0, ready_at = NULL WHERE id = 'cli:new'`)
    }
    expect((await claim(SELF)).map(({ sessionId }) => sessionId)).toEqual(['cli:waits'])
  })

  test('learns it from its beat, which changes nothing; and is none for the clock of the database alone', async () => {
    const connection = new Client({ connectionString: database().url })
    await connection.connect()
    await world.sql(`SELECT setval(pg_get_serial_sequence('nodes', 'id'), 9)`)
    const node = await registerNode(connection, { process: null, host: 'here', version: '0.0.0' })
    await world.sql(`UPDATE nodes SET seen_at = now() + interval '1 hour' WHERE id = $1`, node)
    expect((await evict()).map(({ id }) => id)).not.toContain(node)
    expect(await beat(connection, node)).toBe(true)
    await world.sql(`UPDATE nodes SET seen_at = now() - interval '9 s' WHERE id = $1`, node)
    expect((await evict()).map(({ id }) => id)).not.toContain(node)
    const evicted = await evict([node])
    expect(evicted.find(({ id }) => id === node)).toMatchObject({ isSilent: true })
    expect(await beat(connection, node)).toBe(false)
    expect((await evict([node])).find(({ id }) => id === node)).toMatchObject({ isSilent: true })
    await connection.end()
  })

  test('is listed again under no circumstances; who sees it first counts it once', async () => {
    const again = await evict()
    expect(again.filter(({ id }) => id === LOST)).toMatchObject([{ id: LOST, isSilent: false, isMissing: false }])
    await world.sql(`UPDATE nodes SET seen_at = now() - interval '9 s', evicted_at = now() - interval '2 min'`)
    expect((await evict([LOST])).filter(({ id }) => id === LOST)).toMatchObject([
      { id: LOST, isSilent: true, isMissing: true },
    ])
  })
})

describe('the sessions of an evicted node', () => {
  test('are free at once, but for those in which a command may run: these when it is over', async () => {
    await runTurn('cli:thinks', null)
    await runTurn('cli:judges', 'DONE')
    const { lease, turn } = await runTurn('cli:runs', 'RUNNING')
    await evict()
    expect(await freeSessions(database(), [])).toBe(2)
    expect(await ownersOf()).toEqual({ 'cli:thinks': null, 'cli:judges': null, 'cli:runs': LOST })
    // Its own node still writes: nobody else has it.
    await commitTurn(database(), { lease, turn }, { events: [] })
    expect(await freeSessions(database(), [LOST])).toBe(1)
    await expect(commitTurn(database(), { lease, turn }, { events: [] })).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect((await claim(SELF)).map(({ sessionId }) => sessionId).toSorted()).toEqual([
      'cli:judges',
      'cli:runs',
      'cli:thinks',
    ])
  })

  test('stay with it while they are changed', async () => {
    const { lease, turn } = await runTurn('cli:begins', null)
    await evict()
    const begun = world.interleave(
      (uncommitted) => commitTurn(uncommitted.context.database, { lease, turn }, planWith('RUNNING')),
      async () => {
        const freed = await freeSessions(database(), [])
        // It has not waited for them: two that free several sessions at once would deadlock.
        expect(await world.sql(`SELECT 1 FROM tasks WHERE status = 'RUNNING'`)).toEqual([])
        await world.sql(`UPDATE sessions SET description = 'waits' WHERE id = 'cli:begins'`)
        return freed
      },
    )
    expect((await begun)[1]).toBe(0)
    expect(await freeSessions(database(), [])).toBe(0)
    expect(await ownersOf()).toEqual({ 'cli:begins': LOST })
  })

  test('are found also when it took them with its last statement, after it was off the list', async () => {
    await sendMessage(world.context, world.as('alice'), { sessionId: 'cli:last', content: 'x' })
    await world.sql('UPDATE sessions SET owner = 77')
    expect((await evict()).filter(({ id }) => id === 77)).toHaveLength(1)
    expect(await freeSessions(database(), [])).toBe(1)
  })
})

describe('a death counts', () => {
  test('against the turns that ran a command, when the node has died', async () => {
    await runTurn('cli:thinks', null)
    await runTurn('cli:runs', 'RUNNING')
    await evict()
    expect(await deathsOf()).toEqual({ 'cli:thinks': 0, 'cli:runs': 0 })
    await buryNode(database(), LOST)
    await buryNode(database(), LOST)
    expect(await deathsOf()).toEqual({ 'cli:thinks': 0, 'cli:runs': 1 })
  })

  test('against all turns of a node that ran no command: one of them may have crashed it', async () => {
    await runTurn('cli:one', null)
    await runTurn('cli:two', 'DONE')
    await evict()
    await buryNode(database(), LOST)
    expect(await deathsOf()).toEqual({ 'cli:one': 1, 'cli:two': 1 })
  })

  test('not when the node was only cut off, and leaves by itself: its sessions are free, and it is off the list', async () => {
    await runTurn('cli:runs', 'RUNNING')
    await evict()
    await leaveNode(database(), LOST, { hasDied: false })
    await buryNode(database(), LOST)
    expect(await deathsOf()).toEqual({ 'cli:runs': 0 })
    expect(await ownersOf()).toEqual({ 'cli:runs': null })
    expect((await evict()).map(({ id }) => id)).not.toContain(LOST)
  })

  test('and what is just being changed does not keep it on the list, and is freed by the next one to poll', async () => {
    await runTurn('cli:runs', 'RUNNING')
    await runTurn('cli:changes', 'RUNNING')
    await evict()
    const changing = new Client({ connectionString: database().url })
    await changing.connect()
    await changing.query('BEGIN')
    await changing.query(`SELECT FROM sessions WHERE id = 'cli:changes' FOR UPDATE`)
    await leaveNode(database(), LOST, { hasDied: false })
    expect(await ownersOf()).toEqual({ 'cli:runs': null, 'cli:changes': LOST })
    await changing.end()
    expect((await evict()).map(({ id }) => id)).toContain(LOST)
    expect(await freeSessions(database(), [])).toBe(1)
    expect(await ownersOf()).toEqual({ 'cli:runs': null, 'cli:changes': null })
  })

  test('when the node hung for longer than others wait, and says so itself', async () => {
    await runTurn('cli:runs', 'RUNNING')
    await evict()
    await leaveNode(database(), LOST, { hasDied: true })
    expect(await deathsOf()).toEqual({ 'cli:runs': 1 })
  })

  test('not for a node that nobody evicted, which stays in the list', async () => {
    await runTurn('cli:runs', 'RUNNING')
    await buryNode(database(), LOST)
    expect(await world.sql('SELECT id FROM nodes WHERE id = $1', LOST)).toHaveLength(1)
    await leaveNode(database(), LOST, { hasDied: true })
    expect(await deathsOf()).toEqual({ 'cli:runs': 0 })
  })
})
