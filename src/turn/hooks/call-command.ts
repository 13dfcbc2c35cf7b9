/**
 * COMMANDS: one line "/name arguments" goes through the plugins. That it begins is committed before any plugin is
 * called, so that a process that takes the turn over knows of it and does not call again.
 */
import type { CommandRecord } from '../../core/tool/plugin-work.ts'
import type { CommandLine } from '../../core/text/command-lines.ts'
import type { TurnContext } from '../turn-context.ts'
import { shownText, turnDataOf, type HookContext } from './hook-data.ts'

/** What calling a command takes. */
export type CommandContext = HookContext & Pick<TurnContext, 'journal' | 'signal'>

/** What became of it; null: the turn is stopped, and it is not known. `text`: for the user. */
export async function callCommand(
  context: CommandContext,
  { name, args }: CommandLine,
  from: CommandRecord['from'],
): Promise<{ readonly isHandled: boolean; readonly text: string | null } | null> {
  const { plugins, journal, signal } = context
  await plugins.settled()
  const begun: CommandRecord = { name, args: shownText(context, args), from, outcome: 'BEGUN', plugin: null }
  const before = plugins.work.commands
  plugins.work = { ...plugins.work, commands: [...before, begun] }
  journal.record([{ type: 'PipelineStep', step: 'COMMANDS', detail: `/${name}` }], { pluginWork: plugins.work })
  await journal.flushed()
  if (signal.aborted) return null
  const won = await plugins.hooks.command({ ...turnDataOf(context), name, args: begun.args, from }, signal)
  if (signal.aborted) return null
  const ended: CommandRecord = { ...begun, outcome: won === null ? 'LEFT' : 'HANDLED', plugin: won?.plugin ?? null }
  plugins.work = { ...plugins.work, commands: [...before, ended] }
  journal.record([], { pluginWork: plugins.work })
  return { isHandled: won !== null, text: won === null || won.text === null ? null : shownText(context, won.text) }
}
