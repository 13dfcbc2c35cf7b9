/** What each event shows when the hub executes it, and which events each log view admits. */
import {
  executeSubscriptionEvent,
  parse,
  validateSubscriptionArgs,
  type ExecutionResult,
  type ValidatedSubscriptionArgs,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EventProjection } from '../../src/graphql/live/event-projection.ts'
import { logViewOf, type LogEntry, type LogView } from '../../src/graphql/live/log-view.ts'
import { newId } from '../../src/platform/id.ts'
import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { recordStatements } from './record-statements.ts'
import { createSchemaWorld, type SchemaWorld, type TokenName } from './schema-world.ts'
import { seedApproval } from './seed-approval.ts'
import { seedDelegation } from './seed-delegation.ts'
import { seedSession, type SeededSession } from './seed.ts'

let it: SchemaWorld
let demo: SeededSession
let approvalId: string
let delegationId: string
const fileId = newId('uploadedFile')
beforeAll(async () => {
  it = await createSchemaWorld()
  demo = await seedSession(it.world.context.database, { id: 'demo:1', participants: ['bob'], messages: 1 })
  const [turnId = '', taskId = ''] = [demo.turnIds[0], demo.taskIds[0]]
  const upload = {
    id: fileId,
    sessionId: 'demo:1',
    name: 'a.txt',
    size: 3n,
    contentType: 'text/plain',
    userName: 'bob',
  }
  await it.world.context.database.prisma.uploadedFile.create({
    data: { ...upload, byAdmin: false, createdAt: new Date() },
  })
  approvalId = await seedApproval(it.world.context.database, { sessionId: 'demo:1', turnId, taskId })
  delegationId = await seedDelegation(it.world.context.database, { sessionId: 'demo:1', turnId, taskId })
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

/** As the hub does it: one execution of an operation with the event as its root. */
function show(
  document: { toString(): string },
  event: LogEntry,
  as: TokenName | null = 'bob',
): ExecutionResult | PromiseLike<ExecutionResult> {
  return executeSubscriptionEvent(argsFor(document, event, as))
}

function argsFor(
  document: { toString(): string },
  event: LogEntry,
  as: TokenName | null = 'bob',
): ValidatedSubscriptionArgs {
  const args = validateSubscriptionArgs({
    schema: it.schema,
    document: parse(document.toString()),
    variableValues: { sessionId: 'demo:1' },
    rootValue: event,
    contextValue: it.contextFor(as),
  })
  if (!('schema' in args)) throw new Error(JSON.stringify(args))
  return args
}

const at = new Date('2026-11-21T12:00:00.000Z')
const usage = { calls: 1, inputTokens: 3_000_000_000, outputTokens: 2, cachedTokens: 0, cost: 0.5 }

function event<Body extends object>(
  body: Body,
): Body & { seq: number; at: Date; sessionId: string; turnId: string | null } {
  return { ...body, seq: 7, at, sessionId: 'demo:1', turnId: demo.turnIds[0] ?? null }
}

function everyEvent(): Record<string, [event: LogEntry, shown: object]> {
  const [messageId = '', planId = '', taskId = ''] = [demo.messageIds[0], demo.planIds[0], demo.taskIds[0]]
  const completed = { status: 'DONE', commandsHandled: ['/help'], durationMs: 9, failure: null } as const
  return {
    SessionSnapshot: [
      { type: 'SessionSnapshot', seq: 7, at, sessionId: 'demo:1', turnId: null, removedUpTo: 5 },
      { turnId: null, removedUpTo: 5, session: { id: 'demo:1', messageCount: 1 } },
    ],
    SessionUpdatedEvent: [event({ type: 'SessionUpdated', erased: true }), { erased: true, session: { id: 'demo:1' } }],
    MessageReceivedEvent: [
      event({ type: 'MessageReceived', messageId }),
      { message: { id: messageId, content: 'message 0' } },
    ],
    MessageUpdatedEvent: [event({ type: 'MessageUpdated', messageId }), { message: { id: messageId } }],
    PluginEvent: [
      event({ type: 'Plugin', plugin: 'p', name: 'n', json: '{"a":1}' }),
      { plugin: 'p', name: 'n', data: { a: 1 } },
    ],
    FileReceivedEvent: [event({ type: 'FileReceived', fileId }), { file: { name: 'a.txt', size: 3, user: 'bob' } }],
    CheckpointEvent: [
      event({ type: 'Checkpoint', reason: 'MANUAL', ok: false, failure: 'no model' }),
      { checkpointTrigger: 'MANUAL', ok: false, failure: 'no model' },
    ],
    PipelineStepEvent: [
      event({ type: 'PipelineStep', step: 'PLANNING', detail: 'm' }),
      { step: 'PLANNING', detail: 'm' },
    ],
    PlanCreatedEvent: [
      event({ type: 'PlanCreated', planId }),
      { plan: { goal: 'goal 0', tasks: [{ id: taskId }, {}] } },
    ],
    TaskUpdateEvent: [
      event({ type: 'TaskUpdate', taskId, status: 'RUNNING' }),
      { taskId, taskStatus: 'RUNNING', task: { id: taskId, status: 'DONE', output: 'hi\n' } },
    ],
    TaskOutputEvent: [
      event({ type: 'TaskOutput', taskId, stream: 'STDERR', text: 'x' }),
      { taskId, stream: 'STDERR', text: 'x' },
    ],
    TextDeltaEvent: [event({ type: 'TextDelta', taskId, delta: 'd' }), { taskId, delta: 'd' }],
    TextCompletedEvent: [
      event({ type: 'TextCompleted', taskId, content: 'whole', final: true, attempt: 2 }),
      { taskId, content: 'whole', final: true, attempt: 2 },
    ],
    ReviewEvent: [
      event({ type: 'Review', taskId, verdict: 'REPLAN', reason: 'no' }),
      { taskId, verdict: 'REPLAN', reason: 'no' },
    ],
    ApprovalEvent: [
      event({ type: 'Approval', approvalId }),
      { approval: { id: approvalId, approvalStatus: 'PENDING', task: { id: taskId } } },
    ],
    DelegationEvent: [
      event({ type: 'Delegation', delegationId }),
      { delegation: { id: delegationId, status: 'PENDING', round: 1 } },
    ],
    ThinkingEvent: [
      event({ type: 'Thinking', thinkingId: 'thought_1', delta: null, content: 'Two steps.' }),
      { thinkingId: 'thought_1', delta: '', content: 'Two steps.', isWhole: true },
    ],
    TaskProgressEvent: [
      event({ type: 'TaskProgress', taskId, done: 1, total: 4, message: 'reading' }),
      { taskId, done: 1, total: 4, progressMessage: 'reading' },
    ],
    TurnPausedEvent: [event({ type: 'TurnPaused', reason: 'The budget is used up.', until: null }), {}],
    TurnCompletedEvent: [
      event({ type: 'TurnCompleted', ...completed, usage }),
      {
        turnStatus: 'DONE',
        commandsHandled: ['/help'],
        durationMs: 9,
        usage: { ...usage, cost: { amount: '0.5', currency: null } },
      },
    ],
  }
}

test('every type of event is shown, with what it tells of as it is now', async () => {
  const shown = Object.entries(everyEvent())
  const types = it.schema.getPossibleTypes(must(it.schema.getType('SessionEvent'), 'the interface') as never)
  expect(shown.map(([name]) => name).sort()).toEqual(types.map(({ name }) => name).sort())
  for (const [name, [entry, expected]] of shown) {
    const { data, errors } = await show(api.WatchSessionDocument, entry)
    expect(errors).toBeUndefined()
    expect(data).toMatchObject({
      sessionEvents: { __typename: name, seq: 7, at: at.toISOString(), sessionId: 'demo:1', ...expected },
    })
  }
})

test('what the event itself holds needs no promise and no statement', async () => {
  for (const [entry] of Object.values(everyEvent())) {
    const statements = await recordStatements(async () => {
      const result = show(api.FollowSessionDocument, entry)
      expect(result).not.toHaveProperty('then')
      expect(result).not.toHaveProperty('errors')
      await result
    })
    expect(statements).toEqual([])
  }
})

/** Each value that an event holds, by itself and in all the ways in which a document can ask for it. */
const VALUES = `subscription ($sessionId: ID!, $yes: Boolean = true) {
  sessionEvents(sessionId: $sessionId) { ...Head type: __typename }
  sessionEvents(sessionId: $sessionId) {
    ... on TaskOutputEvent { taskId stream text @include(if: $yes) gone: text @skip(if: $yes) }
    ... on TextEvent { taskId } ... on TextDeltaEvent { delta } ... on TextCompletedEvent { content final attempt }
    ... on PipelineStepEvent { step detail } ... on TaskUpdateEvent { taskId taskStatus }
    ... on TaskProgressEvent { done total } ... on SessionSnapshot { removedUpTo } ... on ReviewEvent { reason verdict }
    ... on ThinkingEvent { delta } ... on TurnCompletedEvent { commandsHandled } ... on PluginEvent { data }
  }
}
fragment Head on SessionEvent { seq at sessionId ...Turn ... @include(if: $yes) { place: seq } }
fragment Turn on SessionEvent { turnId }`

test('what is projected is what graphql-js shows, once it has shown it', async () => {
  const projected: string[] = []
  for (const [name, [entry]] of Object.entries(everyEvent())) {
    const args = argsFor(VALUES, entry)
    const projection = new EventProjection(args, viewOf('sessionEvents').typeNameOf)
    expect(projection.project(entry)).toBeNull()
    projection.shown(entry)
    const text = projection.project(entry)
    if (text === null) continue
    projected.push(name)
    expect(text).toBe(JSON.stringify(await executeSubscriptionEvent(args)))
  }
  const resolved = new Set(['ThinkingEvent', 'TurnCompletedEvent', 'PluginEvent'])
  expect(projected).toEqual(Object.keys(everyEvent()).filter((name) => !resolved.has(name)))
})

test('what a type does not take, and what is not the event alone, is left to graphql-js', () => {
  const project = (document: string, entry: LogEntry): string | null => {
    const projection = new EventProjection(argsFor(document, entry), viewOf('sessionEvents').typeNameOf)
    projection.shown(entry)
    return projection.project(entry)
  }
  const document = (fields: string): string =>
    `subscription ($sessionId: ID!) { sessionEvents(sessionId: $sessionId) { ... on TaskOutputEvent { ${fields} } } }`
  const body = { type: 'TaskOutput', taskId: 'task_1', stream: 'STDOUT', text: 'x' } as const
  expect(project(document('text stream'), event(body))).toBe(
    JSON.stringify({ data: { sessionEvents: { text: 'x', stream: 'STDOUT' } } }),
  )
  expect(project(document('text stream'), event({ ...body, stream: 'NONE' as 'STDOUT' }))).toBeNull()
  expect(project(document('text stream'), event({ ...body, text: null as unknown as string }))).toBeNull()
  for (const fields of ['text task { id }', 'text session { id }', '__proto__: text'])
    expect(project(document(fields), event(body))).toBeNull()
})

test('an event that tells of something deleted says so', async () => {
  const { errors } = await show(api.WatchSessionDocument, event({ type: 'PlanCreated', planId: 'plan_gone' }))
  expect(errors?.map((error) => error.extensions['code'])).toEqual(['NOT_FOUND'])
})

test('nobody without a token is shown anything', async () => {
  for (const [entry] of Object.values(everyEvent())) {
    const { data, errors } = await show(api.FollowSessionDocument, entry, null)
    expect([data, errors?.map((error) => error.extensions['code'])]).toEqual([null, ['UNAUTHENTICATED']])
  }
})

function viewOf(name: string, args: Readonly<Record<string, unknown>> = {}): LogView {
  const field = it.schema.getSubscriptionType()?.getFields()[name]
  return must(logViewOf(field?.extensions ?? {}), 'a log view')(args)
}

describe('views', () => {
  test.each([
    ['pipelineSteps', ['PipelineStep'], false],
    ['messageOutputs', ['TextDelta', 'TextCompleted'], false],
  ])('%s admits %j', (name, admitted, startsWithSnapshot) => {
    const view = viewOf(name)
    const events = Object.values(everyEvent()).flatMap(([entry]) => (entry.type === 'SessionSnapshot' ? [] : entry))
    expect(events.filter((entry) => view.admits(entry)).map((entry) => entry.type)).toEqual(admitted)
    expect(view.startsWithSnapshot).toBe(startsWithSnapshot)
  })

  test('sessionEvents admits all and starts with a snapshot', () => {
    const view = viewOf('sessionEvents')
    const events = Object.values(everyEvent()).flatMap(([entry]) => (entry.type === 'SessionSnapshot' ? [] : entry))
    expect(events.filter((entry) => !view.admits(entry))).toEqual([])
    expect(view.startsWithSnapshot).toBe(true)
  })

  test('sessionEvents admits the types that are asked for, all when none is', () => {
    const events = Object.values(everyEvent()).flatMap(([entry]) => (entry.type === 'SessionSnapshot' ? [] : entry))
    const admitted = (types: readonly string[]): string[] => {
      const view = viewOf('sessionEvents', { types })
      return events.filter((entry) => view.admits(entry)).map((entry) => entry.type)
    }
    expect(admitted(['TextDelta', 'Review'])).toEqual(['TextDelta', 'Review'])
    expect(admitted([])).toHaveLength(events.length)
  })

  test('each view shows its events', async () => {
    const cases = [
      [api.PipelineStepsDocument, 'PipelineStepEvent', { pipelineSteps: { seq: 7, step: 'PLANNING' } }],
      [api.MessageOutputsDocument, 'TextDeltaEvent', { messageOutputs: { delta: 'd' } }],
      [api.MessageOutputsDocument, 'TextCompletedEvent', { messageOutputs: { content: 'whole', attempt: 2 } }],
      [
        api.TaskUpdatesDocument,
        'TaskUpdateEvent',
        { sessionEvents: { taskStatus: 'RUNNING', task: { status: 'DONE' } } },
      ],
    ] as const
    for (const [document, name, expected] of cases) {
      const [entry] = must(everyEvent()[name], 'an event')
      expect((await show(document, entry)).data).toMatchObject(expected)
    }
  })
})
