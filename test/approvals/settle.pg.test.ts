/** The statement that settles an approval holds by itself, whatever its callers have read before. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { settleApproval, type ApprovalDecision } from '../../src/store/turn/settle-approval.ts'
import { createSchemaWorld, type SchemaWorld } from '../contract/schema-world.ts'
import { seedApproval } from '../contract/seed-approval.ts'
import { seedSession } from '../contract/seed.ts'

const ADMIN = { all: true, userName: 'alice' }
let it: SchemaWorld
let approvalId: string
let taskId: string
let sessions = 0
beforeAll(async () => {
  it = await createSchemaWorld()
})
afterAll(() => it[Symbol.asyncDispose]())

beforeEach(async () => {
  const { database } = it.world.context
  const id = `cli:settle-${(sessions += 1)}`
  const { turnIds, taskIds } = await seedSession(database, { id, messages: 1, newestTurn: 'RUNNING' })
  const [turnId = ''] = turnIds
  ;[taskId = ''] = taskIds
  approvalId = await seedApproval(database, { sessionId: id, turnId, taskId })
})

async function settle(status: ApprovalDecision['status']): Promise<boolean> {
  const none = { note: null, scope: null, remembered: null, edit: null, tokenName: null }
  const audit = { approvalId, taskId, status, scope: null, note: null, before: null, after: null } as const
  const decidedBy = status === 'EXPIRED' ? null : 'alice'
  const decision = { approvalId, status, decidedBy, at: new Date(), ...none, audit }
  return (await settleApproval(it.world.context.database, ADMIN, decision)) !== null
}

async function stored(): Promise<unknown> {
  const [row] = await it.world.sql('SELECT status, decided_by FROM approvals WHERE id = $1', approvalId)
  return row
}

const endTime = (): Promise<unknown> =>
  it.world.sql(`UPDATE approvals SET expires_at = now() - interval '1 second' WHERE id = $1`, approvalId)

test('the first decision stands', async () => {
  expect(await settle('APPROVED')).toBe(true)
  expect(await settle('DENIED')).toBe(false)
  expect(await stored()).toEqual({ status: 'APPROVED', decided_by: 'alice' })
})

test('of decisions at once one is taken', async () => {
  const taken = await Promise.all([settle('APPROVED'), settle('DENIED'), settle('APPROVED'), settle('DENIED')])
  expect(taken.filter(Boolean)).toHaveLength(1)
})

test('after its time it only expires', async () => {
  await endTime()
  expect(await settle('APPROVED')).toBe(false)
  expect(await settle('DENIED')).toBe(false)
  expect(await settle('EXPIRED')).toBe(true)
  expect(await stored()).toEqual({ status: 'EXPIRED', decided_by: null })
})

test('before its time it does not expire', async () => {
  expect(await settle('EXPIRED')).toBe(false)
  expect(await stored()).toEqual({ status: 'PENDING', decided_by: null })
})
