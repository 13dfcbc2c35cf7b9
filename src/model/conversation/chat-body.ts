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
    messages: withInstructions(system, said.map(messageOf), shape),
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

function messageOf(one: ConversationMessage): OpenAI.ChatCompletionMessageParam {
  if (one.by === 'user') return { role: 'user', content: one.text }
  if (one.by === 'tool') return { role: 'tool', tool_call_id: one.callId, content: one.text }
  if (one.calls.length === 0) return { role: 'assistant', content: one.text }
  return {
    role: 'assistant',
    content: one.text === '' ? null : one.text,
    tool_calls: one.calls.map(({ id, name, written }) => ({
      id,
      type: 'function',
      function: { name: plainName(name), arguments: written === '' ? '{}' : written },
    })),
  }
}
