/**
 * A command that the user typed as the first line of the turn's message. The line is taken out of what models are
 * shown; the message itself stays as it was written.
 */
import { splitCommand } from '../../core/text/command-lines.ts'
import { must } from '../../platform/must.ts'
import { addNotice } from '../add-notice.ts'
import { stopped, type Ending, type TurnContext } from '../turn-context.ts'
import { callCommand, type CommandContext } from './call-command.ts'

/**
 * Null: there is something left to answer. In a session of a delegated task no line is a command: a model wrote the
 * message, and it may call only what is declared for models, by the rules of approval.
 */
export async function handleTyped(
  context: CommandContext & Pick<TurnContext, 'messages' | 'clock' | 'delegated'>,
): Promise<Ending | null> {
  const { messages, plugins, turn, signal, delegated } = context
  const split = delegated.depth > 0 ? null : splitCommand(turn.content)
  if (split === null) return null
  const record = plugins.work.commands.find(({ from }) => from === 'USER')
  if (record === undefined && !plugins.hooks.takesCommand(split.command.name, 'USER')) return null
  const called = record === undefined ? await callCommand(context, split.command, 'USER') : null
  if (record === undefined && called === null) return stopped({ signal })
  if (record?.outcome === 'LEFT' || called?.isHandled === false) return null
  messages.takeFirstLine(split.rest)
  if (record?.outcome === 'BEGUN') {
    const { name } = must(record, 'it has begun')
    say(
      context,
      `The server stopped while it carried out /${name}, so what became of it is not known. It is not done again.`,
    )
    plugins.work = {
      ...plugins.work,
      commands: plugins.work.commands.map((one) => (one === record ? { ...one, outcome: 'HANDLED' } : one)),
    }
    context.journal.record([], { pluginWork: plugins.work })
  }
  if (called !== null && called.text !== null) say(context, called.text)
  return messages.text.trim() === '' ? { kind: 'Done' } : null
}

/** The turn's own plans begin at 1. */
function say(context: CommandContext & Pick<TurnContext, 'clock'>, text: string): void {
  addNotice(context, { attempt: 0, goal: 'Carry out a command.' }, text)
}
