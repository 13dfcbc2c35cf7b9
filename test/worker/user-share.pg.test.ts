/**
 * Of one user only so many turns run at a time, in all processes together. What waits for a place delays nobody else,
 * costs a claim nothing, and goes on in its own order as places become free.
 */
import { beforeEach, afterEach, expect, test } from 'vitest'
import type { IntakeContext } from '../../src/intake/intake-context.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { beginTurn, takeSession } from '../../src/store/turn/begin-turn.ts'
import { Claimer } from '../../src/store/turn/claim-sessions.ts'
import { Database } from '../../src/store/database.ts'
import type { Lease } from '../../src/store/turn/lease.ts'
import { releaseSession } from '../../src/store/turn/work-queue.ts'
import { createWorld, type World } from '../intake/intake-world.ts'

const SHARE = 3
const LIMITS = { summarizeThreshold: 30, maxRunningPerUser: SHARE }

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

type Name = 'alice' | 'bob' | 'carol'

/** Messages in sessions of their own, each later than the one before. */
async function say(name: Name, count: number, from = 0): Promise<void> {
  for (let n = from; n < from + count; n += 1)
    await sendMessage(world.context, world.as(name), { sessionId: `@${name}:${n}`, content: 'x' })
}

async function claim(node: number, limit: number, share = SHARE): Promise<{ ids: string[]; left: boolean }> {
  const owned = await world.sql<{ id: string }>('SELECT id FROM sessions WHERE owner = $1', node)
  const claimer = new Claimer(world.context.database)
  const { leases, left } = await claimer.claim(node, { limit, held: owned.map(({ id }) => id), share })
  return { ids: leases.map(({ sessionId }) => sessionId).sort(), left }
}

const leaseOf = async (sessionId: string): Promise<Lease> => {
  const [row] = await world.sql<Lease>(
    'SELECT id AS "sessionId", owner AS node, epoch FROM sessions WHERE id = $1',
    sessionId,
  )
  if (row === undefined) throw new Error(`no session ${sessionId}`)
  return row
}

/** As after the end of its last turn. */
async function end(sessionId: string): Promise<void> {
  await world.sql(`UPDATE turns SET status = 'DONE' WHERE session_id = $1`, sessionId)
  await world.sql(
    'UPDATE sessions SET owner = NULL, turn_user = NULL, ready_at = NULL, queue_length = 0 WHERE id = $1',
    sessionId,
  )
}

const running = async (): Promise<Record<string, number>> => {
  const rows = await world.sql<{ turn_user: string; count: number }>(
    'SELECT turn_user, count(*)::int AS count FROM sessions WHERE owner IS NOT NULL GROUP BY turn_user ORDER BY turn_user',
  )
  return Object.fromEntries(rows.map(({ turn_user, count }) => [turn_user, count]))
}

test('of a user who has much to do no node claims more than their share, and others are claimed before it', async () => {
  await say('alice', 8)
  await say('bob', 1)
  expect(await claim(1, 32)).toEqual({ ids: ['@alice:0', '@alice:1', '@alice:2', '@bob:0'], left: true })
  expect(await claim(2, 32)).toEqual({ ids: [], left: true })
  await say('carol', 1)
  expect(await claim(2, 32)).toEqual({ ids: ['@carol:0'], left: true })
  await end('@alice:1')
  expect(await claim(2, 32)).toEqual({ ids: ['@alice:3'], left: true })
  for (const id of ['@alice:0', '@alice:2', '@alice:3']) await end(id)
  expect(await claim(1, 32)).toEqual({ ids: ['@alice:4', '@alice:5', '@alice:6'], left: true })
  await end('@alice:4')
  expect(await claim(1, 32)).toEqual({ ids: ['@alice:7'], left: false })
})

test('who has fewer turns running comes first; among equals, who has waited longer', async () => {
  await say('alice', 4)
  await claim(1, 2)
  await say('carol', 2)
  await say('bob', 2)
  const order: string[] = []
  for (let n = 0; n < 5; n += 1) order.push(...(await claim(1, 1)).ids)
  expect(order).toEqual(['@carol:0', '@bob:0', '@carol:1', '@bob:1', '@alice:2'])
})

