/**
 * The one way to call an agent: renders the prompt with a fresh fence, calls the model, parses its answer, and asks
 * again when the answer cannot be used, with what was wrong. Every call passes the gate before it is made, and is
 * recorded, whatever becomes of it.
 */
import { isRuntime, modelKey } from '../config/models/model-choice.ts'
import type { LiveConfig, ModelChoice } from '../config/config.ts'
import { AppError, type AppErrorCode } from '../core/errors.ts'
import type { AgentRole, ModelCallRecord, PromptName } from '../core/model-call.ts'
import type { Moment } from '../core/text/zoned-time.ts'
import { NO_TOKENS, type TokenCounts } from '../model/token-counts.ts'
import { ModelError, type LanguageModel } from '../model/language-model.ts'
import type { RuntimeHolder } from '../model/runtime/runtime-holder.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { must } from '../platform/must.ts'
import type { Answer } from './agent.ts'
import type { AnswerFormat, Rejected } from './answer-format.ts'
import type { CallGate } from './call-gate.ts'
import { costOf } from './cost.ts'
import { Fence } from './prompt/fence.ts'
import type { RolePrompts, SystemPrompt } from './role-prompts.ts'

export interface AskOptions {
  readonly config: LiveConfig
  readonly model: LanguageModel
  readonly prompts: RolePrompts
  readonly gate: CallGate
  readonly clock: Clock
  /** In which the agents are told what time it is. */
  readonly timeZone: string
  /** Of the session: what plans and answers in place of the roles' own; null: none. */
  readonly ownModel?: ModelChoice | null
  /** Of the session: what these are told besides; null: nothing. */
  readonly instructions?: string | null
  /** Where the session's open runtime is; left out: none stays open. */
  readonly runtime?: RuntimeHolder
  readonly logger: Logger
}

export interface Question<T> {
  readonly role: AgentRole
  /** The system prompt, when it is not the role's own. */
  readonly prompt?: PromptName
  readonly render: (fence: Fence, moment: Moment) => string
  readonly format: AnswerFormat<T>
  /** Gets the answer piece by piece. */
  readonly onText?: (delta: string) => void
  readonly signal: AbortSignal
}

/** An answer that is not the asked-for JSON is asked for once more. */
const MAX_UNUSABLE = 2

/** Rejects only for bugs (and with what `onText` or the gate throws); everything else is an Answer. */
export async function ask<T>(options: AskOptions, question: Question<T>): Promise<Answer<T>> {
  const calls: ModelCallRecord[] = []
  const tries = { unusable: 0, incomplete: 0 }
  for (let problem: string | null = null; ;) {
    const refused = await options.gate(calls)
    if (refused !== null) return { kind: 'failed', error: logFailure(options, question.role, refused), calls }
    const outcome = await callModel(options, question, problem)
    calls.push(...outcome.records)
    if (outcome.kind === 'failed') {
      const mayShorten = outcome.error.code === 'MODEL_TRUNCATED' && question.format.schema !== null
      if (!mayShorten || ++tries.unusable >= MAX_UNUSABLE) return { kind: 'failed', error: outcome.error, calls }
      problem = 'The answer was cut off because it was too long. Answer more briefly.'
      continue
    }
    const parsed = question.format.parse(outcome.text)
    if (parsed.kind === 'usable') return { kind: 'answered', output: parsed.value, calls }
    problem = parsed.problem
    options.logger.warn({ role: question.role, problem }, `${question.role} gave an answer that cannot be used`)
    const allowed =
      parsed.kind === 'unusable' ? MAX_UNUSABLE : options.config.current().settings.maxValidationRetries + 1
    if (++tries[parsed.kind] >= allowed)
      return { kind: 'failed', error: badOutput(question.role, parsed, calls), calls }
  }
}

type CallOutcome = { readonly records: readonly ModelCallRecord[] } & (
  { readonly kind: 'answered'; readonly text: string } | { readonly kind: 'failed'; readonly error: AppError }
)

