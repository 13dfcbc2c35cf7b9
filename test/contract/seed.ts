/**
 * Rows to read, written straight into the tables: sessions with messages, turns, plans, tasks and events as a turn
 * leaves them.
 */
import type { Database } from '../../src/store/database.ts'
import { newId } from '../../src/platform/id.ts'

export interface SeedSession {
  readonly id: string
  readonly participants?: readonly string[]
  /** As in the row: "@bob", or the name of a connector's token. */
  readonly openedBy?: string
  readonly messages?: number
  readonly lastActivityAt?: Date
  readonly description?: string
  readonly sourceKind?: string
  readonly type?: 'DIRECT' | 'GROUP'
  readonly status?: 'IDLE' | 'RUNNING' | 'INACTIVE'
  /** Of the newest message's turn; the others are DONE. */
  readonly newestTurn?: 'DONE' | 'FAILED' | 'RUNNING' | 'QUEUED'
}

export interface SeededSession {
  readonly id: string
  readonly messageIds: readonly string[]
  readonly turnIds: readonly string[]
  readonly planIds: readonly string[]
  readonly taskIds: readonly string[]
}

const START = Date.parse('2026-11-21T12:00:00.000Z')

/** Each message has a turn with one plan of two tasks (EXEC, reviewed, and MSG), and its events. */
export async function seedSession(database: Database, seed: SeedSession): Promise<SeededSession> {
  const { prisma } = database
  const count = seed.messages ?? 0
  await prisma.session.create({
    data: {
      id: seed.id,
      openedBy: seed.openedBy ?? null,
      sourceKind: seed.sourceKind ?? 'cli',
      sourceInteractive: true,
      sourceType: seed.type ?? 'DIRECT',
      description: seed.description ?? null,
      status: seed.status ?? 'IDLE',
      messageCount: count,
      lastSeq: count * 10,
      inputTokens: 5_000_000_000n,
      modelCalls: count * 3,
      lastActivityAt: seed.lastActivityAt ?? new Date(START),
      participants: { create: (seed.participants ?? []).map((userName) => ({ userName })) },
    },
  })
  const rows = Array.from({ length: count }, (_, n) => turnRows(seed, n))
  await prisma.message.createMany({ data: rows.map((row) => row.message) })
  await prisma.turn.createMany({ data: rows.map((row) => row.turn) })
  await prisma.plan.createMany({ data: rows.map((row) => row.plan) })
  await prisma.task.createMany({ data: rows.flatMap((row) => row.tasks) })
  await prisma.event.createMany({ data: rows.flatMap((row) => row.events) })
  return {
    id: seed.id,
    messageIds: rows.map((row) => row.message.id),
    turnIds: rows.map((row) => row.turn.id),
    planIds: rows.map((row) => row.plan.id),
    taskIds: rows.flatMap((row) => row.tasks.map((task) => task.id)),
  }
}

function turnRows(seed: SeedSession, n: number) {
  const sessionId = seed.id
  const status = n === (seed.messages ?? 0) - 1 ? (seed.newestTurn ?? 'DONE') : 'DONE'
  const seq = n * 10 + 1
  const createdAt = new Date(START + n * 1000)
  const messageId = newId('message')
  const turnId = newId('turn')
  const planId = newId('plan')
  const [execId, textId] = [newId('task'), newId('task')]
  const span = status === 'DONE' ? { startedAt: createdAt, finishedAt: new Date(createdAt.getTime() + 1500) } : {}
  const ids = { sessionId, turnId, planId }
  const messageStatus = status === 'RUNNING' ? ('PROCESSING' as const) : status
  return {
    message: {
      id: messageId,
      sessionId,
      seq,
      role: 'USER' as const,
      userName: 'bob',
      content: `message ${n}`,
      trusted: true,
      status: messageStatus,
      client: 'bob',
      createdAt,
    },
    turn: { id: turnId, sessionId, seq, messageId, userName: 'bob', status, createdAt, modelCalls: 3, ...span },
    plan: { id: planId, sessionId, turnId, attempt: 1, goal: `goal ${n}`, createdAt },
    tasks: [
      {
        ...ids,
        id: execId,
        index: 0,
        type: 'EXEC' as const,
        detail: 'echo hi',
        expect: 'prints hi',
        status: 'DONE' as const,
        output: 'hi\n',
        stderr: '',
        exitCode: 0,
        final: false,
        reviewVerdict: 'OK' as const,
        ...span,
      },
      {
        ...ids,
        id: textId,
        index: 1,
        type: 'MSG' as const,
        detail: 'say hi',
        expect: null,
        status: 'DONE' as const,
        output: `answer ${n}`,
        stderr: null,
        exitCode: null,
        final: true,
        reviewVerdict: null,
        ...span,
      },
    ],
    events: [
      { sessionId, seq, at: createdAt, turnId, type: 'MessageReceived', data: { messageId } },
      {
        sessionId,
        seq: seq + 1,
        at: createdAt,
        turnId,
        type: 'PipelineStep',
        data: { step: 'RECEIVED', detail: null },
      },
      { sessionId, seq: seq + 2, at: createdAt, turnId, type: 'PlanCreated', data: { planId } },
      { sessionId, seq: seq + 3, at: createdAt, turnId, type: 'TaskUpdate', data: { taskId: execId, status: 'DONE' } },
    ],
  }
}
