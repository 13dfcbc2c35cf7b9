/** A conversation as Chat Completions takes it. */
import type OpenAI from 'openai'
import type { ConversationRequest, Said } from './conversation.ts'

/** The body of the request; without tools it says nothing of them, which some servers insist on. */
export function chatBodyOf({
  model,
  system,
  said,
  tools,
}: ConversationRequest): OpenAI.ChatCompletionCreateParamsStreaming {
  return {
    model,
    messages: [{ role: 'system', content: system }, ...said.map(messageOf)],
    stream: true,
    stream_options: { include_usage: true },
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

function messageOf(one: Said): OpenAI.ChatCompletionMessageParam {
  if (one.by === 'user') return { role: 'user', content: one.text }
  if (one.by === 'tool') return { role: 'tool', tool_call_id: one.callId, content: one.text }
  if (one.calls.length === 0) return { role: 'assistant', content: one.text }
  return {
    role: 'assistant',
    content: one.text === '' ? null : one.text,
    tool_calls: one.calls.map(({ id, name, written }) => ({
      id,
      type: 'function',
      function: { name, arguments: written === '' ? '{}' : written },
    })),
  }
}