async function callModel<T>(options: AskOptions, question: Question<T>, problem: string | null): Promise<CallOutcome> {
  const { model, clock, timeZone } = options
  const { role, format, onText = null, signal } = question
  const user = renderPrompt(question, problem, { now: clock.now(), timeZone })
  const asked = { role, prompt: question.prompt ?? role, said: user }
  const begun = new Begun()
  const called = await callAgent(options, { ...asked, begun }, (frame) =>
    model.complete({ ...frame, user, schema: format.schema, onText: begun.watch(onText), signal }),
  )
  return called.kind === 'failed' ? called : { kind: 'answered', text: called.answer.text, records: called.records }
}

/** What every call of a model is made with. */
interface CallFrame {
  readonly role: AgentRole
  readonly provider: string
  readonly model: string
  readonly system: string
  readonly idleTimeoutMs: number
}

type Called<T> = { readonly records: readonly ModelCallRecord[] } & (
  { readonly kind: 'answered'; readonly answer: T } | { readonly kind: 'failed'; readonly error: AppError }
)

interface AgentCall {
  readonly role: AgentRole
  readonly prompt: PromptName
  /** What is sent besides the system prompt, as it is kept for admins. */
  readonly said: string
  readonly begun: Begun
}

/** Whether a piece of an answer was passed on: then no other model is asked, because it cannot be taken back. */
export class Begun {
  isSo = false

  /** What is to be called with each piece in place of `receive`. */
  watch(receive: ((delta: string) => void) | null): ((delta: string) => void) | null {
    if (receive === null) return null
    return (delta) => {
      this.isSo = true
      receive(delta)
    }
  }
}

/** Who plans and who answers: what a session has of its own is for these. */
const OF_SESSION: ReadonlySet<AgentRole> = new Set(['planner', 'assistant'])

/** In the order in which they are asked; a session's own first. */
export function modelsOf(
  { config, ownModel = null }: Pick<AskOptions, 'config' | 'ownModel'>,
  role: AgentRole,
): readonly [ModelChoice, ...ModelChoice[]] {
  const { models, fallbacks, providers } = config.current()
  const { [role]: model } = models
  // One whose provider was taken out of the configuration meanwhile does not stop the session.
  const isOwn =
    ownModel !== null && OF_SESSION.has(role) && (providers.has(ownModel.provider) || isRuntime(ownModel.provider))
  const ofRole = [model, ...fallbacks[role]] as const
  if (!isOwn) return ofRole
  const own = modelKey(ownModel)
  return [ownModel, ...ofRole.filter((other) => modelKey(other) !== own)]
}

function instructionsFor({ instructions = null }: AskOptions, role: AgentRole): string | null {
  return OF_SESSION.has(role) ? instructions : null
}

/** That a model cannot be had; another may well be. */
const ELSEWHERE: ReadonlySet<AppErrorCode> = new Set([
  'MODEL_UNREACHABLE',
  'MODEL_OVERLOADED',
  'MODEL_SILENT',
  'MODEL_QUOTA',
  'MODEL_UNAUTHORIZED',
  'MODEL_UNKNOWN',
  'MODEL_NO_STRUCTURED_OUTPUT',
])

/**
 * Calls the models of a role in order until one can be had, and records what each call cost, whatever becomes of it.
 * Fails as `failureOf` says. Rejects only for bugs.
 */
export async function callAgent<T extends TokenCounts & { readonly text: string }>(
  options: AskOptions,
  asked: AgentCall,
  call: (frame: CallFrame) => Promise<T>,
): Promise<Called<T>> {
  const { prompts } = options
  const { role, begun } = asked
  const system = await prompts.systemPrompt(asked.prompt, instructionsFor(options, role)).catch(asAppError)
  if (system instanceof AppError) return { kind: 'failed', error: logFailure(options, role, system), records: [] }
  const records: ModelCallRecord[] = []
  const errors: AppError[] = []
  for (const choice of modelsOf(options, role)) {
    const { answer, record } = await callOne(options, { ...asked, system, choice }, call)
    records.push(record)
    if (!(answer instanceof AppError)) return { kind: 'answered', answer, records }
    errors.push(logFailure(options, role, answer))
    if (begun.isSo || !ELSEWHERE.has(answer.code)) break
  }
  return { kind: 'failed', error: failureOf(errors), records }
}

