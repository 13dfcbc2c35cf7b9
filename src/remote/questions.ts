/** Questions to a person at a terminal, and the one way in which they leave: Ctrl-C, which is no answer. */
import { cancel, isCancel, select, text } from '@clack/prompts'
import { harmless } from '../core/text/harmless.ts'
import type { Terminal } from './terminal.ts'

export interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly hint?: string
}

/** Null: they left. */
export async function choose<Value extends string>(
  terminal: Terminal,
  message: string,
  choices: readonly Choice<Value>[],
): Promise<Value | null> {
  const { input, output } = terminal
  const options = choices.map(({ value, label, hint }) => ({ value, label, ...(hint !== undefined && { hint }) }))
  const answer = await select<string>({ message: harmless(message), options, input, output })
  if (isCancel(answer)) cancel('Left as it is.', { output })
  return choices.find(({ value }) => value === answer)?.value ?? null
}

/** Null: they left. */
export async function askText(terminal: Terminal, message: string, initialValue: string): Promise<string | null> {
  const { input, output } = terminal
  const answer = await text({ message: harmless(message), initialValue, input, output })
  return isCancel(answer) ? null : answer
}
