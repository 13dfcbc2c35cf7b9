/**
 * The one way to call an agent: renders the prompt with a fresh fence, calls the model, parses its answer, and asks
 * again when the answer cannot be used, with what was wrong. Every call passes the gate before it is made, and is
 * recorded, whatever becomes of it.
 */
import { modelKey } from '../config/model-choice.ts'
import type { LiveConfig } from '../config/config.ts'
import { AppError } from '../core/errors.ts'
import type { AgentRole, ModelCallRecord, PromptName } from '../core/model-call.ts'
import type { Moment } from '../core/text/zoned-time.ts'
import { NO_TOKENS, type TokenCounts } from '../model/token-counts.ts'
import { ModelError, type LanguageModel } from '../model/language-model.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Answer } from './agent.ts'
import type { AnswerFormat, Rejected } from './answer-format.ts'
import type { CallGate } from './call-gate.ts'
import { costOf } from './cost.ts'
import { Fence } from './fence.ts'
import type { RolePrompts } from './role-prompts.ts'

export interface AskOptions {
  readonly config: LiveConfig
  readonly model: LanguageModel
  readonly prompts: RolePrompts
  readonly gate: CallGate
  readonly clock: Clock
  /** In which the agents are told what time it is. */
  readonly timeZone: string
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

/** An answer that is not the asked-for JSON is asked for once more (spec 4). */
const MAX_UNUSABLE = 2

/** Rejects only for bugs (and with what `onText` or the gate throws); everything else is an Answer. */
export async function ask<T>(options: AskOptions, question: Question<T>): Promise<Answer<T>> {
  const calls: ModelCallRecord[] = []
  const tries = { unusable: 0, incomplete: 0 }
  for (let problem: string | null = null; ;) {
    const refused = await options.gate(calls)
    if (refused !== null) return { kind: 'failed', error: logFailure(options, question.role, refused), calls }
    const outcome = await callModel(options, question, problem)
    if (outcome.record !== null) calls.push(outcome.record)
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

type CallOutcome = { readonly record: ModelCallRecord | null } & (
  { readonly kind: 'answered'; readonly text: string } | { readonly kind: 'failed'; readonly error: AppError }
)

async function callModel<T>(options: AskOptions, question: Question<T>, problem: string | null): Promise<CallOutcome> {
  const { model, clock, timeZone } = options
  const { role, format, onText = null, signal } = question
  const user = renderPrompt(question, problem, { now: clock.now(), timeZone })
  const asked = { role, prompt: question.prompt ?? role, said: user }
  const called = await callAgent(options, asked, (frame) =>
    model.complete({ ...frame, user, schema: format.schema, onText, signal }),
  )
  return called.kind === 'failed' ? called : { kind: 'answered', text: called.answer.text, record: called.record }
}

/** What every call of a model is made with. */
interface CallFrame {
  readonly role: AgentRole
  readonly provider: string
  readonly model: string
  readonly system: string
  readonly idleTimeoutMs: number
}

type Called<T> =
  | { readonly kind: 'answered'; readonly answer: T; readonly record: ModelCallRecord }
  /** `record`: null when no call was made. */
  | { readonly kind: 'failed'; readonly error: AppError; readonly record: ModelCallRecord | null }

interface AgentCall {
  readonly role: AgentRole
  readonly prompt: PromptName
  /** What is sent besides the system prompt, as it is kept for admins. */
  readonly said: string
}

/** Makes one call in a role, and records what it cost, whatever becomes of it. Rejects only for bugs. */
export async function callAgent<T extends TokenCounts & { readonly text: string }>(
  options: AskOptions,
  { role, prompt, said }: AgentCall,
  call: (frame: CallFrame) => Promise<T>,
): Promise<Called<T>> {
  const { config, prompts, clock } = options
  const choice = config.current().models[role]
  const system = await prompts.systemPrompt(prompt).catch(asAppError)
  if (system instanceof AppError) return { kind: 'failed', error: logFailure(options, role, system), record: null }
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
    texts: isKept ? { system, prompt: said, answer: answered } : null,
  })
  const idleTimeoutMs = config.current().settings.llmIdleTimeoutMs
  const answer = await call({ role, ...choice, system, idleTimeoutMs }).catch(asAppError)
  if (!(answer instanceof AppError))
    return { kind: 'answered', answer, record: record('OK', answer, wholeAnswer(answer)) }
  const tokens = answer instanceof ModelError ? answer.tokens : NO_TOKENS
  return { kind: 'failed', error: logFailure(options, role, answer), record: record(answer.code, tokens, null) }
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