/**
 * What no model of a role answering means: the first one's error, since it is the one that is meant to answer. Where
 * one of them may be back soon, that one's, after the shortest pause that any of these asks for: one that has no credit
 * left is no reason not to wait for the other.
 */
function failureOf(errors: readonly AppError[]): AppError {
  const passing = errors.filter(({ code, retry }) => ELSEWHERE.has(code) && retry === 'backoff')
  const error = must(passing[0] ?? errors[0], 'a role has a model')
  if (passing.length < 2) return error
  const pauses = passing.flatMap(({ retryAfterMs }) => (retryAfterMs === null ? [] : [retryAfterMs]))
  const retryAfterMs = pauses.length < passing.length ? null : Math.min(...pauses)
  const { code, message, retry } = error
  return new AppError(code, message, { retry, retryAfterMs, cause: error })
}

interface OneCall extends AgentCall {
  readonly system: SystemPrompt
  readonly choice: ModelChoice
}

async function callOne<T extends TokenCounts & { readonly text: string }>(
  { config, clock }: AskOptions,
  { role, said, system, choice }: OneCall,
  call: (frame: CallFrame) => Promise<T>,
): Promise<{ readonly answer: T | AppError; readonly record: ModelCallRecord }> {
  const at = clock.now()
  const startedMs = clock.monotonicMs()
  const isKept = config.current().settings.promptRetentionDays > 0
  const record = (status: string, tokens: TokenCounts, answered: string | null): ModelCallRecord => ({
    role,
    ...choice,
    status,
    inputTokens: tokens.inputTokens,
    outputTokens: tokens.outputTokens,
    cachedTokens: tokens.cachedTokens,
    cost: costOf(config.current().prices.get(modelKey(choice)), tokens),
    durationMs: Math.round(clock.monotonicMs() - startedMs),
    at,
    texts: isKept ? { system: system.text, sharedSha256: system.sharedSha256, prompt: said, answer: answered } : null,
  })
  const idleTimeoutMs = config.current().settings.llmIdleTimeoutMs
  const answer = await call({ role, ...choice, system: system.text, idleTimeoutMs }).catch(asAppError)
  if (!(answer instanceof AppError)) return { answer, record: record('OK', answer, wholeAnswer(answer)) }
  const tokens = answer instanceof ModelError ? answer.tokens : NO_TOKENS
  return { answer, record: record(answer.code, tokens, null) }
}

/** With what it calls. */
function wholeAnswer({ text, calls }: { readonly text: string; readonly calls?: readonly object[] }): string {
  return calls === undefined || calls.length === 0
    ? text
    : [text, ...calls.map((call) => JSON.stringify(call))].join('\n')
}

function renderPrompt<T>({ render, format }: Question<T>, problem: string | null, moment: Moment): string {
  const fence = new Fence()
  const prompt = render(fence, moment)
  if (problem === null) return prompt
  const again = format.schema === null ? 'Answer again.' : 'Answer again, with the JSON object alone.'
  return `${prompt}\n\n# Your last answer could not be used\n\n${fence.wrap('PROBLEM', problem)}\n\n${again}`
}

function badOutput(role: AgentRole, rejected: Rejected, calls: readonly ModelCallRecord[]): AppError {
  const last = calls.at(-1)
  const model = last === undefined ? 'its model' : `"${last.provider}:${last.model}"`
  return new AppError(
    'MODEL_BAD_OUTPUT',
    `The ${role} (${model}) gave no usable answer in ${calls.length} tries. The last one: ${rejected.problem} A model that follows JSON schemas better may help: [models] ${role} in config.toml.`,
  )
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}

/** Called with every call that failed or was refused. */
export function logFailure({ logger }: AskOptions, role: AgentRole, error: AppError): AppError {
  if (error.code !== 'CANCELLED') logger.warn({ role, code: error.code }, `${role} failed: ${error.message}`)
  return error
}
