/** Calls each model that config.toml names, once as each kind of its roles does: `factotum models check`. */
import type { Config, LiveConfig, ModelChoice } from '../../config/config.ts'
import { isRuntime, modelKey } from '../../config/models/model-choice.ts'
import { AppError } from '../../core/errors.ts'
import { AGENT_ROLES, type AgentRole } from '../../core/model-call.ts'
import { createEmbeddings, createLanguageModel } from '../../model/create-language-model.ts'
import type { EmbeddingModel } from '../../model/embedding-model.ts'
import type { LanguageModel } from '../../model/language-model.ts'
import { TRY_SYSTEM, tryConversation, tryModel } from '../../model/try-model.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

interface CheckModelsOptions {
  readonly config: Config
  readonly keys: { apiKey(name: string): string | null }
  readonly proxyEnv: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly logger: Logger
}

const MAX_IDLE_MS = 60_000

/** A finding for each model, in the order of the file. Costs a few tokens each. Never rejects. */
export async function checkModels(options: CheckModelsOptions): Promise<readonly Finding[]> {
  const { config } = options
  if (config.providers.size === 0)
    return [
      warn('models', 'No provider is configured: the rehearsal model answers.', 'Add [providers.…] and [models].'),
    ]
  const live: LiveConfig = { current: () => config, onChange: () => () => {} }
  const model = createLanguageModel({ ...options, config: live })
  const asked = modelsOf(config)
  const { embedder } = config
  const embedding =
    embedder === null ? [] : [checkEmbedder(options, createEmbeddings({ ...options, config: live }), embedder)]
  return await Promise.all([...[...asked.values()].map((one) => checkOne(options, model, one)), ...embedding])
}

interface AskedModel {
  readonly choice: ModelChoice
  readonly roles: AgentRole[]
}

function modelsOf({ models, fallbacks }: Config): Map<string, AskedModel> {
  const found = new Map<string, AskedModel>()
  for (const role of AGENT_ROLES) {
    for (const choice of [models[role], ...fallbacks[role]]) {
      const key = modelKey(choice)
      const known = found.get(key) ?? { choice, roles: [] }
      known.roles.push(role)
      found.set(key, known)
    }
  }
  return found
}

async function checkOne(
  { clock, config }: CheckModelsOptions,
  model: LanguageModel,
  { choice, roles }: AskedModel,
): Promise<Finding> {
  const name = modelKey(choice)
  // Plugins run in the server alone.
  if (isRuntime(choice.provider))
    return ok(
      'models',
      `${name} (${roles.join(', ')}) is a plugin's runtime: not asked here; "factotum doctor" says whether it is there.`,
    )
  const startedMs = clock.monotonicMs()
  let pieces = 0
  const [role = 'planner'] = roles
  const common = {
    ...choice,
    role,
    idleTimeoutMs: Math.min(config.settings.llmIdleTimeoutMs, MAX_IDLE_MS),
    signal: AbortSignal.timeout(2 * MAX_IDLE_MS),
  }
  try {
    const { followsSchema } = await tryModel(model, common)
    const hello = { ...common, system: TRY_SYSTEM, user: 'Say hello.', schema: null }
    await model.complete({ ...hello, onText: () => (pieces += 1) })
    const seconds = ((clock.monotonicMs() - startedMs) / 1000).toFixed(1)
    const says = `${name} answered in ${seconds} s (${roles.join(', ')}); text came in ${pieces} pieces.`
    const broken = roles.includes('assistant')
      ? await tryConversation(model, common).then(() => null, asAppError)
      : null
    if (broken !== null)
      return warn('models', `${says} Conversations (mode CHAT) do not work: ${broken.code}`, broken.message)
    if (followsSchema) return ok('models', says)
    return warn(
      'models',
      `${says} It did not follow a JSON schema.`,
      'Set structured_output of its provider, or choose another model.',
    )
  } catch (error) {
    const { code, message } = asAppError(error)
    return fail('models', `${name} (${roles.join(', ')}): ${code}`, message)
  }
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}

async function checkEmbedder(
  { clock, config }: CheckModelsOptions,
  model: EmbeddingModel,
  choice: ModelChoice,
): Promise<Finding> {
  const name = modelKey(choice)
  const startedMs = clock.monotonicMs()
  const idleTimeoutMs = Math.min(config.settings.llmIdleTimeoutMs, MAX_IDLE_MS)
  const signal = AbortSignal.timeout(2 * MAX_IDLE_MS)
  try {
    const { vectors } = await model.embed({ ...choice, texts: ['The sky is blue.'], idleTimeoutMs, signal })
    const seconds = ((clock.monotonicMs() - startedMs) / 1000).toFixed(1)
    return ok(
      'models',
      `${name} answered in ${seconds} s (embedder), with ${vectors[0]?.length ?? 0} numbers for a text.`,
    )
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return fail('models', `${name} (embedder): ${error.code}`, error.message)
  }
}
