/**
 * Which fields of what a turn plans and writes hold free text: its plan, its rows, its events, and the entries of the
 * audit.
 */
import type { ModelCallTexts } from '../core/model-call.ts'
import type { AuditBody } from '../core/audit-entry.ts'
import type { SessionEventBody } from '../core/session-event.ts'
import type { ProposedPlan } from '../core/plan/plan.ts'
import type { NewTask, TaskPatch, TurnWrite } from '../core/turn-write.ts'
import { redactByKind, redactTexts, type FreeTexts, type TextsByKind } from './free-texts.ts'
import type { Redactor } from './redaction.ts'

const EVENT_TEXTS: TextsByKind<SessionEventBody, 'type'> = {
  MessageReceived: { messageId: 'kept' },
  MessageUpdated: { messageId: 'kept' },
  SessionUpdated: {},
  FileReceived: { fileId: 'kept' },
  Plugin: { plugin: 'kept', name: 'text', json: 'text' },
  PipelineStep: { detail: 'text' },
  PlanCreated: { planId: 'kept' },
  TaskUpdate: { taskId: 'kept' },
  TaskOutput: { taskId: 'kept', text: 'text' },
  TextDelta: { taskId: 'kept', delta: 'text' },
  Thinking: { thinkingId: 'kept', delta: 'text', content: 'text' },
  TaskProgress: { taskId: 'kept', message: 'text' },
  TextCompleted: { taskId: 'kept', content: 'text' },
  Review: { taskId: 'kept', reason: 'text', learningId: 'kept' },
  Approval: { approvalId: 'kept' },
  Delegation: { delegationId: 'kept' },
  TurnPaused: { reason: 'text', until: 'kept' },
  Checkpoint: { failure: 'text' },
  TurnCompleted: { commandsHandled: 'text', failure: 'text' },
}

/** Whom the audit names, and what was paid, is kept: who makes a secret of these words must not vanish from it. */
const AUDIT_TEXTS: TextsByKind<AuditBody, 'kind'> = {
  MODEL_CALL: { provider: 'kept', model: 'kept', status: 'kept' },
  TASK: { taskId: 'kept', detail: 'text' },
  REVIEW: { taskId: 'kept' },
  DELIVERY: { deliveryId: 'kept', taskId: 'kept', url: 'text' },
  KNOWLEDGE: { subjectId: 'kept', change: 'kept', reason: 'text' },
  ACCESS_DENIED: { field: 'text' },
  APPROVAL: { approvalId: 'kept', taskId: 'kept', note: 'text', before: 'text', after: 'text' },
  CONFIG: { detail: 'text' },
  SESSION: { detail: 'text' },
}

/** As the planner answers; also where it is shown its own plan again. */
export const PLAN_TEXTS: FreeTexts<ProposedPlan> = {
  factsUsed: 'kept',
  goal: 'text',
  tasks: { detail: 'text', skill: 'text', tool: 'text', args: 'text', expect: 'text' },
  secrets: { key: 'text', value: 'text' },
  answers: { questionId: 'kept', answer: 'text', outcome: { factId: 'kept', text: 'text' } },
}

/** How a task comes out. */
export const PATCH_TEXTS: FreeTexts<TaskPatch> = { output: 'text', stderr: 'text', reviewReason: 'text' }
const LEARNING_ENTRY = {
  reason: 'text',
  repeatsFactId: 'kept',
  repeatsLearningId: 'kept',
  similarFactIds: 'kept',
  scopeOf: 'kept',
} as const
const NEW_TEXT = { id: 'kept', content: 'text', norm: 'text' } as const
export const CURATION_TEXTS = {
  learningId: 'kept',
  reason: 'text',
  repeatsFactId: 'kept',
  repeatsLearningId: 'kept',
  questionId: 'kept',
  replaces: { factId: 'kept' },
  changeId: 'kept',
  fact: NEW_TEXT,
  question: { ...NEW_TEXT, factIds: 'kept' },
} as const

