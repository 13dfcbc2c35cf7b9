/**
 * The agents of one session without secrets: every known secret is redacted in their prompts, in their answers and in
 * their errors. Called by the worker for each turn. A secret that a message brings is not known before the planner has
 * read it: the planner sees it that once. Its plan comes back as it is, for the secrets in it
 * (src/turn/secrets/take-secrets.ts).
 */
import { AppError } from '../core/errors.ts'
import { redactDeep } from '../secrets/redact-deep.ts'
import type { Redactor } from '../secrets/redaction.ts'
import type { Agents, Answer } from './agent.ts'

/** `redactor` is asked before and after each call. */
export function redactedAgents(agents: Agents, redactor: () => Redactor): Agents {
  const hide = <T>(value: T): T => redactDeep(value, redactor())
  const hideError = <T>(answer: Answer<T>): Answer<T> =>
    answer.kind === 'failed' ? { ...answer, error: withoutSecrets(answer.error, redactor()) } : answer
  const hideAnswer = <T>(answer: Answer<T>): Answer<T> =>
    answer.kind === 'failed' ? hideError(answer) : { ...answer, output: hide(answer.output) }
  return {
    modelOf: (role) => agents.modelOf(role),
    plan: async (context, feedback, signal) => hideError(await agents.plan(hide(context), hide(feedback), signal)),
    review: async (context, signal) => hideAnswer(await agents.review(hide(context), signal)),
    curate: async (context, signal) => hideAnswer(await agents.curate(hide(context), signal)),
    summarize: async (context, signal) => hideAnswer(await agents.summarize(hide(context), signal)),
    consolidate: async (facts, signal) => hideAnswer(await agents.consolidate(hide(facts), signal)),
    paraphrase: async (context, signal) => hideAnswer(await agents.paraphrase(hide(context), signal)),
    introspect: async (context, signal) => hideAnswer(await agents.introspect(hide(context), signal)),
    write: async (context, onText, signal) => hideAnswer(await agents.write(hide(context), onText, signal)),
  }
}

function withoutSecrets(error: AppError, redactor: Redactor): AppError {
  const message = redactor.redact(error.message)
  if (message === error.message) return error
  // Without the cause: it would carry the message along.
  return new AppError(error.code, message, { retry: error.retry, retryAfterMs: error.retryAfterMs })
}
