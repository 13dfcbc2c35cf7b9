/** How the rehearsal model words things: texts of others bounded and set off, results in a sentence. */
import type { PromptItem, PromptTask } from './rehearsal-prompt.ts'

/** Of the message and of each output: even indented, all of it fits into a task's detail (core/plan/plan-rules.ts). */
export const MAX_SHOWN_CHARS = 1_500

/** A task that has run: how it ended, and what it printed. */
export function describeResult(task: PromptTask): string {
  const outputs = [task.stdout, task.stderr]
    .filter((text) => text !== '')
    .map((text) => indent(shorten(text, MAX_SHOWN_CHARS)))
  const command = `\`${shorten(task.command, 200)}\` ${describeEnding(task)}`
  return outputs.length === 0 ? `${command} and printed nothing.` : `${command}:\n\n${outputs.join('\n\n')}`
}

/** The predicate of a sentence whose subject is the task. */
export function describeEnding(task: PromptTask): string {
  const { type, status, exitCode } = task
  if (status === 'INTERRUPTED') return 'was interrupted when the server stopped; its outcome is unknown'
  if (type === 'TOOL') return hasSucceeded(task) ? 'was called' : 'failed'
  return exitCode === null ? 'did not run to its end' : `ended with exit code ${exitCode}`
}

/** Tools have no exit code. */
export function hasSucceeded({ type, status, exitCode }: PromptTask): boolean {
  return type === 'TOOL' ? status === 'DONE' : exitCode === 0
}

/** The mark by which an answer names facts: those that contain one of `uses`, or the labels that it consists of. */
export function markFacts(uses: readonly string[], facts: readonly PromptItem[]): string[] {
  const labels = uses.flatMap((text) =>
    /^(?:F\d+\s*)+$/.test(text)
      ? text.trim().split(/\s+/)
      : facts.filter((fact) => fact.text.includes(text)).map(({ label }) => label),
  )
  return labels.length === 0 ? [] : [`<FACTS ${labels.join(' ')}>`]
}

/** As a Markdown quotation, line by line. */
export function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
}

/** At most `maxChars` UTF-16 units, with a note of how many were cut behind them. */
export function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars
    ? text
    : `${text.slice(0, maxChars).toWellFormed()} … (${text.length - maxChars} more characters)`
}
