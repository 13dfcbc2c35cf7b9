/**
 * Exported sessions as fast-check makes them up: rows of every kind that go together, with any text that can be stored.
 */
import fc from 'fast-check'
import type { SessionEventBody } from '../../src/core/session-event.ts'
import { newId } from '../../src/platform/id.ts'

type Line = Readonly<Record<string, unknown>>

const text = fc.string({ unit: 'binary', maxLength: 30 }).filter((one) => !one.includes('\0') && one.isWellFormed())
const filled = fc
  .oneof(text, fc.constantFrom('"}\n{"type":"end"}', '\u2028\r\n\t', '{{', '\\u0000', '🦆', "'; --"))
  .map((one) => `${one}.`)
const maybe = fc.option(filled, { nil: null })
const count = fc.nat({ max: 1_000_000 })
const time = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2026-11-01'), noInvalidDate: true })
  .map((at) => at.toISOString())
const usage = fc.record({
  modelCalls: count,
  inputTokens: count,
  outputTokens: count,
  cachedTokens: count,
  cost: fc.constantFrom(null, 0, 1.25),
})
const json = fc.dictionary(filled, fc.oneof(filled, fc.boolean(), fc.integer(), fc.constant(null)), { maxKeys: 3 })

const ended = fc.constantFrom('DONE', 'FAILED', 'CANCELLED')
const task = fc.record({
  kind: fc.constantFrom('EXEC', 'MSG', 'SKILL'),
  detail: filled,
  skill: maybe,
  tool: maybe,
  round: fc.option(count),
  callId: maybe,
  args: fc.option(json, { nil: null }),
  expect: maybe,
  status: fc.constantFrom('DONE', 'FAILED', 'SKIPPED', 'CANCELLED', 'INTERRUPTED'),
  output: maybe,
  stderr: maybe,
  truncated: fc.boolean(),
  exitCode: fc.constantFrom(null, 0, 137, -1),
  final: fc.boolean(),
  suppressed: fc.boolean(),
  reviewVerdict: fc.constantFrom(null, 'OK', 'REPLAN'),
  reviewReason: maybe,
  startedAt: time,
  finishedAt: fc.option(time, { nil: null }),
})
const knowledge = { content: filled, norm: filled, createdAt: time }
const turn = fc.record({
  message: fc.record({
    userName: maybe,
    content: filled,
    trusted: fc.boolean(),
    mentioned: fc.boolean(),
    status: ended,
    client: filled,
    createdAt: time,
    paraphrase: maybe,
    call: fc.option(fc.record({ tool: filled, args: json }), { nil: null }),
    role: fc.constantFrom('USER', 'ASSISTANT', 'SYSTEM'),
  }),
  turn: fc.record({
    userName: filled,
    status: ended,
    step: fc.constantFrom(null, 'COMPLETE'),
    failure: maybe,
    failureDetail: maybe,
    takeovers: count,
    mode: fc.constantFrom('PLAN', 'CHAT'),
    commandsHandled: fc.array(filled, { maxLength: 2 }),
    createdAt: time,
    startedAt: fc.option(time, { nil: null }),
    finishedAt: time,
  }),
  usage,
  plan: fc.record({
    goal: filled,
    replanReason: maybe,
    rights: maybe,
    secretNames: fc.array(filled, { maxLength: 2 }),
    createdAt: time,
  }),
  tasks: fc.array(task, { maxLength: 3 }),
  approval: fc.record({
    userName: filled,
    kind: fc.constantFrom('TASK', 'PLAN'),
    status: fc.constantFrom('APPROVED', 'DENIED', 'EXPIRED'),
    reason: filled,
    createdAt: time,
    expiresAt: time,
    decidedBy: maybe,
    decidedAt: time,
    note: maybe,
    scope: fc.constantFrom(null, 'ONCE'),
  }),
  delegation: fc.record({
    userName: filled,
    depth: fc.integer({ min: 1, max: 2 }),
    share: fc.constantFrom(0.25, 1),
    tools: fc.array(filled, { maxLength: 2 }),
    strangers: fc.boolean(),
    mode: fc.constantFrom('PLAN', 'CHAT'),
    task: filled,
    expect: filled,
    status: fc.constantFrom('DONE', 'FAILED', 'CANCELLED'),
    round: fc.integer({ min: 1, max: 5 }),
    feedback: maybe,
    answer: maybe,
    failure: maybe,
    createdAt: time,
    expiresAt: time,
    startedAt: time,
    finishedAt: time,
  }),
  delivery: fc.record({
    url: fc.constantFrom('https://host/…', 'http://127.0.0.1:8080/…'),
    final: fc.boolean(),
    status: fc.constantFrom('DELIVERED', 'DEAD'),
    attempts: count,
    lastStatusCode: fc.constantFrom(null, 200, 503),
    lastError: maybe,
    createdAt: time,
    deliveredAt: fc.option(time, { nil: null }),
  }),
  question: fc.record({
    ...knowledge,
    source: fc.constantFrom('CURATOR', 'ADMIN'),
    status: fc.constantFrom('OPEN', 'RESOLVED'),
    answer: maybe,
    resolvedBy: maybe,
    resolvedAt: fc.option(time, { nil: null }),
  }),
  learning: fc.record({
    ...knowledge,
    userName: maybe,
    status: fc.constantFrom('PENDING', 'PROMOTED', 'ASKED', 'DISCARDED', 'REFUSED'),
    source: fc.constantFrom('REVIEW', 'CHAT', 'CHECKPOINT'),
    held: fc.boolean(),
    flags: fc.subarray(['REJECTED', 'RECALLED', 'REOPENED', 'UNUSABLE', 'ORDER', 'TEACHER']),
    reason: maybe,
    decidedBy: maybe,
    decidedAt: fc.option(time, { nil: null }),
  }),
  at: time,
})
const session = fc.record({
  sourceKind: filled,
  sourceInteractive: fc.boolean(),
  sourcePlatform: maybe,
  sourceTriggerId: maybe,
  sourceType: fc.constantFrom('DIRECT', 'GROUP'),
  connector: maybe,
  metadata: json,
  description: maybe,
  descriptionSource: fc.constantFrom(null, 'CLIENT', 'INTROSPECTION'),
  summary: text,
  summarySeq: count,
  removedSeq: count,
  workingMemory: text,
  checkpointSeq: count,
  checkpointTurns: count,
  status: fc.constantFrom('IDLE', 'INACTIVE'),
  timeZone: fc.constantFrom(null, 'UTC', 'Europe/Rome'),
  model: fc.constantFrom(null, 'stub:larger'),
  instructions: maybe,
  mode: fc.constantFrom('PLAN', 'CHAT'),
  busyPolicy: fc.constantFrom('QUEUE', 'COLLECT', 'STEER', 'INTERRUPT'),
  messageCount: count,
  turnCount: count,
  lastMessagePreview: maybe,
  createdAt: time,
  lastActivityAt: time,
})

