/** The body of `POST /v1/chat/completions`. */
import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod'
import {
  commonSchema,
  formatSchema,
  messageSchema,
  parseBody,
  readMessages,
  readOptions,
  refuseFormat,
  refuseTools,
  type Ask,
} from './ask.ts'
import { invalid } from './openai-error.ts'

const chatSchema = commonSchema.extend({
  messages: z.array(messageSchema).min(1),
  n: z.number().nullish(),
  response_format: formatSchema,
  logprobs: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
})

export function readChatRequest(body: unknown, headers: IncomingHttpHeaders): Ask {
  const chat = parseBody(chatSchema, body)
  refuseTools(chat)
  if ((chat.n ?? 1) !== 1)
    throw invalid('n: there is one answer to a message. Leave it out.', 'n', 'unsupported_parameter')
  if (chat.logprobs === true)
    throw invalid('logprobs: there are none. Leave it out.', 'logprobs', 'unsupported_parameter')
  refuseFormat(chat.response_format, 'response_format')
  return {
    ...readOptions(chat, headers),
    ...readMessages(chat.messages, 'messages'),
    previousId: null,
    background: false,
    includeUsage: chat.stream_options?.include_usage === true,
  }
}