/** Sends to a worker that has a slot. Returns whether the turn has begun with it. */
async function begins(sessionId: string, node = 1): Promise<boolean> {
  const { context } = world
  const current = context.config.current()
  const limited = { ...current, settings: { ...current.settings, maxRunningPerUser: SHARE } }
  let taken = false
  const worker: IntakeContext['worker'] = {
    takeWith: async (_sessionId, accept) => {
      const result = await accept({ node })
      taken = result.kind === 'Accepted' && result.taken !== null
      return result
    },
  }
  const [name] = sessionId.slice(1).split(':') as [Name]
  const config = { ...context.config, current: () => limited }
  const input = { sessionId, content: 'x' }
  expect(await sendMessage({ ...context, worker, config }, world.as(name), input)).toMatchObject({ kind: 'Accepted' })
  return taken
}

test('a message begins no turn beyond the share, nor before what its user has waiting', async () => {
  const sent: boolean[] = []
  for (let n = 0; n < 5; n += 1) sent.push(await begins(`@alice:${n}`))
  expect(sent).toEqual([true, true, true, false, false])
  expect(await begins('@bob:0')).toBe(true)
  // A place is free, and "@alice:3" has waited longer.
  await end('@alice:0')
  expect(await begins('@alice:5')).toBe(false)
  const take = (sessionId: string) =>
    takeSession(world.context.database, { sessionId, node: 1 }, { at: new Date(), limits: LIMITS })
  expect(await take('@alice:5')).toBeNull()
  expect((await take('@alice:3'))?.lease).toMatchObject({ node: 1 })
  expect(await take('@alice:4')).toBeNull()
  expect(await running()).toEqual({ alice: SHARE, bob: 1 })
})

test('messages, claims and takers at the same moment do not exceed the share together', async () => {
  const { database } = world.context
  for (let round = 0; round < 15; round += 1) {
    await world.sql('DELETE FROM sessions')
    const at = new Date()
    await Promise.all([
      ...Array.from({ length: 6 }, (_, n) => begins(`@alice:${n}`, n)),
      ...[1, 2].map((n) => takeSession(database, { sessionId: `@alice:${n}`, node: 7 }, { at, limits: LIMITS })),
      new Claimer(database).claim(8, { limit: 4, held: [], share: SHARE }),
    ])
    const { alice = 0 } = await running()
    expect(alice).toBeLessThanOrEqual(SHARE)
    await claim(9, 10)
    expect(await running()).toEqual({ alice: SHARE })
  }
})

test('the next turn of a group is of a user without a place: the session waits for one, and others go on', async () => {
  await say('alice', SHARE)
  await claim(1, 10)
  await world.sql(
    `INSERT INTO sessions (id, source_kind, source_interactive, source_type) VALUES ('discord:g', 'discord', true, 'GROUP')`,
  )
  for (const name of ['bob', 'alice'] as const) {
    await world.sql(`INSERT INTO participants (session_id, user_name) VALUES ('discord:g', $1)`, name)
    const message = { sessionId: 'discord:g', content: 'x', mentioned: true }
    await sendMessage(world.context, world.as(name), message)
  }
  expect((await claim(1, 10)).ids).toEqual(['discord:g'])
  const lease = await leaseOf('discord:g')
  const at = new Date()
  const first = await beginTurn(world.context.database, lease, { at, limits: LIMITS })
  expect(first).toMatchObject({ kind: 'Begun', turn: { userName: 'bob' } })
  await world.sql(`UPDATE turns SET status = 'DONE' WHERE session_id = 'discord:g' AND user_name = 'bob'`)

  expect(await beginTurn(world.context.database, lease, { at, limits: LIMITS })).toEqual({ kind: 'Nothing' })
  await releaseSession(world.context.database, lease, { unfinished: false, delayMs: 0 })
  expect(await claim(1, 10)).toEqual({ ids: [], left: true })
  await say('bob', 1)
  expect(await claim(1, 10)).toEqual({ ids: ['@bob:0'], left: true })
  await end('@alice:0')
  expect(await claim(1, 10)).toEqual({ ids: ['discord:g'], left: false })
  expect(await running()).toEqual({ alice: SHARE, bob: 1 })
})

