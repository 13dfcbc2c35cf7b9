/** What nobody decides about in time, as the jobs see to it: once, whichever comes first, and the turn is ready. */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ApprovalExpiry } from '../../src/approvals/approval-expiry.ts'
import type { SessionEvent } from '../../src/core/session-event.ts'
import type { Notification } from '../../src/events/notification.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createSchemaWorld, type SchemaWorld } from '../contract/schema-world.ts'
import { seedApproval } from '../contract/seed-approval.ts'
import { seedSession } from '../contract/seed.ts'
import { commitTurn } from '../../src/store/turn/turn-commit.ts'

let it: SchemaWorld
beforeAll(async () => {
  it = await createSchemaWorld()
})
afterAll(() => it[Symbol.asyncDispose]())

/** A session that waits for two approvals, of which the first `overdue` are overdue. */
async function seedWaiting(id: string, overdue: number): Promise<string[]> {
  const { database } = it.world.context
  const { turnIds, taskIds } = await seedSession(database, { id, messages: 1, newestTurn: 'RUNNING' })
  const [turnId = ''] = turnIds
  const ids: string[] = []
  for (const taskId of taskIds) ids.push(await seedApproval(database, { sessionId: id, turnId, taskId }))
  const until = `now() + interval '1 hour'`
  await it.world.sql(
    `UPDATE sessions SET status = 'AWAITING_APPROVAL', open_approvals = 2, ready_at = ${until} WHERE id = $1`,
    id,
  )
  await it.world.sql(`UPDATE turns SET status = 'AWAITING_APPROVAL', paused_at = now() WHERE id = $1`, turnId)
  for (const late of ids.slice(0, overdue))
    await it.world.sql(`UPDATE approvals SET expires_at = now() - interval '1 second' WHERE id = $1`, late)
  return ids
}

interface Swept {
  readonly events: SessionEvent[]
  readonly notifications: Notification[]
}

async function sweepTogether(processes: number): Promise<Swept> {
  const swept: Swept = { events: [], notifications: [] }
  const { database, clock } = it.world.context
  const expiries = Array.from({ length: processes }, () => {
    const feed = { published: (events: readonly SessionEvent[]) => void swept.events.push(...events) }
    const doorbell = { ring: (notification: Notification) => void swept.notifications.push(notification) }
    return new ApprovalExpiry({
      database,
      clock,
      feed,
      doorbell,
      logger: createLogger({ level: 'silent', pretty: false }),
    })
  })
  const jobs = expiries.flatMap(({ handlers }) => Object.values(handlers))
  await Promise.all(jobs.map((job) => job({}, new AbortController().signal)))
  return swept
}

test('each is expired once, however many processes poll, and its session has work', async () => {
  const ids = await seedWaiting('cli:late', 2)
  const swept = await sweepTogether(4)
  expect(swept.events).toMatchObject([{ type: 'Approval' }, { type: 'Approval' }])
  expect(swept.events.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual([11, 12])
  const about = swept.notifications.flatMap((sent) => (sent.kind === 'approval' ? [sent.id] : []))
  expect(about).toHaveLength(ids.length)
  expect(new Set(about)).toEqual(new Set(ids))
  expect(swept.notifications.some(({ kind }) => kind === 'work')).toBe(true)
  const [session] = await it.world.sql(
    `SELECT open_approvals, ready_at <= now() AS ready, last_seq FROM sessions WHERE id = 'cli:late'`,
  )
  expect(session).toMatchObject({ open_approvals: 0, ready: true, last_seq: 12 })
  const audited = await it.world.sql(
    `SELECT data->>'status' AS status FROM audit_entries WHERE session_id = 'cli:late'`,
  )
  expect(audited).toEqual([{ status: 'EXPIRED' }, { status: 'EXPIRED' }])
})

test('a turn that settles what the job has just expired tells of it no second time', async () => {
  const sessionId = 'cli:both'
  const ids = await seedWaiting(sessionId, 1)
  const [node] = await it.world.sql('SELECT max(id) AS id FROM nodes')
  await it.world.sql('UPDATE sessions SET owner = $2, epoch = 7 WHERE id = $1', sessionId, node?.['id'])
  const [turn] = await it.world.sql(
    `SELECT id, seq, message_id FROM turns WHERE session_id = $1 ORDER BY seq DESC LIMIT 1`,
    sessionId,
  )
  await sweepTogether(1)
  const { database, clock } = it.world.context
  const at = clock.now()
  const turnId = String(turn?.['id'])
  const { events } = await commitTurn(
    database,
    {
      lease: { sessionId, node: Number(node?.['id']), epoch: 7 },
      turn: { id: turnId, seq: Number(turn?.['seq']), messageId: String(turn?.['message_id']) },
    },
    {
      events: ids.map((approvalId) => ({ at, turnId, body: { type: 'Approval', approvalId } })),
      settledApprovals: ids.map((id) => ({ id, status: 'EXPIRED', at })),
    },
  )
  expect(events).toMatchObject([{ type: 'Approval', approvalId: ids[1] }])
  const log = await it.world.sql(
    `SELECT seq, data->>'approvalId' AS id FROM events WHERE session_id = $1 AND type = 'Approval' AND seq > 10 ORDER BY seq`,
    sessionId,
  )
  expect(log).toEqual([
    { seq: 11, id: ids[0] },
    { seq: 13, id: ids[1] },
  ])
  expect(events[0]?.seq).toBe(13)
})

test('what has time left is left alone', async () => {
  await seedWaiting('cli:in-time', 0)
  expect(await sweepTogether(2)).toEqual({ events: [], notifications: [] })
  const [session] = await it.world.sql(
    `SELECT open_approvals, ready_at > now() AS waits FROM sessions WHERE id = 'cli:in-time'`,
  )
  expect(session).toMatchObject({ open_approvals: 2, waits: true })
})

test('approvals of a session that another transaction holds keep those of others waiting no longer', async () => {
  const [held, free] = ['cli:held', 'cli:behind']
  await seedWaiting(held, 2)
  await seedWaiting(free, 2)
  await it.world.sql(`UPDATE approvals SET expires_at = expires_at - interval '1 hour' WHERE session_id = $1`, held)
  const open = async (sessionId: string): Promise<unknown> =>
    (await it.world.sql('SELECT open_approvals AS open FROM sessions WHERE id = $1', sessionId))[0]?.['open']
  const holding = new Client({ connectionString: it.world.context.database.url })
  await holding.connect()
  await holding.query('BEGIN')
  await holding.query('SELECT FROM sessions WHERE id = $1 FOR UPDATE', [held])
  const sweeping = sweepTogether(1)
  await expect.poll(() => open(free)).toBe(0)
  expect(await open(held)).toBe(2)
  await holding.end()
  await sweeping
  expect(await open(held)).toBe(0)
})
