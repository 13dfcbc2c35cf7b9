/** `factotum skill …` at a real terminal; called by cli.ts. */
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { SkillShop, type SkillShopOptions, type Terminal } from './skill-shop.ts'
import type { SkillAction } from '../../config/command-line/skill-action.ts'

interface SkillCommandOptions extends Omit<SkillShopOptions, 'terminal'> {
  readonly input: Readable
  readonly output: Writable
  /** A person sits there and can answer. */
  readonly isInteractive: boolean
}

/** Rejects with an AppError that says what to change; then everything is as before. */
export async function runSkillCommand(action: SkillAction, options: SkillCommandOptions): Promise<void> {
  const { input, output, isInteractive, ...shop } = options
  const print = (text: string): void => void output.write(`${text}\n`)
  const confirm = async (question: string): Promise<boolean> => {
    const lines = createInterface({ input, output })
    // The end of the input (Ctrl-D) answers too: no.
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
    try {
      const answer = await Promise.race([lines.question(question), ended])
      return /^y(es)?$/i.test(answer.trim())
    } finally {
      lines.close()
    }
  }
  const terminal: Terminal = { print, confirm: isInteractive ? confirm : null }
  await new SkillShop({ ...shop, terminal }).carryOut(action)
}
