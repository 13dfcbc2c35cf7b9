/**
 * A session with an example of each thing there is, written straight into the tables. Every text in it holds the
 * canary.
 */
import type { AuditBody } from '../../src/core/audit-entry.ts'
import type { SessionEventBody } from '../../src/core/session-event.ts'
import type { Prisma } from '../../src/generated/prisma/client.ts'
import { namedId, newId } from '../../src/platform/id.ts'
import { must } from '../../src/platform/must.ts'
import { appendAudit } from '../../src/store/audit-entries.ts'
import type { Database } from '../../src/store/database.ts'
import { seedApproval } from '../contract/seed-approval.ts'
import { seedDelivery } from '../contract/seed-delivery.ts'
import { seedFact, seedKnowledge, seedProposal } from '../contract/seed-knowledge.ts'
import { seedPlugin } from '../contract/seed-plugin.ts'
import { seedSession } from '../contract/seed.ts'
import type { Ids } from './documents-of-schema.ts'

const AT = new Date('2026-11-21T12:00:00.000Z')

/** Ben takes part; the connector "discord" opened it, and set its webhook. */
export async function seedExamples(database: Database, canary: string): Promise<Ids> {
  const id = 'discord:examples'
  const seeded = await seedSession(database, { id, participants: ['ben'], messages: 3, newestTurn: 'QUEUED' })
  const [message, turn, plan, task] = [
    seeded.messageIds[0],
    seeded.turnIds[1],
    seeded.planIds[1],
    seeded.taskIds[2],
  ].map((one) => must(one, 'a seeded row')) as [string, string, string, string]
  // Older: lists begin with the other one.
  const [twinId, ...contradictoryIds] = [newId('learning'), newId('learning'), newId('learning')]
  const knowledge = await seedKnowledge(database, seeded)
  const otherFact = await seedFact(database, { content: `Another of ${canary}.`, sessionId: id })
  const learning = must(knowledge.learningId, 'a learning')
  const proposal = await seedProposal(database, { factIds: [knowledge.factId, otherFact], content: canary })
  const delivery = await seedDelivery(database, id, task)
  const approval = await seedApproval(database, { sessionId: id, turnId: turn, taskId: task })
  const delegation = await seedDelegation(database, canary, { session: id, turn, task })
  const queuedMessage = must(seeded.messageIds[2], 'a message that waits')
  const file = newId('uploadedFile')
  const upload = { id: file, sessionId: id, name: canary, size: 1n, contentType: 'text/plain', userName: 'ben' }
  await database.prisma.uploadedFile.create({ data: { ...upload, byAdmin: false, createdAt: AT } })
  await database.prisma.message.update({ where: { id: queuedMessage }, data: { attachments: [canary] } })
  const call = { tool: canary, args: { text: canary } }
  await database.prisma.message.updateMany({ where: { sessionId: id }, data: { call } })
  const ids = {
    session: id,
    message,
    queuedMessage,
    turn,
    plan,
    task,
    learning,
    proposal,
    otherFact,
    delivery,
    approval,
    delegation,
  }
  const { factId: fact, questionId: question } = knowledge
  const schedule = await seedSchedule(database, canary, ids)
  await seedEvents(database, canary, { ...ids, file })
  const noticeTask = must(seeded.taskIds[3], 'a task')
  await seedText(database, canary, { ...ids, task: noticeTask, seq: 1500, notice: true })
  // Of the turn that took the other one along.
  const answered = { turn: must(seeded.turnIds[0], 'a turn'), task: must(seeded.taskIds[1], 'a task') }
  await seedText(database, canary, { ...ids, ...answered, seq: 1600, notice: false })
  const entries = { personMessage: entryIdOf(message), agentText: entryIdOf(task), notice: entryIdOf(noticeTask) }
  const audit = await seedAudit(database, canary, ids)
  await nameAll(database, canary, { ...ids, fact, firstTurn: must(seeded.turnIds[0], 'a turn') })
  const { number: _number, ...twin } = await database.prisma.learning.findUniqueOrThrow({ where: { id: learning } })
  await database.prisma.learning.create({ data: { ...twin, id: twinId, taskId: null } })
  for (const [n, contradictory] of contradictoryIds.entries()) {
    const texts = { content: `${canary} is ${n === 0 ? 'Grace' : 'Bob'}`, norm: 'a name that differs' }
    await database.prisma.learning.create({ data: { ...twin, ...texts, id: contradictory, taskId: null } })
  }
  await seedPlugin(database, canary)
  const people = { user: namedId('user', 'ben'), token: namedId('token', 'ben'), plugin: namedId('plugin', 'tester') }
  return { ...ids, fact, question, ...schedule, ...audit, ...entries, ...people }
}