test('a turn that goes on after a pause needs a place like any other; one whose end is wanted does not', async () => {
  await say('alice', SHARE + 2)
  const pause = (id: string, cancelled: boolean) =>
    world.sql(
      `WITH t AS (UPDATE turns SET status = 'RUNNING', paused_at = now(), cancel_requested = $2 WHERE session_id = $1)
       UPDATE sessions SET turn_user = NULL, queue_length = 0, status = 'RUNNING' WHERE id = $1`,
      id,
      cancelled,
    )
  await pause('@alice:3', false)
  await pause('@alice:4', true)
  expect(await claim(1, 10)).toEqual({ ids: ['@alice:0', '@alice:1', '@alice:2', '@alice:4'], left: true })
  await end('@alice:0')
  expect(await claim(1, 10)).toEqual({ ids: ['@alice:3'], left: false })
})

test('more users wait than a claim reads: each of them comes, one after another', async () => {
  const USERS = 250
  await fill(USERS, { sessions: 2, user: `'user' || lpad(u::text, 4, '0')` })
  const claimer = new Claimer(world.context.database)
  const held: string[] = []
  while (held.length < 2 * USERS) {
    const { leases } = await claimer.claim(1, { limit: 1, held, share: 2 })
    expect(leases).toHaveLength(1)
    held.push(...leases.map(({ sessionId }) => sessionId))
  }
  expect(new Set(held).size).toBe(2 * USERS)
  expect((await claimer.claim(1, { limit: 1, held, share: 2 })).leases).toEqual([])
  // With the last of the first round, nobody has had to wait for anybody's second but within a part of the users.
  const firstOf = new Map<string, number>()
  held.forEach((id, index) => firstOf.set(id.slice(0, -2), Math.min(index, firstOf.get(id.slice(0, -2)) ?? index)))
  expect(Math.max(...firstOf.values())).toBeLessThan(1.5 * USERS)
})

/** Sessions with a message that waits, of `users` users. */
async function fill(users: number, { sessions, user }: { sessions: number; user: string }): Promise<void> {
  await world.sql(
    `INSERT INTO sessions (id, source_kind, source_interactive, queue_length, last_seq, ready_at, turn_user)
     SELECT ${user} || ':' || s, 'web', true, 1, 1, now() - interval '1 hour' + s * interval '1 millisecond', ${user}
     FROM generate_series(1, $1::int) u, generate_series(1, $2::int) s`,
    users,
    sessions,
  )
  await world.sql(
    `INSERT INTO messages (id, session_id, seq, role, content, trusted, status, client, created_at)
     SELECT 'msg_' || id, id, 1, 'USER', 'x', true, 'QUEUED', 'web', now() FROM sessions`,
  )
  await world.sql(
    `INSERT INTO turns (id, session_id, seq, message_id, user_name, created_at)
     SELECT 'turn_' || id, id, 1, 'msg_' || id, turn_user, now() FROM sessions`,
  )
}

test('a claim reads as many rows with 10 000 sessions of one user waiting as with 100', async () => {
  const rowsOfClaim = async (): Promise<number> => {
    await world.sql('ANALYZE sessions')
    await world.sql('ANALYZE turns')
    const logger = createLogger({ level: 'silent', pretty: false })
    const database = new Database({ url: world.context.database.url, maxConnections: 1, logger })
    const sql = <Row extends object>(text: string) => database.query<Row>({ name: '', text }, [])
    try {
      await sql('BEGIN')
      const { leases } = await new Claimer(database).claim(2, { limit: 32, held: [], share: SHARE })
      expect(leases.map(({ sessionId }) => sessionId)).toEqual(['@bob:0'])
      const [row] = await sql<{ count: number }>(
        'SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS count FROM pg_stat_xact_user_tables',
      )
      await sql('ROLLBACK')
      return row?.count ?? 0
    } finally {
      await database.close()
    }
  }
  await fill(1, { sessions: 100, user: `'alice'` })
  await claim(1, 32)
  await say('bob', 1)
  const few = await rowsOfClaim()
  await world.sql(
    `INSERT INTO sessions (id, source_kind, source_interactive, queue_length, last_seq, ready_at, turn_user)
     SELECT '@alice:more' || s, 'web', true, 1, 1, now() - interval '1 day', 'alice' FROM generate_series(1, 10000) s`,
  )
  const many = await rowsOfClaim()
  expect(few).toBeGreaterThan(0)
  expect(many).toBeLessThanOrEqual(few * 1.1)
})
