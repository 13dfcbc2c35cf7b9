/**
 * Another node, for neighbour.ts: holds the lease of a session and commits events to it as a running turn does, through
 * the store, the feed and the doorbell; the server under test hears of them by NOTIFY and reads them from the log.
 */
import pg from 'pg'
import { Doorbell } from '../src/events/doorbell.ts'
import { Feed } from '../src/events/feed.ts'
import { systemClock as clock } from '../src/platform/clock.ts'
import { newId } from '../src/platform/id.ts'
import { createLogger } from '../src/platform/logger.ts'
import { Database } from '../src/store/database.ts'
import type { Lease, TurnRef } from '../src/store/turn/lease.ts'
import { commitTurn } from '../src/store/turn/turn-commit.ts'
import { registerNode } from '../src/store/nodes.ts'
import { timedText } from './crowd.ts'
import { serveParent } from './helper-process.ts'
import { TIMING } from '../src/config/timing.ts'

interface Node {
  readonly database: Database
  readonly feed: Feed
  readonly target: { readonly lease: Lease; readonly turn: TurnRef }
  close(): Promise<void>
}

let node: Node | null = null

async function join(databaseUrl: string, sessionId: string): Promise<Node> {
  const logger = createLogger({ level: 'warn', pretty: false })
  const membership = new pg.Client({ connectionString: databaseUrl })
  await membership.connect()
  const owner = await registerNode(membership, { process: null, host: 'bench', version: 'bench' })
  const database = new Database({ url: databaseUrl, maxConnections: 2, logger })
  const doorbell = new Doorbell({ url: databaseUrl, logger, clock })
  const feed = new Feed({ database, doorbell, timing: TIMING, logger, clock })
  await doorbell.start()
  feed.start()
  const [turnId, messageId] = [newId('turn'), newId('message')]
  await membership.query(
    `INSERT INTO sessions (id, source_kind, source_interactive, last_seq, owner, epoch, status)
     VALUES ($1, 'bench', true, 1, $2, 1, 'RUNNING')`,
    [sessionId, owner],
  )
  await membership.query(
    `INSERT INTO messages (id, session_id, seq, role, content, trusted, status, client, created_at)
     VALUES ($1, $2, 1, 'USER', 'x', true, 'PROCESSING', 'bench', now())`,
    [messageId, sessionId],
  )
  await membership.query(
    `INSERT INTO turns (id, session_id, seq, message_id, user_name, status, created_at, started_at)
     VALUES ($1, $2, 1, $3, 'ada', 'RUNNING', now(), now())`,
    [turnId, sessionId, messageId],
  )
  // A node that does not beat counts as dead after 10 s.
  const beat = setInterval(() => void membership.query('UPDATE nodes SET seen_at = now() WHERE id = $1', [owner]), 2000)
  return {
    database,
    feed,
    target: { lease: { sessionId, node: owner, epoch: 1 }, turn: { id: turnId, seq: 1, messageId } },
    close: async () => {
      clearInterval(beat)
      await feed.stop()
      await doorbell.stop()
      await database.close()
      await membership.end()
    },
  }
}

const functions = {
  start: async ({ databaseUrl, sessionId }: { databaseUrl: string; sessionId: string }) => {
    node = await join(databaseUrl, sessionId)
  },
  /** Commits and publishes one event. Its text says when that began. */
  publish: async () => {
    if (node === null) throw new Error('start first')
    const { database, feed, target } = node
    const body = {
      type: 'TaskOutput',
      taskId: 'task_01jd0000000000000000000000',
      stream: 'STDOUT',
      text: timedText(),
    } as const
    const committed = await commitTurn(database, target, { events: [{ at: new Date(), turnId: target.turn.id, body }] })
    feed.published(committed.events)
  },
}
export type PublisherApi = typeof functions

serveParent(functions, async () => node?.close())
