/** What a thread sent, checked: a plugin may have found a way to its port. */
import * as z from 'zod'
import { isDeeper, MAX_LEVELS } from '../../core/tool/nesting.ts'
import type { Json } from '../../plugin-api/hook-inputs.ts'
import { MAX_MESSAGE_CHARS, type FromThread } from '../../plugin-api/messages.ts'

const id = z.int().nonnegative()
/** It comes from JSON.parse, so it is JSON: zod would take 0.5 s to say so of a megabyte of small values. */
const json = z.custom<Json>(
  (value) => value !== undefined && !isDeeper(value, MAX_LEVELS),
  `must be JSON that is nested at most ${MAX_LEVELS} levels deep`,
)
const ofAnyDepth = z.custom<Json>((value) => value !== undefined)
const TOO_DEEP = `JSON that is nested more than ${MAX_LEVELS} levels deep`
const short = z.string().max(10_000)
/** What a plugin asks for: wrong values are its author's mistake, and refused. */
export const serverRequest = z.discriminatedUnion('what', [
  z.object({ what: z.enum(['STATE_GET', 'STATE_DELETE', 'STATE_KEYS']), key: z.string().max(200) }),
  z.object({ what: z.literal('STATE_SET'), key: z.string().min(1).max(200), value: json }),
  z.object({ what: z.literal('SEND_MESSAGE'), sessionId: short, user: short, text: z.string() }),
  z.object({ what: z.literal('APPEND_MESSAGE'), sessionId: short, text: z.string() }),
  z.object({ what: z.literal('RECORD'), sessionId: short, name: short, data: json }),
  z.object({ what: z.literal('FORGET'), thanDays: z.number().min(0).max(36_500) }),
  z.object({
    what: z.literal('PROGRAM_START'),
    command: short,
    args: z.array(z.string().max(100_000)).max(100),
    environment: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/), short),
    network: z.boolean(),
  }),
  z.object({ what: z.literal('PROGRAM_WRITE'), program: id, text: z.string() }),
  z.object({ what: z.enum(['PROGRAM_READ', 'PROGRAM_END']), program: id }),
  z.object({ what: z.literal('RUN_TOOL'), name: short, args: z.record(z.string(), json) }),
])
const progress = z.strictObject({
  done: z.number(),
  total: z.number().nullable(),
  message: z.string().max(1000).nullable(),
})

const message = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('LOADED'), manifest: json }),
  z.strictObject({ type: z.literal('UNUSABLE'), message: short }),
  z.strictObject({ type: z.literal('RESULT'), id, value: ofAnyDepth }),
  z.strictObject({ type: z.literal('ERROR'), id, message: short }),
  z.strictObject({ type: z.literal('PROGRESS'), id, progress }),
  z.strictObject({ type: z.literal('REQUEST'), request: id, call: id.nullable(), ask: z.unknown() }),
  z.strictObject({
    type: z.literal('LOG'),
    level: z.enum(['debug', 'info', 'warn', 'error']),
    message: short,
    fields: json.catch(TOO_DEEP).optional(),
  }),
  z.strictObject({ type: z.literal('PONG') }),
])

/** What most hooks answer. */
const ANSWERED_NOTHING = /^\{"type":"RESULT","id":(\d{1,15}),"value":null\}$/

/** Null: it breaks the protocol. An answer that is nested too deeply fails its call, and no other. */
export function parseThreadMessage(text: unknown): FromThread | null {
  if (typeof text !== 'string' || text.length > MAX_MESSAGE_CHARS) return null
  const id = ANSWERED_NOTHING.exec(text)?.[1]
  if (id !== undefined) return { type: 'RESULT', id: Number(id), value: null }
  try {
    const sent = message.parse(JSON.parse(text))
    if (sent.type !== 'RESULT' || !isDeeper(sent.value, MAX_LEVELS)) return sent
    return { type: 'ERROR', id: sent.id, message: `it answered ${TOO_DEEP}` }
  } catch {
    return null
  }
}
