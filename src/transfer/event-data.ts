/**
 * What stands in `data` of each type of event, for events that come from outside. The types are those of
 * core/session-event.ts. What passes here can be served: one value that the API cannot write would end the subscription
 * of every reader at this event, for good.
 */
import * as z from 'zod'
import { isDeeper, MAX_LEVELS } from '../core/tool/nesting.ts'
import type { SessionEventBody, SessionEventType } from '../core/session-event.ts'
import { CheckpointReason, PipelineStep, ReviewVerdict, TaskStatus, TurnStatus } from '../generated/prisma/enums.ts'
import { storable } from './storable.ts'

type Data<Type extends SessionEventType> = Omit<Extract<SessionEventBody, { type: Type }>, 'type'>

const orNull = storable.nullable()
const NO_JSON = `must be JSON that is nested at most ${MAX_LEVELS} levels deep`
const count = z.int().min(0)
const usage = z.strictObject({
  calls: count,
  inputTokens: count,
  outputTokens: count,
  cachedTokens: count,
  cost: z.number().nullable(),
})

export const EVENT_DATA: { readonly [Type in SessionEventType]: z.ZodType<Data<Type>> } = {
  MessageReceived: z.strictObject({ messageId: storable }),
  MessageUpdated: z.strictObject({ messageId: storable }),
  SessionUpdated: z.strictObject({ erased: z.literal(true).exactOptional() }),
  FileReceived: z.strictObject({ fileId: storable }),
  Plugin: z.strictObject({ plugin: storable, name: storable, json: storable.refine(isJson, NO_JSON) }),
  PipelineStep: z.strictObject({ step: z.enum(PipelineStep), detail: orNull }),
  PlanCreated: z.strictObject({ planId: storable }),
  TaskUpdate: z.strictObject({ taskId: storable, status: z.enum(TaskStatus) }),
  TaskOutput: z.strictObject({ taskId: storable, stream: z.enum(['STDOUT', 'STDERR']), text: storable }),
  TextDelta: z.strictObject({ taskId: storable, delta: storable }),
  TextCompleted: z.strictObject({
    taskId: storable,
    content: storable,
    final: z.boolean(),
    attempt: z.int32().min(0),
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
  TurnPaused: z.strictObject({ reason: storable, until: z.iso.datetime({ offset: true }).nullable() }),
  Checkpoint: z.strictObject({ reason: z.enum(CheckpointReason), ok: z.boolean(), failure: orNull }),
  TurnCompleted: z.strictObject({
    status: z.enum(TurnStatus),
    commandsHandled: z.array(storable),
    durationMs: count,
    usage,
    failure: orNull,
  }),
}

/** What a plugin may record (plugins/thread/thread-messages.ts). */
function isJson(text: string): boolean {
  try {
    return !isDeeper(JSON.parse(text), MAX_LEVELS)
  } catch {
    return false
  }
}
