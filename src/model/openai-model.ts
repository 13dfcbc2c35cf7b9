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
import { callProvider, modelAt, PieceDelivery, type ProviderOptions } from './provider-call.ts'
import { ShapeMemory, ThoughtMemory, type RequestShape } from './wire/request-shape.ts'
import { askForSchema, commonFields, sendShaped, textOfToolAnswer, withInstructions } from './wire/shaped-request.ts'

/** The model behind the endpoint that each call names. */
export function createOpenAiModel(options: Omit<ProviderOptions, 'clients' | 'shapes' | 'thoughts'>): LanguageModel {
  const memories = { clients: new OpenAiClients(), shapes: new ShapeMemory(), thoughts: new ThoughtMemory() }
  const parts = { ...options, ...memories }
  return {
    complete: (request) => complete(parts, request),
    converse: (request) => converse(parts, request),
  }
}

function complete(options: ProviderOptions, request: ModelRequest): Promise<ModelAnswer> {
  const delivery = new PieceDelivery()
  const onText = delivery.to(request.onText)
  const { schema, signal } = request
  return callProvider(options, {
    operation: 'chat',
    request,
    wantsSchema: schema !== null,
    delivery,
    send: async (client, endpoint, call) => {
      const model = modelAt(endpoint, request)
      const { request: settings } = endpoint
      const holds = options.thoughts.holds(model) || schema !== null
      const answer = await sendShaped({
        memory: options.shapes,
        model,
        settings,
        wantsSchema: schema !== null,
        send: async (shape) => {
          const body = bodyOf(request, shape, settings)
          const response = await client.chat.completions.create(body, { signal }).asResponse()
          const read = await readChatAnswer(response, { onText, holds })
          return schema === null ? read : textOfToolAnswer(read, schema)
        },
      })
      options.thoughts.see(model, answer.beginsInThought)
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
