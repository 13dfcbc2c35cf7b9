/**
 * `LanguageModel` over any OpenAI-compatible endpoint, through the openai package. Every answer is asked for as a
 * stream, also when no client follows it: a model that thinks for minutes then still sends bytes, and only one that has
 * died is silent. A server that answers with a whole document instead is understood too.
 */
import type OpenAI from 'openai'
import type { RequestSettings } from '../config/config.ts'
import { readChatAnswer } from './chat-answer.ts'
import { converse } from './conversation/converse.ts'
import { judgeAnswer } from './judge-answer.ts'
import type { LanguageModel, ModelAnswer, ModelRequest } from './language-model.ts'
import { OpenAiClients } from './openai-clients.ts'
import { callProvider, PieceDelivery, type AnsweringOptions } from './provider-call.ts'
import { keyOf } from './wire/form-memory.ts'
import type { RequestShape } from './wire/request-shape.ts'
import { askForSchema, commonFields, sendShaped, textOfToolAnswer, withInstructions } from './wire/shaped-request.ts'

/** The model behind the endpoint that each call names. */
export function createOpenAiModel(options: Omit<AnsweringOptions, 'clients'>): LanguageModel {
  const parts = { ...options, clients: new OpenAiClients() }
  return {
    complete: (request) => complete(parts, request),
    converse: (request) => converse(parts, request),
  }
}

function complete(options: AnsweringOptions, request: ModelRequest): Promise<ModelAnswer> {
  const delivery = new PieceDelivery()
  const onText = delivery.to(request.onText)
  const { schema, signal } = request
  return callProvider(options, {
    operation: 'chat',
    request,
    wantsSchema: schema !== null,
    delivery,
    send: async (client, endpoint, call) => {
      const key = keyOf(endpoint, request)
      const { request: settings } = endpoint
      const { forms: memory } = options
      const holds = schema !== null || (await memory.formOf(key)).beginsInThought
      const answer = await sendShaped({
        memory,
        key,
        settings,
        wantsSchema: schema !== null,
        send: async (shape) => {
          const body = bodyOf(request, shape, settings)
          const response = await client.chat.completions.create(body, { signal }).asResponse()
          const read = await readChatAnswer(response, { onText, onTokens: delivery.onTokens, holds })
          return schema === null ? read : textOfToolAnswer(read, schema)
        },
      })
      if (answer.beginsInThought) await memory.seeThought(key)
      const { text, tokens } = answer
      return { answer: { text }, problem: judgeAnswer(answer, call), tokens, details: answer }
    },
  })
}

function bodyOf(
  { model, system, user, schema }: ModelRequest,
  shape: RequestShape,
  settings: RequestSettings,
): OpenAI.ChatCompletionCreateParams {
  const { fields, instruction } = schema === null ? { fields: {}, instruction: '' } : askForSchema(schema, shape)
  return {
    model,
    messages: withInstructions(system + instruction, [{ role: 'user', content: user }], shape),
    ...commonFields(shape, settings),
    ...fields,
  }
}
