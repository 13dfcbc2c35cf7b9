/** A conversation as the Responses API takes it, which keeps what it answered and goes on from there. */
import OpenAI from 'openai'
import type { RequestSettings } from '../../config/config.ts'
import { AppError } from '../../core/errors.ts'
import type { ConversationRequest, ConversationMessage } from './conversation.ts'
import { plainName } from './plain-name.ts'

/** The body of the request. The answer is kept by the provider, so that `continues` can name it. */
export function responsesBodyOf(
  request: ConversationRequest,
  { maxTokens, extraBody }: Pick<RequestSettings, 'maxTokens' | 'extraBody'>,
): OpenAI.Responses.ResponseCreateParamsStreaming {
  const { model, system, said, tools, continues } = request
  return {
    ...extraBody,
    model,
    instructions: system,
    input: said.flatMap(itemsOf),
    stream: true,
    store: true,
    ...(continues === null ? {} : { previous_response_id: continues }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            name,
            description,
            parameters: { ...parameters },
            strict: false,
          })),
        }),
    ...(maxTokens === null ? {} : { max_output_tokens: maxTokens }),
  }
}

function itemsOf(one: ConversationMessage): OpenAI.Responses.ResponseInputItem[] {
  if (one.by === 'user') return [{ role: 'user', content: one.text }]
  if (one.by === 'tool') return [{ type: 'function_call_output', call_id: one.callId, output: one.text }]
  return [
    ...(one.text === '' ? [] : [{ role: 'assistant' as const, content: one.text }]),
    ...one.calls.map(({ id, name, written }) => ({
      type: 'function_call' as const,
      call_id: id,
      name: plainName(name),
      arguments: written === '' ? '{}' : written,
    })),
  ]
}

/** The error as it is, or MODEL_CONVERSATION_LOST when the provider does not know the answer that was continued. */
export function lostOr(error: unknown): unknown {
  if (!(error instanceof OpenAI.APIError)) return error
  const isRejection = error.status === 400 || error.status === 404
  const words = `${error.code ?? ''} ${error.param ?? ''} ${error.message}`
  if (!isRejection || !/previous[_ ]response|response.{0,80}not found/i.test(words)) return error
  return new AppError('MODEL_CONVERSATION_LOST', 'The provider no longer has the conversation.', { cause: error })
}