function entryIdOf(rowId: string): string {
  return rowId.replace(/^[a-z]+/, 'entry')
}

/** What the agent, or the server (`notice`), says to people. */
async function seedText(
  { prisma }: Database,
  canary: string,
  { session, turn, task, seq, notice }: Seeded & { readonly seq: number; readonly notice: boolean },
): Promise<void> {
  const data = { taskId: task, content: canary, final: !notice, attempt: 1, ...(notice ? { notice } : {}) }
  await prisma.event.create({
    data: { sessionId: session, turnId: turn, at: AT, type: 'TextCompleted', data, seq },
  })
}

type Seeded = Pick<
  Ids,
  'session' | 'message' | 'turn' | 'plan' | 'task' | 'learning' | 'delivery' | 'approval' | 'delegation'
>

/** The session is a child of itself, so that all fields show it. */
async function seedDelegation(
  { prisma }: Database,
  canary: string,
  { session, turn, task }: Pick<Ids, 'session' | 'turn' | 'task'>,
): Promise<string> {
  const id = newId('delegation')
  const texts = { task: canary, expect: canary, feedback: canary, answer: canary, failure: canary, tools: [canary] }
  const of = { sessionId: session, turnId: turn, taskId: task, childId: session, userName: 'ben', tokenName: 'ben' }
  const limits = { depth: 1, share: 0.5, strangers: false, mode: 'PLAN', messageId: newId('message') } as const
  const stamps = { createdAt: AT, expiresAt: AT, finishedAt: AT, startedAt: AT, closed: true }
  await prisma.delegation.create({ data: { id, status: 'FAILED', ...texts, ...of, ...limits, ...stamps } })
  return id
}

async function seedSchedule(
  { prisma }: Database,
  canary: string,
  { session, message }: Seeded,
): Promise<Pick<Ids, 'schedule' | 'scheduleRun'>> {
  const [schedule, scheduleRun] = [newId('schedule'), newId('scheduleRun')]
  const texts = { name: canary, content: canary, lastError: canary, pausedReason: canary }
  const stamps = { createdAt: AT, updatedAt: AT, cron: '0 9 * * *', nextRunAt: new Date('2126-01-01T00:00:00Z') }
  const own = { userName: 'ben', tokenName: 'ben', timeZone: 'UTC', mode: 'DEDICATED', enabled: true } as const
  await prisma.schedule.create({ data: { id: schedule, ...own, ...texts, ...stamps } })
  const run = {
    id: scheduleRun,
    scheduleId: schedule,
    dueAt: AT,
    manual: true,
    status: 'FAILED',
    failure: canary,
  } as const
  await prisma.scheduleRun.create({
    data: { ...run, sessionId: session, messageId: message, startedAt: AT, finishedAt: AT },
  })
  return { schedule, scheduleRun }
}

/** One of each type; after those of the turns. */
async function seedEvents(
  { prisma }: Database,
  canary: string,
  ids: Seeded & { readonly file: string },
): Promise<void> {
  const usage = { calls: 1, inputTokens: 1, outputTokens: 1, cachedTokens: 1, cost: 1 }
  const examples: {
    readonly [Type in SessionEventBody['type']]: Omit<Extract<SessionEventBody, { type: Type }>, 'type'>
  } = {
    MessageReceived: { messageId: ids.message },
    MessageUpdated: { messageId: ids.message },
    SessionUpdated: {},
    FileReceived: { fileId: ids.file },
    Plugin: { plugin: 'tester', name: canary, json: JSON.stringify({ text: canary }) },
    PipelineStep: { step: 'PLANNING', detail: canary },
    PlanCreated: { planId: ids.plan },
    TaskUpdate: { taskId: ids.task, status: 'DONE' },
    TaskOutput: { taskId: ids.task, stream: 'STDOUT', text: canary },
    TextDelta: { taskId: ids.task, delta: canary },
    TextCompleted: { taskId: ids.task, content: canary, final: true, attempt: 1 },
    Thinking: { thinkingId: 'thought_1', delta: canary, content: canary },
    TaskProgress: { taskId: ids.task, done: 1, total: 2, message: canary },
    Review: { taskId: ids.task, verdict: 'OK', reason: canary, learningId: ids.learning },
    Approval: { approvalId: ids.approval },
    Delegation: { delegationId: ids.delegation },
    TurnPaused: { reason: canary, until: AT.toISOString() },
    Checkpoint: { reason: 'MANUAL', ok: false, failure: canary },
    TurnCompleted: { status: 'FAILED', commandsHandled: [canary], durationMs: 1, usage, failure: canary },
  }
  const all = { sessionId: ids.session, turnId: ids.turn, at: AT }
  const rows = Object.entries(examples).map(([type, data], index) => {
    return { ...all, type, data: data as Prisma.InputJsonObject, seq: 1000 + index }
  })
  await prisma.event.createMany({ data: rows })
  await prisma.session.update({ where: { id: ids.session }, data: { lastSeq: 2000 } })
}

