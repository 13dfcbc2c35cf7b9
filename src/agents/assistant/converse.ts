/**
 * One answer of a conversation: passes the gate, is recorded, and is asked for once, because what was streamed of an
 * answer cannot be taken back. What it calls is the turn's to check.
 */
import type { ConversationAnswer } from '../../model/conversation/conversation.ts'
import type { Answer, AnswerReader, AssistantContext } from '../agent.ts'
import { Begun, callAgent, logFailure, type AskOptions } from '../ask.ts'
import { Fence } from '../fence.ts'
import { renderConversation } from './context.ts'

interface Asked {
  readonly context: AssistantContext
  /** Of the turn. */
  readonly startedAt: Date
  readonly reader: AnswerReader
  readonly signal: AbortSignal
}

/** Rejects only for bugs, and with what the gate or the reader throws. */
export async function converse(options: AskOptions, asked: Asked): Promise<Answer<ConversationAnswer>> {
  const { model, gate, timeZone } = options
  const { context, startedAt, reader, signal } = asked
  const refused = await gate([])
  if (refused !== null) return { kind: 'failed', error: logFailure(options, 'assistant', refused), calls: [] }
  const said = renderConversation(context, new Fence(context.fenceToken), { now: startedAt, timeZone })
  const { tools } = context
  const call = { role: 'assistant', prompt: 'assistant', said: JSON.stringify({ said, tools }, null, 1) } as const
  const begun = new Begun()
  const watched = { onText: begun.watch(reader.onText), onThinking: begun.watch(reader.onThinking) }
  const called = await callAgent(options, { ...call, begun }, (frame) =>
    model.converse({ ...frame, ...watched, said, tools, continues: null, signal }),
  )
  const calls = called.records
  return called.kind === 'failed'
    ? { kind: 'failed', error: called.error, calls }
    : { kind: 'answered', output: called.answer, calls }
}
