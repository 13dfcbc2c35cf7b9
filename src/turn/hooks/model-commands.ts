/**
 * Commands that a model writes as lines of the turn's last text, of those alone that plugins declare for models. What
 * strangers and programs wrote may have led the model, so such a command is called only where the approval policy would
 * let a tool "<plugin>__<name>" run without a person; and never twice in a turn.
 */
import { judgeTask } from '../../approvals/judge-task.ts'
import { currentUser } from '../../config/access/current-user.ts'
import { takeCommandLines, type CommandLine } from '../../core/text/command-lines.ts'
import { mayCall } from '../../core/tool/delegated.ts'
import { toolName } from '../../core/tool/tool-name.ts'
import type { TurnContext } from '../turn-context.ts'
import { callCommand, type CommandContext } from './call-command.ts'
import { shownText } from './hook-data.ts'

/** Of one turn; what is beyond is taken out and not called. */
const MAX_COMMANDS = 5

/** Names that are taken out of a text while it is written; empty: none. */
export function modelCommands({ plugins }: Pick<TurnContext, 'plugins'>): ReadonlySet<string> {
  if (plugins.hooks.isEmpty) return NO_NAMES
  return new Set(plugins.hooks.commands.filter(({ fromModel }) => fromModel).map(({ name }) => name))
}

/** Where nothing is taken out. */
export const NO_NAMES: ReadonlySet<string> = new Set()

/**
 * The last text of a turn without its commands, which are called, and with what they have to say. Null: nothing is
 * left, so that there is nothing to say.
 */
export async function handleWritten(
  context: CommandContext & Pick<TurnContext, 'delegated' | 'logger'>,
  text: string,
): Promise<string | null> {
  const names = modelCommands(context)
  if (names.size === 0 || !text.includes('/')) return text
  const { text: said, found } = takeCommandLines(text, names)
  const answers: string[] = []
  for (const command of found) {
    const { commands } = context.plugins.work
    const isBefore = commands.some(
      ({ name, args, from }) => from === 'MODEL' && name === command.name && args === shownText(context, command.args),
    )
    if (isBefore || commands.length >= MAX_COMMANDS || context.signal.aborted || !mayRun(context, command)) continue
    const called = await callCommand(context, command, 'MODEL')
    if (called !== null && called.text !== null) answers.push(called.text)
  }
  const whole = answers.length === 0 ? said : [said.trimEnd(), ...answers].join('\n\n').trimStart()
  return whole.trim() === '' ? null : whole
}

function mayRun(
  { plugins, config, turn, delegated, logger }: CommandContext & Pick<TurnContext, 'delegated' | 'logger'>,
  { name }: CommandLine,
): boolean {
  const plugin = plugins.hooks.commands.find((command) => command.name === name)?.plugin
  const tool = plugin === undefined ? null : toolName(plugin, name)
  const current = config.current()
  const user = currentUser(current, turn.userName)
  if (tool === null || user === null || !mayCall(delegated, tool)) return false
  const policy = current.approvals
  const verdict = judgeTask(
    { type: 'TOOL', detail: '', skill: null, tool, effect: 'WRITE' },
    { policy, role: user.role, remembered: [] },
  )
  const areStrangers = delegated.strangers || turn.saidBefore.hasStrangers
  const isAsked = policy.plansWithStrangers && areStrangers && user.role === 'ADMIN'
  if (verdict?.effect === 'ALLOW' && !isAsked) return true
  logger.warn({ command: name }, 'a command that a model wrote needs an approval; it is not called')
  return false
}
