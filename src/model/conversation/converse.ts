/** One answer in a conversation with tools, by the API that the provider is configured for. */
import type OpenAI from 'openai'
import { AppError } from '../../core/errors.ts'
import { readChatAnswer, type ChatAnswer } from '../chat-answer.ts'
import { judgeAnswer } from '../judge-answer.ts'
import type { ModelCallContext } from '../model-call-context.ts'
import { callProvider, PieceDelivery, type AnsweringOptions, type Endpoint, type Tried } from '../provider-call.ts'
import { keyOf } from '../wire/form-memory.ts'
import { sendShaped } from '../wire/shaped-request.ts'
import { chatBodyOf } from './chat-body.ts'
import type { ConversationAnswer, ConversationRequest } from './conversation.ts'
import { lostOr, responsesBodyOf } from './responses-body.ts'
import { readResponsesAnswer, type ResponsesReader } from './responses-answer.ts'

type Answer = Pick<ConversationAnswer, 'text' | 'calls' | 'responseId'>

/** Rejects as `LanguageModel.converse` says. */
export function converse(options: AnsweringOptions, request: ConversationRequest): Promise<ConversationAnswer> {
  const delivery = new PieceDelivery()
  const readers = {
    onText: delivery.to(request.onText),
    onThinking: delivery.to(request.onThinking),
    onTokens: delivery.onTokens,
  }
  return callProvider<Answer>(options, {
    operation: 'chat',
    request,
    wantsSchema: false,
    delivery,
    send: async (client, endpoint, call) => {
      if (endpoint.api === 'chat') {
        if (request.continues !== null) throw lost()
        const answer = await askChat(options, { client, endpoint, request, readers })
        return judged(answer, null, call)
      }
      const response = await askResponses(client, endpoint, request)
      const { responseId, ...answer } = await readResponsesAnswer(response, readers)
      return judged(answer, responseId, call)
    },
  })
}

interface ChatQuestion {
  readonly client: OpenAI
  readonly endpoint: Endpoint
  readonly request: ConversationRequest
  readonly readers: ResponsesReader
}

async function askChat(
  { forms: memory }: AnsweringOptions,
  { client, endpoint, request, readers }: ChatQuestion,
): Promise<ChatAnswer> {
  const key = keyOf(endpoint, request)
  const { request: settings } = endpoint
  const holds = (await memory.formOf(key)).beginsInThought
  const answer = await sendShaped({
    memory,
    key,
    settings,
    wantsSchema: false,
    send: async (shape) => {
      const body = chatBodyOf(request, shape, settings)
      const response = await client.chat.completions.create(body, { signal: request.signal }).asResponse()
      return readChatAnswer(response, { ...readers, holds })
    },
  })
  if (answer.beginsInThought) await memory.seeThought(key)
  return answer
}

async function askResponses(
  client: OpenAI,
  { request: settings }: Endpoint,
  request: ConversationRequest,
): Promise<Response> {
  try {
    const body = responsesBodyOf(request, settings)
    return await client.responses.create(body, { signal: request.signal }).asResponse()
  } catch (error) {
    throw request.continues === null ? error : lostOr(error)
  }
}

/** Its configuration changed meanwhile: what is said now is only the end of the conversation. */
function lost(): AppError {
  return new AppError('MODEL_CONVERSATION_LOST', 'The provider keeps no conversations any more.')
}

function judged(answer: ChatAnswer, responseId: string | null, call: ModelCallContext): Tried<Answer> {
  const problem: AppError | null = judgeAnswer(answer, call, { mayCall: true })
  const { text, calls, tokens } = answer
  return { answer: { text, calls, responseId }, problem, tokens, details: answer }
}
