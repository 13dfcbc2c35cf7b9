/** What a thread sent, checked: a plugin may have found a way to its port. */
import * as z from 'zod'
import { MAX_MESSAGE_CHARS, type FromThread } from '../../plugin-api/messages.ts'

const id = z.int().nonnegative()
const json = z.json()
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
  z.strictObject({ type: z.literal('LOADED'), manifest: z.unknown() }),
  z.strictObject({ type: z.literal('UNUSABLE'), message: short }),
  z.strictObject({ type: z.literal('RESULT'), id, value: json }),
  z.strictObject({ type: z.literal('ERROR'), id, message: short }),
  z.strictObject({ type: z.literal('PROGRESS'), id, progress }),
  z.strictObject({ type: z.literal('REQUEST'), request: id, call: id.nullable(), ask: z.unknown() }),
  z.strictObject({
    type: z.literal('LOG'),
    level: z.enum(['debug', 'info', 'warn', 'error']),
    message: short,
    fields: json.optional(),
  }),
  z.strictObject({ type: z.literal('PONG') }),
])

/** What most hooks answer. */
const ANSWERED_NOTHING = /^\{"type":"RESULT","id":(\d{1,15}),"value":null\}$/

/** Null: it breaks the protocol. */
export function parseThreadMessage(text: unknown): FromThread | null {
  if (typeof text !== 'string' || text.length > MAX_MESSAGE_CHARS) return null
  const id = ANSWERED_NOTHING.exec(text)?.[1]
  if (id !== undefined) return { type: 'RESULT', id: Number(id), value: null }
  try {
    return message.parse(JSON.parse(text))
  } catch {
    return null
  }
}
