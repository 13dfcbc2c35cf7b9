/** A conversation as Chat Completions takes it. */
import type OpenAI from 'openai'
import type { RequestSettings } from '../../config/config.ts'
import type { RequestShape } from '../wire/request-shape.ts'
import { commonFields, withInstructions } from '../wire/shaped-request.ts'
import type { ConversationRequest, ConversationMessage } from './conversation.ts'
import { plainName } from './plain-name.ts'

/** The body of the request; without tools it says nothing of them, which some servers insist on. */
export function chatBodyOf(
  { model, system, said, tools }: ConversationRequest,
  shape: RequestShape,
  settings: RequestSettings,
): OpenAI.ChatCompletionCreateParams {
  return {
    model,
    messages: withInstructions(
      system,
      inOrder(said, shape).map((one) => messageOf(one, shape)),
      shape,
    ),
    ...commonFields(shape, settings),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            function: { name, description, parameters: { ...parameters } },
          })),
        }),
  }
}

/** Where a provider wants an answer between the result of a tool and what the user says. */
const BETWEEN: ConversationMessage = { by: 'assistant', text: 'Understood.', calls: [] }

/** What one side says twice in a row is one message: chat templates may insist on user and assistant by turns. */
function inOrder(said: readonly ConversationMessage[], shape: RequestShape): readonly ConversationMessage[] {
  const ordered: ConversationMessage[] = []
  for (const one of shape.callIds === 'short' ? withShortIds(said) : said) {
    const last = ordered.at(-1)
    if (one.by === 'user' && last?.by === 'user')
      ordered[ordered.length - 1] = { by: 'user', text: `${last.text}\n\n${one.text}` }
    else if (one.by === 'user' && last?.by === 'tool' && shape.afterTools === 'assistant') ordered.push(BETWEEN, one)
    else ordered.push(one)
  }
  return ordered
}

/** Numbered, so that a conversation that has grown begins as it did. */
function withShortIds(said: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const short = new Map<string, string>()
  let count = 0
  return said.map((one) => {
    if (one.by === 'user') return one
    if (one.by === 'tool') return { ...one, callId: short.get(one.callId) ?? one.callId }
    const calls = one.calls.map((call) => {
      const id = `call${String(count++).padStart(5, '0')}`
      short.set(call.id, id)
      return { ...call, id }
    })
    return { ...one, calls }
  })
}

/** Gemini's own word for a call whose signature is not at hand. */
const SIGNED = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } }
/** An empty text counts as none where it is demanded. */
const REASONED = { reasoning_content: ' ' }

function messageOf(one: ConversationMessage, { thoughtMark }: RequestShape): OpenAI.ChatCompletionMessageParam {
  if (one.by === 'user') return { role: 'user', content: one.text }
  if (one.by === 'tool') return { role: 'tool', tool_call_id: one.callId, content: one.text }
  const mark = thoughtMark === 'reasoning_content' ? REASONED : {}
  if (one.calls.length === 0) return { role: 'assistant', content: one.text, ...mark }
  return {
    role: 'assistant',
    content: one.text === '' ? null : one.text,
    ...mark,
    tool_calls: one.calls.map(({ id, name, written }, at) => ({
      id,
      type: 'function',
      function: { name: plainName(name), arguments: written === '' ? '{}' : written },
      ...(at === 0 && thoughtMark === 'thought_signature' ? SIGNED : {}),
    })),
  }
}