/** A task as it is added to a plan. */
export const NEW_TASK_TEXTS: FreeTexts<NewTask> = {
  id: 'kept',
  planId: 'kept',
  detail: 'text',
  skill: 'text',
  tool: 'text',
  args: 'json',
  expect: 'text',
  callId: 'kept',
  patch: PATCH_TEXTS,
}

/** What was sent to a model, and what it answered. */
export const CALL_TEXTS: FreeTexts<ModelCallTexts> = {
  system: 'repeated',
  sharedSha256: 'kept',
  prompt: 'text',
  answer: 'text',
}

const WRITE_TEXTS: FreeTexts<Omit<TurnWrite, 'events' | 'audit'>> = {
  plans: { id: 'kept', goal: 'text', replanReason: 'text', rights: 'text', secretNames: 'text' },
  tasks: NEW_TASK_TEXTS,
  taskPatches: PATCH_TEXTS,
  modelCalls: { provider: 'kept', model: 'kept', status: 'kept', texts: CALL_TEXTS },
  callTexts: { id: 'kept', ...CALL_TEXTS },
  dropDeltasOf: 'kept',
  learnings: { ...NEW_TEXT, taskId: 'kept', entry: LEARNING_ENTRY },
  curations: CURATION_TEXTS,
  factsShown: 'kept',
  factsUsed: 'kept',
  questionsAsked: 'kept',
  answers: {
    questionId: 'kept',
    answer: 'text',
    learningIds: 'kept',
    learning: { ...NEW_TEXT, entry: LEARNING_ENTRY },
    changeId: 'kept',
  },
  messageTexts: { id: 'kept', paraphrase: 'text', content: 'text' },
  preview: { wasSha256: 'kept', now: 'text' },
  summary: { text: 'text' },
  deliveries: { id: 'kept', taskId: 'kept' },
  files: { id: 'kept', taskId: 'kept', name: 'text', contentType: 'kept', userName: 'kept' },
  pause: { reason: 'text' },
  approvals: { id: 'kept', taskId: 'kept', fingerprint: 'kept', reason: 'text' },
  settledApprovals: { id: 'kept' },
  delegations: {
    id: 'kept',
    taskId: 'kept',
    tokenName: 'kept',
    messageId: 'kept',
    tools: 'kept',
    task: 'text',
    expect: 'text',
  },
  delegationSteps: { id: 'kept', messageId: 'kept', feedback: 'text', failure: 'text' },
  failure: { text: 'text', detail: 'text' },
  providerState: {
    provider: 'kept',
    model: 'kept',
    responseId: 'kept',
    turnId: 'kept',
    userName: 'kept',
    role: 'kept',
    reach: 'kept',
  },
  pluginWork: {
    sections: { id: 'kept', title: 'text', text: 'text', plugin: 'kept' },
    commands: { name: 'text', args: 'text', plugin: 'kept' },
  },
  finish: {
    failure: 'text',
    failureDetail: 'text',
    joined: { turnId: 'kept', messageId: 'kept' },
    commandsHandled: 'text',
    hooksDue: 'kept',
  },
}

/** All declarations by which `redactWrite` goes. */
export const DECLARED_TEXTS = { events: EVENT_TEXTS, audit: AUDIT_TEXTS, writes: WRITE_TEXTS }

/** What a turn writes, without secrets. */
export function redactWrite(write: TurnWrite, redactor: Redactor): TurnWrite {
  if (redactor.isEmpty) return write
  const { events, audit = [], ...rest } = write
  const event = (body: SessionEventBody): SessionEventBody =>
    redactByKind(body, { by: 'type', texts: EVENT_TEXTS }, redactor)
  const entry = (body: AuditBody): AuditBody => redactByKind(body, { by: 'kind', texts: AUDIT_TEXTS }, redactor)
  return {
    ...redactTexts(rest, WRITE_TEXTS, redactor),
    events: events.map((one) => ({ ...one, body: event(one.body) })),
    audit: audit.map((one) => ({ ...one, body: entry(one.body) })),
  }
}
