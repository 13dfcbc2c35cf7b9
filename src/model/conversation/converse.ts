/** One answer in a conversation with tools, by the API that the provider is configured for. */
import type OpenAI from 'openai'
import type { AppError } from '../../core/errors.ts'
import { readChatAnswer, type ChatAnswer } from '../chat-answer.ts'
import { judgeAnswer } from '../judge-answer.ts'
import type { ModelCallContext } from '../model-call-context.ts'
import { callProvider, PieceDelivery, type ProviderOptions, type Tried } from '../provider-call.ts'
import { chatBodyOf } from './chat-body.ts'
import type { ConversationAnswer, ConversationRequest } from './conversation.ts'
import { lostOr, responsesBodyOf } from './responses-body.ts'
import { readResponsesAnswer } from './responses-answer.ts'

type Answer = Pick<ConversationAnswer, 'text' | 'calls' | 'responseId'>

/** Rejects as `LanguageModel.converse` says. */
export function converse(options: ProviderOptions, request: ConversationRequest): Promise<ConversationAnswer> {
  const delivery = new PieceDelivery()
  const readers = { onText: delivery.to(request.onText), onThinking: delivery.to(request.onThinking) }
  return callProvider<Answer>(options, {
    request,
    wantsSchema: false,
    delivery,
    send: async (client, { api }, call) => {
      const { signal } = request
      if (api === 'chat') {
        const response = await client.chat.completions.create(chatBodyOf(request), { signal }).asResponse()
        return judged(await readChatAnswer(response, { client, ...readers }), null, call)
      }
      const response = await askResponses(client, request)
      const { responseId, ...answer } = await readResponsesAnswer(response, { client, ...readers })
      return judged(answer, responseId, call)
    },
  })
}

async function askResponses(client: OpenAI, request: ConversationRequest): Promise<Response> {
  try {
    return await client.responses.create(responsesBodyOf(request), { signal: request.signal }).asResponse()
  } catch (error) {
    throw request.continues === null ? error : lostOr(error)
  }
}

function judged(answer: ChatAnswer, responseId: string | null, call: ModelCallContext): Tried<Answer> {
  const problem: AppError | null = judgeAnswer(answer, call, { mayCall: true })
  const { text, calls, tokens } = answer
  return { answer: { text, calls, responseId }, problem, tokens }
}
