/** `factotum skill …` at a real terminal; called by cli.ts. */
import type { Readable, Writable } from 'node:stream'
import { confirm } from '../../platform/confirm.ts'
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
  const ask = (question: string): Promise<boolean> => confirm(question, { input, output })
  const terminal: Terminal = { print, confirm: isInteractive ? ask : null }
  await new SkillShop({ ...shop, terminal }).carryOut(action)
}
