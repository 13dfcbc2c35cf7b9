/** `onAfterInvoke`: what a model has answered, once its secrets are known. */
import type { AgentRole, ModelCallRecord } from '../../core/model-call.ts'
import { cut, shownText, turnDataOf, type HookContext } from './hook-data.ts'

interface Answered {
  readonly role: AgentRole
  readonly text: () => string
  readonly calls: readonly ModelCallRecord[]
  /** What else came with it: "THINKING", "CALL". */
  readonly steps?: () => readonly { readonly kind: string; readonly text: string }[]
}

/** Of an answer, and of each of its steps. */
const MAX_CHARS = 16_000
const MAX_STEPS = 50

/** Nothing waits for the plugins; texts are made only when one of them has the hook. */
export function notifyAnswer(context: HookContext, { role, text, calls, steps = () => [] }: Answered): void {
  const shown = (whole: string): string => cut(shownText(context, whole), MAX_CHARS)
  const last = calls.at(-1)
  context.plugins.notify('onAfterInvoke', () => ({
    ...turnDataOf(context),
    agent: role,
    model: last === undefined ? '' : `${last.provider}:${last.model}`,
    text: shown(text()),
    usage: {
      inputTokens: calls.reduce((sum, call) => sum + call.inputTokens, 0),
      outputTokens: calls.reduce((sum, call) => sum + call.outputTokens, 0),
    },
    steps: steps()
      .slice(0, MAX_STEPS)
      .map((step) => ({ kind: step.kind, text: shown(step.text) })),
  }))
}
