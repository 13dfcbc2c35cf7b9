/** `checkModel`: an admin has one small real call made as a role makes it. Called by the GraphQL door. */
import type { LiveConfig, ModelChoice } from '../config/config.ts'
import { modelKey } from '../config/models/model-choice.ts'
import { AppError } from '../core/errors.ts'
import type { Viewer } from '../core/identity.ts'
import { AGENT_ROLES, type AgentRole } from '../core/model-call.ts'
import { invalidInput, type Refusal } from '../core/refusal.ts'
import { ModelError, type LanguageModel } from '../model/language-model.ts'
import { NO_TOKENS, type TokenCounts } from '../model/token-counts.ts'
import { tryModel, type Tried } from '../model/try-model.ts'
import type { Clock } from '../platform/clock.ts'
import { appendAudit } from '../store/audit-entries.ts'
import type { Database } from '../store/database.ts'
import { costOf } from './cost.ts'

export interface CheckModelContext {
  readonly database: Database
  readonly config: LiveConfig
  readonly model: LanguageModel
  readonly clock: Clock
  /** How many checks this process has under way; a call counts itself in and out. */
  readonly underWay: { count: number }
}

export interface ModelChecked extends ModelChoice {
  readonly kind: 'ModelChecked'
  readonly role: AgentRole
  /** "OK", or the code of the error that it ended with. */
  readonly outcome: string
  /** What to change, for admins; null: it answered. */
  readonly failure: string | null
  readonly followsSchema: boolean
  readonly tokens: TokenCounts
  readonly callMs: number
}

const DEADLINE_MS = 30_000
/** One for each role, and no more. */
const MOST_AT_ONCE = AGENT_ROLES.length

/**
 * Each call asks the role's first model anew and is audited, like any other call. That the model does not answer is a
 * result, not a refusal. Rejects with DATABASE_UNAVAILABLE.
 */
export async function checkModel(
  context: CheckModelContext,
  viewer: Viewer,
  input: { readonly role: string },
): Promise<ModelChecked | Refusal> {
  const { database, config, clock, underWay } = context
  const role = AGENT_ROLES.find((known) => known === input.role)
  if (role === undefined) return invalidInput(['role'], `must be one of ${AGENT_ROLES.join(', ')}`)
  if (underWay.count >= MOST_AT_ONCE) {
    const message = `${MOST_AT_ONCE} models are being tried; wait for them.`
    return { kind: 'LimitExceeded', message, limit: MOST_AT_ONCE, current: underWay.count, retryAfterMs: 1000 }
  }
  const at = clock.now()
  underWay.count += 1
  const checked = await callOnce(context, role).finally(() => (underWay.count -= 1))
  const { outcome: status, tokens, callMs: durationMs, provider, model } = checked
  const cost = costOf(config.current().prices.get(modelKey(checked)), tokens)
  const body = { kind: 'MODEL_CALL', role, provider, model, status, ...tokens, cost, durationMs } as const
  const { user, tokenName } = viewer
  await appendAudit(database, [{ at, sessionId: null, turnId: null, actor: user?.name ?? null, tokenName, body }])
  return checked
}

async function callOnce({ config, model, clock }: CheckModelContext, role: AgentRole): Promise<ModelChecked> {
  const choice = config.current().models[role]
  const startedMs = clock.monotonicMs()
  const signal = AbortSignal.timeout(DEADLINE_MS)
  const answered = await tryModel(model, { ...choice, role, idleTimeoutMs: DEADLINE_MS, signal }).catch(asAppError)
  const callMs = Math.round(clock.monotonicMs() - startedMs)
  return { kind: 'ModelChecked', ...choice, role, callMs, ...outcomeOf(answered, signal.aborted) }
}

function outcomeOf(
  answered: Tried | AppError,
  isTooLate: boolean,
): Pick<ModelChecked, 'outcome' | 'failure' | 'followsSchema' | 'tokens'> {
  if (!(answered instanceof AppError)) return { outcome: 'OK', failure: null, ...answered }
  const tokens = answered instanceof ModelError ? answered.tokens : NO_TOKENS
  if (!isTooLate) return { outcome: answered.code, failure: answered.message, followsSchema: false, tokens }
  const failure = `It did not answer within ${DEADLINE_MS / 1000} seconds.`
  return { outcome: 'MODEL_SILENT', failure, followsSchema: false, tokens }
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}