/** Whole, with header and end. Nothing in it is open. */
export const exportedSession: fc.Arbitrary<readonly Line[]> = fc
  .record({
    id: fc.stringMatching(/^web:[a-z0-9]{1,20}$/),
    session,
    usage,
    people: fc.uniqueArray(filled, { maxLength: 3 }),
    joinedAt: time,
    turns: fc.array(turn, { maxLength: 4 }),
  })
  .map(({ id, session: { ...columns }, usage: cost, people, joinedAt, turns }) => {
    const built = turns.map(buildTurn)
    const lastSeq = turns.length * SEQS_PER_TURN
    const of = (type: string): Line[] => built.flatMap((lines) => lines.filter((line) => line['type'] === type))
    const rows = [
      { type: 'session', ...columns, ...cost, lastSeq },
      ...people.map((userName) => ({ type: 'participant', userName, joinedAt })),
      ...[
        'message',
        'turn',
        'plan',
        'task',
        'question',
        'learning',
        'approval',
        'delegation',
        'delivery',
        'event',
      ].flatMap(of),
    ]
    const header = {
      type: 'header',
      format: 'factotum session',
      version: 1,
      sessionId: id,
      exportedAt: '2026-11-21T12:00:00.000Z',
    }
    return [header, ...rows, { type: 'end', lines: rows.length + 1 }]
  })

const SEQS_PER_TURN = 20

type Generated = typeof turn extends fc.Arbitrary<infer Value> ? Value : never

function buildTurn(
  {
    message,
    turn: columns,
    usage: cost,
    plan,
    tasks,
    approval,
    delegation,
    delivery,
    question,
    learning,
    at,
  }: Generated,
  index: number,
): Line[] {
  const seq = index * SEQS_PER_TURN + 1
  const [messageId, turnId, planId, questionId] = [newId('message'), newId('turn'), newId('plan'), newId('question')]
  const rows = tasks.map((one, n) => ({ type: 'task', id: newId('task'), turnId, planId, index: n, ...one }))
  const [first] = rows
  const taskId = first?.id ?? null
  const learningId = newId('learning')
  const totals = { calls: 1, inputTokens: 1, outputTokens: 1, cachedTokens: 0, cost: null }
  const eventsOf = (taskId: string): SessionEventBody[] => [
    { type: 'Review', taskId, verdict: 'OK', reason: null, learningId },
    { type: 'TextCompleted', taskId, content: plan.goal, final: true, attempt: 1 },
  ]
  const bodies: SessionEventBody[] = [
    { type: 'MessageReceived', messageId },
    { type: 'PipelineStep', step: 'PLANNING', detail: plan.goal },
    { type: 'PlanCreated', planId },
    ...(taskId === null ? [] : eventsOf(taskId)),
    { type: 'SessionUpdated' },
    { type: 'SessionUpdated', erased: true },
    { type: 'TurnPaused', reason: plan.goal, until: null },
    { type: 'TurnCompleted', status: 'DONE', commandsHandled: [], durationMs: 5, usage: totals, failure: null },
  ]
  const events = bodies.map(({ type: event, ...data }, n) => {
    return { type: 'event', seq: seq + n, at, turnId: n === 5 ? null : turnId, event, data }
  })
  return [
    { type: 'message', id: messageId, seq, idempotencyKey: `send:${messageId}`, ...message },
    {
      type: 'turn',
      id: turnId,
      seq,
      messageId,
      joinedIntoId: null,
      joinedAttempt: null,
      retryOfId: null,
      ...columns,
      ...cost,
    },
    { type: 'plan', id: planId, turnId, attempt: 1, ...plan },
    ...rows,
    { type: 'question', id: questionId, ...question },
    { type: 'learning', id: learningId, turnId, taskId, questionId, ...learning },
    ...(taskId === null ? [] : [{ type: 'approval', id: newId('approval'), turnId, taskId, ...approval }]),
    ...(taskId === null ? [] : [{ type: 'delegation', id: newId('delegation'), turnId, taskId, ...delegation }]),
    ...(taskId === null ? [] : [{ type: 'delivery', id: newId('delivery'), taskId, ...delivery }]),
    ...events,
  ]
}
