/** `GET /v1/models`, and what the name of a model means: how a turn works, and by which model. */
import type { Operations } from '../protocols/operations.ts'
import { LIST_MODELS } from './documents.ts'
import { OpenAIError } from './openai-error.ts'

/** Null: as the session says. */
export interface ModelMeaning {
  readonly mode: 'PLAN' | 'CHAT' | null
  /** "provider:model". */
  readonly model: string | null
}

const OWN: Readonly<Record<string, ModelMeaning>> = {
  factotum: { mode: null, model: null },
  'factotum-plan': { mode: 'PLAN', model: null },
  'factotum-chat': { mode: 'CHAT', model: null },
}

/** Any model of a provider that is configured may be named, also one that is in no list. */
export function meaningOf(model: string): ModelMeaning {
  const own = Object.hasOwn(OWN, model) ? OWN[model] : undefined
  if (own !== undefined) return own
  if (model.includes(':')) return { mode: null, model }
  throw unknownModel(model)
}

/** `problem`: what is wrong with one that names a provider. */
export function unknownModel(model: string, problem: string | null = null): OpenAIError {
  const names = Object.keys(OWN).join('", "')
  const take = problem === null ? `take "${names}" or "<provider>:<model>"` : `it ${problem}, or "${names}"`
  const message = `There is no model "${model}": ${take}.`
  return new OpenAIError(message, { status: 404, code: 'model_not_found', param: 'model' })
}

export interface ModelEntry {
  readonly id: string
  readonly object: 'model'
  readonly created: number
  readonly owned_by: string
}

export async function listModels(operations: Operations): Promise<ModelEntry[]> {
  const { server } = await operations.run(LIST_MODELS, {})
  const configured = server.models.flatMap(({ provider, model }) =>
    provider === 'rehearsal' ? [] : [`${provider}:${model}`],
  )
  const ids = [...Object.keys(OWN), ...new Set(configured)]
  return ids.map((id) => ({ id, object: 'model', created: 0, owned_by: 'factotum' }))
}
