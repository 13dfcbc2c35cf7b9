/** The body of `POST /v1/responses`. */
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
} from '../ask.ts'
import { invalid } from '../openai-error.ts'

const responsesSchema = commonSchema.extend({
  input: z.union([z.string(), z.array(z.looseObject({ type: z.string().nullish() }))]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
  background: z.boolean().nullish(),
  text: z.looseObject({ format: formatSchema }).nullish(),
  prompt: z.unknown().optional(),
})

/** Without the instructions that one holds, the answer would be to another question. */
const NO_TEMPLATES = 'prompt: this server keeps no templates. Send its text as "instructions" and "input".'

/** What clients repeat of earlier answers besides their texts. */
const REPEATED: ReadonlySet<string> = new Set(['reasoning', 'item_reference'])

export function readResponsesRequest(body: unknown, headers: IncomingHttpHeaders): Ask {
  const request = parseBody(responsesSchema, body)
  refuseTools(request)
  refuseFormat(request.text?.format, 'text.format')
  if (request.prompt != null) throw invalid(NO_TEMPLATES, 'prompt', 'unsupported_parameter')
  const { session, ...options } = readOptions(request, headers)
  const { conversation } = request
  const named = typeof conversation === 'string' ? conversation : (conversation?.id ?? null)
  const said = readInput(request.input)
  return {
    ...options,
    ...said,
    session: session ?? named,
    instructions: [request.instructions ?? '', said.instructions ?? ''].join('\n\n').trim() || null,
    previousId:
      request.previous_response_id == null ? referredTo(request.input) : previousOf(request.previous_response_id),
    includeUsage: true,
    background: request.background === true,
  }
}

function readInput(input: z.infer<typeof responsesSchema>['input']): ReturnType<typeof readMessages> {
  if (input === '') throw invalid('input: must not be empty.', 'input')
  if (typeof input === 'string') return { text: input, param: 'input', history: [], instructions: null }
  const newest = input.findLastIndex(isMessage)
  const stranger = input.findIndex(
    (item, index) => index > newest && !isMessage(item) && !REPEATED.has(item.type ?? ''),
  )
  if (stranger >= 0)
    throw invalid(
      `input.${stranger}.type: the agent takes messages, and calls its tools itself: leave "${input[stranger]?.type}" out.`,
      `input.${stranger}.type`,
    )
  const places = input.flatMap((item, index) => (isMessage(item) ? index : []))
  const messages = places.map((index) => parseBody(messageSchema, input[index], ['input', index]))
  return readMessages(messages, 'input', places)
}

/** What stands among messages that were said before, such as another agent's calls, is not read. */
function isMessage({ type }: { readonly type?: string | null | undefined }): boolean {
  return type == null || type === 'message'
}

/**
 * Whose response the last item is of that the client names instead of repeating it, as the Vercel AI SDK does: nothing
 * else says then what was answered. Null: it names none of this server's.
 */
function referredTo(input: z.infer<typeof responsesSchema>['input']): string | null {
  if (typeof input === 'string') return null
  const last = input.findLast(({ type }) => type === 'item_reference')?.['id']
  return /^(?:rs|msg)_((?:turn|appr|msg)_[0-9a-z]{26})_\d+$/.exec(String(last))?.[1] ?? null
}

/** Of an answer: that of its turn, of the approval that was decided, or of a message that starts no turn. */
export function responseId(ownerId: string): string {
  return `resp_${ownerId}`
}

/** Null: it is the id of no response. */
export function ownerOf(responseId: string): string | null {
  return /^resp_(turn|appr|msg)_[0-9a-z]{26}$/.test(responseId) ? responseId.slice('resp_'.length) : null
}

function previousOf(responseId: string): string {
  const owner = ownerOf(responseId)
  if (owner !== null) return owner
  throw invalid(`${responseId.slice(0, 100)} is the id of no response.`, 'previous_response_id', 'not_found')
}
