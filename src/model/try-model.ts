/**
 * One small real call of a model, as a role makes it, to see whether it answers. Called by `factotum models check` and
 * by the mutation checkModel. Costs a few tokens.
 */
import * as z from 'zod'
import type { ModelChoice } from '../config/config.ts'
import type { AgentRole } from '../core/model-call.ts'
import type { LanguageModel } from './language-model.ts'
import type { TokenCounts } from './token-counts.ts'

/** Which model is called, as which role, and how long it may take. */
export interface TriedModel extends ModelChoice {
  readonly role: AgentRole
  readonly idleTimeoutMs: number
  readonly signal: AbortSignal
}

/** It answered. */
export interface Tried {
  readonly tokens: TokenCounts
  /** It answered with the JSON object that it was asked for. */
  readonly followsSchema: boolean
}

/** The system prompt, whatever it is asked. */
export const TRY_SYSTEM = 'You answer briefly.'
const QUESTION = 'Which color has a clear sky at noon? Answer with a JSON object: {"color": "…"}.'
const SCHEMA = {
  name: 'answer',
  json: {
    type: 'object',
    properties: { color: { type: 'string' } },
    required: ['color'],
    additionalProperties: false,
  },
}
const answerSchema = z.object({ color: z.string() })

/** Rejects as `LanguageModel.complete` does. */
export async function tryModel(model: LanguageModel, tried: TriedModel): Promise<Tried> {
  const request = { ...tried, system: TRY_SYSTEM, user: QUESTION, schema: SCHEMA, onText: null }
  const { text, ...tokens } = await model.complete(request)
  return { tokens, followsSchema: answerSchema.safeParse(parseJson(text)).success }
}

const TOOL = {
  name: 'greet',
  description: 'Greets a person.',
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}

/** One answer as conversations ask for it, with a tool. Rejects as `LanguageModel.converse` does. */
export async function tryConversation(model: LanguageModel, tried: Omit<TriedModel, 'role'>): Promise<void> {
  await model.converse({
    ...tried,
    role: 'assistant',
    system: TRY_SYSTEM,
    said: [{ by: 'user', text: 'Say hello.' }],
    tools: [TOOL],
    continues: null,
    onText: null,
    onThinking: null,
  })
}

/** What is between the first and the last brace: some models write around it. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
  } catch {
    return null
  }
}
