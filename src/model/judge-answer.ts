/** Whether an answer that arrived can be used: it must be complete, not refused, and say something. */
import type { AppErrorCode } from '../core/errors.ts'
import { ModelError } from './language-model.ts'
import type { ChatAnswer } from './chat-answer.ts'
import { capitalize, modelSetting, nameModel, quote, type ModelCallContext } from './model-call-context.ts'

/**
 * What is wrong with the answer, or null. `mayCall`: tools were offered, so that a call is an answer. With retry
 * 'backoff' the same question may well be answered the next time.
 */
export function judgeAnswer(
  answer: ChatAnswer,
  call: ModelCallContext,
  { mayCall = false }: { readonly mayCall?: boolean } = {},
): ModelError | null {
  const problem = problemOf(answer, call, mayCall)
  if (problem === null) return null
  return new ModelError(problem.code, problem.message, { tokens: answer.tokens, retry: problem.retry })
}

/** How models write a call; what the text holds besides is of no use without it. */
const WRITTEN_CALL = /^\s*(<tool_call>|<\|tool_calls?|<\|python_tag\|>|\[TOOL_CALLS\])/

interface Problem {
  readonly code: AppErrorCode
  readonly message: string
  readonly retry: 'never' | 'backoff'
}

function problemOf(answer: ChatAnswer, call: ModelCallContext, mayCall: boolean): Problem | null {
  const name = capitalize(nameModel(call))
  if (answer.refusal !== null) {
    const words = quote(answer.refusal, call).replace(/\.$/, '')
    const message = `${name} refused to answer: ${words}. Word the message differently, or choose another model: ${modelSetting(call)}.`
    return { code: 'MODEL_REFUSED', message, retry: 'never' }
  }
  if (answer.finishReason === 'content_filter') {
    const message = `${name} gave no answer: the provider's content filter stopped it. Word the message differently, or choose another model: ${modelSetting(call)}.`
    return { code: 'MODEL_REFUSED', message, retry: 'never' }
  }
  if (answer.finishReason === 'length') {
    const message = `${name} reached its output limit, or the end of its context, before its answer was complete. Ask for less at once, give it a larger context, or choose a model that may write more: ${modelSetting(call)}.`
    return { code: 'MODEL_TRUNCATED', message, retry: 'never' }
  }
  if (answer.finishReason === 'error') {
    const message = `The provider of ${nameModel(call)} failed while it worked on the answer.`
    return { code: 'MODEL_OVERLOADED', message, retry: 'backoff' }
  }
  if (answer.streamed && answer.finishReason === null) {
    const message = `The answer of ${nameModel(call)} broke off: the stream ended before the model had finished.`
    return { code: 'MODEL_UNREACHABLE', message, retry: 'backoff' }
  }
  if (mayCall && answer.calls.length === 0 && WRITTEN_CALL.test(answer.text)) {
    const message = `${name} wrote its call of a tool as a text, which its server should have read. Switch on how it reads calls (such as --tool-call-parser or --jinja), or choose another model: ${modelSetting(call)}.`
    return { code: 'MODEL_BAD_OUTPUT', message, retry: 'backoff' }
  }
  if (answer.text.trim() !== '' || (mayCall && answer.calls.length > 0)) return null
  const instead = answer.calls.length > 0 ? 'called a tool, although none was offered' : 'gave an empty answer'
  const message = `${name} ${instead}. Choose a model that follows instructions better: ${modelSetting(call)}.`
  return { code: 'MODEL_BAD_OUTPUT', message, retry: 'backoff' }
}
