/**
 * The agents of one session without secrets: every known secret is redacted in their prompts, in their answers and in
 * their errors. Called by the worker for each turn. A secret that a message brings is not known before the planner has
 * read it: the planner sees it that once. Its plan comes back as it is, for the secrets in it
 * (src/turn/secrets/take-secrets.ts), and so does an answer of a conversation.
 */
import { AppError } from '../core/errors.ts'
import { redactTexts, type Declaration } from '../secrets/free-texts.ts'
import type { Redactor } from '../secrets/redaction.ts'
import type { Agents, Answer } from './agent.ts'
import {
  ASSISTANT,
  CONSOLIDATOR,
  CURATOR,
  INTROSPECTOR,
  MESSENGER,
  PARAPHRASER,
  PLAN_FEEDBACK,
  PLANNER,
  REVIEWER,
  SUMMARIZER,
  WRITTEN,
} from './prompt-texts.ts'

/** `redactor` is asked before and after each call. */
export function redactedAgents(agents: Agents, redactor: () => Redactor): Agents {
  const hide = <T>(value: T, texts: Declaration<NonNullable<T>>): T => redactTexts(value, texts, redactor())
  const hideError = <T>(answer: Answer<T>): Answer<T> =>
    answer.kind === 'failed' ? { ...answer, error: withoutSecrets(answer.error, redactor()) } : answer
  const hideAnswer = <T>(answer: Answer<T>, texts: Declaration<NonNullable<T>>): Answer<T> =>
    answer.kind === 'failed' ? hideError(answer) : { ...answer, output: hide(answer.output, texts) }
  return {
    modelOf: (role) => agents.modelOf(role),
    plan: async (context, feedback, signal) =>
      hideError(await agents.plan(hide(context, PLANNER), hide(feedback, PLAN_FEEDBACK), signal)),
    review: async (context, signal) =>
      hideAnswer(await agents.review(hide(context, REVIEWER.asked), signal), REVIEWER.answered),
    curate: async (context, signal) =>
      hideAnswer(await agents.curate(hide(context, CURATOR.asked), signal), CURATOR.answered),
    summarize: async (context, signal) => hideAnswer(await agents.summarize(hide(context, SUMMARIZER), signal), 'text'),
    consolidate: async (facts, signal) =>
      hideAnswer(await agents.consolidate(hide(facts, CONSOLIDATOR.asked), signal), CONSOLIDATOR.answered),
    paraphrase: async (context, signal) =>
      hideAnswer(await agents.paraphrase(hide(context, PARAPHRASER.asked), signal), PARAPHRASER.answered),
    introspect: async (context, signal) =>
      hideAnswer(await agents.introspect(hide(context, INTROSPECTOR.asked), signal), INTROSPECTOR.answered),
    converse: async ({ context, startedAt }, reader, signal) =>
      hideError(await agents.converse({ context: hide(context, ASSISTANT), startedAt }, reader, signal)),
    write: async (context, onText, signal) =>
      hideAnswer(await agents.write(hide(context, MESSENGER), onText, signal), WRITTEN),
  }
}

function withoutSecrets(error: AppError, redactor: Redactor): AppError {
  const message = redactor.redact(error.message)
  if (message === error.message) return error
  // Without the cause: it would carry the message along.
  return new AppError(error.code, message, { retry: error.retry, retryAfterMs: error.retryAfterMs })
}
