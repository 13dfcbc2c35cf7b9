/**
 * `LanguageModel` over any OpenAI-compatible endpoint, through the openai package. Every answer is asked for as a
 * stream, also when no client follows it: a model that thinks for minutes then still sends bytes, and only one that has
 * died is silent. A server that answers with a whole document instead is understood too.
 */
import type OpenAI from 'openai'
import { readChatAnswer } from './chat-answer.ts'
import { converse } from './conversation/converse.ts'
import { judgeAnswer } from './judge-answer.ts'
import type { LanguageModel, ModelAnswer, ModelRequest } from './language-model.ts'
import { OpenAiClients } from './openai-clients.ts'
import { callProvider, PieceDelivery, type ProviderOptions } from './provider-call.ts'

/** The model behind the endpoint that each call names. */
export function createOpenAiModel(options: Omit<ProviderOptions, 'clients'>): LanguageModel {
  const parts = { ...options, clients: new OpenAiClients() }
  return {
    complete: (request) => complete(parts, request),
    converse: (request) => converse(parts, request),
  }
}

function complete(options: ProviderOptions, request: ModelRequest): Promise<ModelAnswer> {
  const delivery = new PieceDelivery()
  const onText = delivery.to(request.onText)
  return callProvider(options, {
    request,
    wantsSchema: request.schema !== null,
    delivery,
    send: async (client, _endpoint, call) => {
      const response = await client.chat.completions.create(bodyOf(request), { signal: request.signal }).asResponse()
      const answer = await readChatAnswer(response, { client, onText })
      return { answer: { text: answer.text }, problem: judgeAnswer(answer, call), tokens: answer.tokens }
    },
  })
}

function bodyOf({ model, system, user, schema }: ModelRequest): OpenAI.ChatCompletionCreateParamsStreaming {
  return {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    stream: true,
    stream_options: { include_usage: true },
    ...(schema === null
      ? {}
      : {
          response_format: {
            type: 'json_schema',
            json_schema: { name: schema.name, strict: true, schema: { ...schema.json } },
          },
        }),
  }
}
