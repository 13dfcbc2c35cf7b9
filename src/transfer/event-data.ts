/**
 * What stands in `data` of each type of event, for events that come from outside. The types are those of
 * core/session-event.ts.
 */
import * as z from 'zod'
import type { SessionEventBody, SessionEventType } from '../core/session-event.ts'
import { CheckpointReason, PipelineStep, ReviewVerdict, TaskStatus, TurnStatus } from '../generated/prisma/enums.ts'
import { storable } from './storable.ts'

type Data<Type extends SessionEventType> = Omit<Extract<SessionEventBody, { type: Type }>, 'type'>

const orNull = storable.nullable()
const usage = z.strictObject({
  calls: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.number(),
  cost: z.number().nullable(),
})

export const EVENT_DATA: { readonly [Type in SessionEventType]: z.ZodType<Data<Type>> } = {
  MessageReceived: z.strictObject({ messageId: storable }),
  MessageUpdated: z.strictObject({ messageId: storable }),
  SessionUpdated: z.strictObject({ erased: z.literal(true).exactOptional() }),
  FileReceived: z.strictObject({ fileId: storable }),
  Plugin: z.strictObject({ plugin: storable, name: storable, json: storable.refine(isJson) }),
  PipelineStep: z.strictObject({ step: z.enum(PipelineStep), detail: orNull }),
  PlanCreated: z.strictObject({ planId: storable }),
  TaskUpdate: z.strictObject({ taskId: storable, status: z.enum(TaskStatus) }),
  TaskOutput: z.strictObject({ taskId: storable, stream: z.enum(['STDOUT', 'STDERR']), text: storable }),
  TextDelta: z.strictObject({ taskId: storable, delta: storable }),
  TextCompleted: z.strictObject({
    taskId: storable,
    content: storable,
    final: z.boolean(),
    attempt: z.number(),
    notice: z.literal(true).exactOptional(),
  }),
  Thinking: z.strictObject({ thinkingId: storable, delta: orNull, content: orNull }),
  TaskProgress: z.strictObject({ taskId: storable, done: z.number(), total: z.number().nullable(), message: orNull }),
  Review: z.strictObject({
    taskId: storable,
    verdict: z.enum(ReviewVerdict),
    reason: orNull,
    learningId: orNull.exactOptional(),
  }),
  Approval: z.strictObject({ approvalId: storable }),
  Delegation: z.strictObject({ delegationId: storable }),
  TurnPaused: z.strictObject({ reason: storable, until: orNull }),
  Checkpoint: z.strictObject({ reason: z.enum(CheckpointReason), ok: z.boolean(), failure: orNull }),
  TurnCompleted: z.strictObject({
    status: z.enum(TurnStatus),
    commandsHandled: z.array(storable),
    durationMs: z.number(),
    usage,
    failure: orNull,
  }),
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