type AuditExample = Extract<keyof Ids, `${string}Audit`>

/** One of each kind. */
async function seedAudit(database: Database, canary: string, ids: Seeded): Promise<Pick<Ids, AuditExample>> {
  const call = { role: 'planner', provider: canary, model: canary, inputTokens: 1, outputTokens: 1 } as const
  const examples: { readonly [Kind in AuditBody['kind']]: Omit<Extract<AuditBody, { kind: Kind }>, 'kind'> } = {
    MODEL_CALL: { ...call, status: 'OK', cachedTokens: 1, durationMs: 1, cost: 1 },
    TASK: { taskId: ids.task, taskType: 'EXEC', detail: canary, status: 'DONE', durationMs: 1, outputLength: 1 },
    REVIEW: { taskId: ids.task, verdict: 'OK', hasLearning: true },
    DELIVERY: { deliveryId: ids.delivery, taskId: ids.task, url: canary, status: 'DEAD', statusCode: 500, attempts: 3 },
    KNOWLEDGE: { subjectId: ids.learning, change: 'CREATED', reason: canary },
    ACCESS_DENIED: { field: 'Query.session', reason: 'NOT_VISIBLE', count: 1 },
    APPROVAL: {
      approvalId: ids.approval,
      taskId: ids.task,
      status: 'APPROVED',
      scope: 'ONCE',
      note: canary,
      before: canary,
      after: canary,
    },
    CONFIG: { change: 'RELOADED', detail: canary },
    SESSION: { change: 'UPDATED', detail: canary },
  }
  const entries = Object.entries(examples).map(([kind, body]) => ({
    id: newId('audit'),
    at: AT,
    sessionId: ids.session,
    turnId: ids.turn,
    actor: 'ben',
    tokenName: 'ben',
    body: { kind, ...body } as AuditBody,
  }))
  await appendAudit(database, entries)
  const texts = { system: canary, prompt: canary, answer: canary }
  const calls = entries.filter(({ body }) => body.kind === 'MODEL_CALL').map(({ id }) => id)
  // Old ones are removed by a job, once an hour, in the middle of a test perhaps.
  const at = new Date()
  await database.prisma.modelCallTexts.createMany({
    data: calls.map((id) => ({ ...texts, id, sessionId: ids.session, at })),
  })
  const idOf = (kind: AuditBody['kind']): string =>
    must(
      entries.find(({ body }) => body.kind === kind),
      kind,
    ).id
  return {
    modelCallAudit: idOf('MODEL_CALL'),
    taskAudit: idOf('TASK'),
    reviewAudit: idOf('REVIEW'),
    deliveryAudit: idOf('DELIVERY'),
    knowledgeAudit: idOf('KNOWLEDGE'),
    accessDeniedAudit: idOf('ACCESS_DENIED'),
    approvalAudit: idOf('APPROVAL'),
    configAudit: idOf('CONFIG'),
    sessionAudit: idOf('SESSION'),
  }
}

