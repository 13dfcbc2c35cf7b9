/**
 * One answer of a conversation: passes the gate, is recorded, and is asked for once, because what was streamed of an
 * answer cannot be taken back. What it calls is the turn's to check. A provider that keeps the conversation is sent
 * only what is new, and all of it when it has lost it, or takes nothing more into it.
 */
import { AppError, type AppErrorCode } from '../../core/errors.ts'
import { FactMarks } from '../../core/text/fact-marks.ts'
import type { ConversationAnswer } from '../../model/conversation/conversation.ts'
import type { Answer, AnswerReader, AssistantContext, WrittenMessage } from '../agent.ts'
import { Begun, callAgent, logFailure, type AskOptions } from '../ask.ts'
import { Fence } from '../prompt/fence.ts'
import { writtenOf } from '../messenger/output.ts'
import { renderConversation, renderSince } from './context.ts'

interface ConverseRequest {
  readonly context: AssistantContext
  /** Of the turn. */
  readonly startedAt: Date
  readonly reader: AnswerReader
  readonly signal: AbortSignal
}

/**
 * A provider takes no more into what it keeps: it has lost it, whatever words it has for that, or it has outgrown the
 * model. All of it, which is bounded, may still be taken.
 */
const NOT_CONTINUED: ReadonlySet<AppErrorCode> = new Set([
  'MODEL_CONVERSATION_LOST',
  'MODEL_BAD_REQUEST',
  'MODEL_UNKNOWN',
])

/** Rejects only for bugs, and with what the gate or the reader throws. */
export async function converse(
  options: AskOptions,
  asked: ConverseRequest,
): Promise<Answer<ConversationAnswer & WrittenMessage>> {
  const { model, gate, timeZone } = options
  const { context, startedAt, reader, signal } = asked
  const refused = await gate([])
  if (refused !== null) return { kind: 'failed', error: logFailure(options, 'assistant', refused), calls: [] }
  const fence = new Fence(context.fenceToken)
  const moment = { now: startedAt, timeZone }
  const { tools, kept } = context
  const whole = renderConversation(context, fence, moment)
  const call = {
    role: 'assistant',
    prompt: 'assistant',
    said: JSON.stringify({ said: whole, tools }, null, 1),
  } as const
  const begun = new Begun()
  const marks = new FactMarks()
  const onText = begun.watch((delta) => reader.onText(marks.push(delta)))
  const watched = { onText, onThinking: begun.watch(reader.onThinking) }
  const called = await callAgent(options, { ...call, begun }, async (frame) => {
    const { runtime } = options
    const request = { ...frame, ...watched, tools, signal, ...(runtime !== undefined && { runtime }) }
    const sendWhole = () => model.converse({ ...request, said: whole, continues: null })
    if (kept === null || kept.provider !== frame.provider || kept.model !== frame.model) return sendWhole()
    try {
      return await model.converse({
        ...request,
        said: renderSince(context, fence, moment),
        continues: kept.responseId,
      })
    } catch (error) {
      if (!(error instanceof AppError && NOT_CONTINUED.has(error.code)) || begun.isSo) throw error
      return sendWhole()
    }
  })
  const calls = called.records
  return called.kind === 'failed'
    ? { kind: 'failed', error: called.error, calls }
    : { kind: 'answered', output: { ...called.answer, ...writtenOf(called.answer.text, context.facts) }, calls }
}