/** Fills what can be filled, so that a field that shows nothing is not taken for one that hides something. */
async function nameAll(
  { prisma }: Database,
  canary: string,
  ids: Seeded & Pick<Ids, 'fact' | 'otherFact'> & { readonly firstTurn: string },
): Promise<void> {
  const ofSession = { where: { sessionId: ids.session } }
  const { session: id, turn, task, fact, otherFact, firstTurn } = ids
  const source = {
    sourcePlatform: canary,
    sourceTriggerId: canary,
    connector: 'discord',
    openedBy: 'discord',
    status: 'AWAITING_APPROVAL',
  } as const
  const texts = {
    description: canary,
    descriptionSource: 'CLIENT',
    summary: canary,
    lastMessagePreview: canary,
  } as const
  const memory = { workingMemory: canary, metadata: { note: canary }, cost: 1, queueLength: 1, messageCount: 3 }
  await prisma.session.update({
    where: { id },
    data: { ...source, ...texts, ...memory, model: canary, instructions: canary },
  })
  await prisma.message.updateMany({ ...ofSession, data: { content: canary } })
  for (const message of await prisma.message.findMany({ ...ofSession, select: { id: true } }))
    await prisma.message.update({ where: message, data: { idempotencyKey: `send:${canary} ${message.id}` } })
  await prisma.turn.updateMany({
    ...ofSession,
    data: { failure: canary, pausedReason: canary, pausedAt: AT, commandsHandled: [canary], cost: 1, step: 'PLANNING' },
  })
  await prisma.turn.update({
    where: { id: turn },
    data: { status: 'AWAITING_APPROVAL', startedAt: AT, finishedAt: AT, joinedIntoId: firstTurn, retryOfId: firstTurn },
  })
  await prisma.turn.update({ where: { id: firstTurn }, data: { joinedIntoId: turn, retryOfId: turn } })
  await prisma.plan.updateMany({ ...ofSession, data: { goal: canary, replanReason: canary, secretNames: [canary] } })
  const task1 = {
    detail: canary,
    expect: canary,
    output: canary,
    stderr: canary,
    skill: canary,
    tool: canary,
    args: { note: canary },
  }
  await prisma.task.updateMany({ ...ofSession, data: { ...task1, exitCode: 1, startedAt: AT, finishedAt: AT } })
  await prisma.task.updateMany({ ...ofSession, data: { reviewVerdict: 'REPLAN', reviewReason: canary } })
  await prisma.task.update({ where: { id: task }, data: { status: 'RUNNING' } })
  await prisma.approval.updateMany({
    ...ofSession,
    data: {
      reason: canary,
      note: canary,
      decidedBy: canary,
      decidedAt: AT,
      scope: 'SESSION',
      remembered: [skill(canary)],
    },
  })
  await prisma.proposal.updateMany({
    data: {
      steps: [{ operation: 'MERGE', content: canary, reason: canary }],
      reason: canary,
      decidedBy: canary,
      decidedAt: AT,
      changeId: canary,
    },
  })
  await prisma.proposalSource.updateMany({ data: { content: canary } })
  const ofThis = { scope: 'SESSION', scopeOf: id } as const
  await prisma.fact.update({
    where: { id: fact },
    data: {
      content: canary,
      ...ofThis,
      replacedById: otherFact,
      invalidatedAt: AT,
      validTo: AT,
      reviewedBy: canary,
      reviewedAt: AT,
    },
  })
  await prisma.fact.update({ where: { id: otherFact }, data: { ...ofThis, replacedById: fact } })
  const question = { content: canary, answer: canary, resolvedBy: canary, resolvedAt: AT, factIds: [fact] }
  await prisma.question.updateMany({ ...ofSession, data: question })
  const [asked] = await prisma.question.findMany(ofSession)
  const dispute = { id: newId('question'), content: canary, norm: `dispute ${canary}`, source: 'DISPUTE' } as const
  await prisma.question.create({ data: { ...dispute, factIds: [fact], createdAt: AT } })
  await prisma.learning.updateMany({
    ...ofSession,
    data: {
      content: canary,
      reason: canary,
      decidedBy: canary,
      decidedAt: AT,
      factId: fact,
      questionId: must(asked, 'a question').id,
      taskId: task,
      flags: ['REOPENED'],
      repeatsFactId: fact,
      replacesFactId: fact,
      repeatsLearningId: ids.learning,
      similarFactIds: [fact],
    },
  })
  await prisma.factVersion.updateMany({
    where: { factId: fact },
    data: { reason: canary, content: canary, changeId: canary },
  })
  await prisma.turnFacts.upsert({
    where: { turnId: turn },
    create: { turnId: turn, factIds: [otherFact], sessionId: id },
    update: { factIds: { push: otherFact } },
  })
  const stamps = { nextAttemptAt: AT, deliveredAt: AT, lastError: canary }
  await prisma.delivery.updateMany({ ...ofSession, data: { ...stamps, url: `https://hooks.example/${canary}` } })
  await prisma.session.update({
    where: { id },
    data: { webhook: `https://hooks.example/${canary}`, forkedFrom: id, forkedSeq: 7 },
  })
  const file = { id: `file-${canary}`, name: canary, size: 1n, contentType: 'text/plain', createdAt: AT }
  await prisma.publishedFile.create({
    data: { ...file, sessionId: id, taskId: task, expiresAt: new Date('2126-01-01T00:00:00Z') },
  })
}

function skill(name: string): { readonly type: 'SKILL'; readonly skill: string } {
  return { type: 'SKILL', skill: name }
}
