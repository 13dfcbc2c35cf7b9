/**
 * `onBeforeInvoke`: what plugins add to the prompts of a turn. They are asked once, before its first model call, and
 * the result is committed with CONTEXT: a replan, a later answer or another process has the same. Planner, assistant
 * and messenger are shown it.
 */
import type { KnownContext } from '../../agents/agent.ts'
import type { PluginSection } from '../../core/tool/plugin-work.ts'
import type { TurnWrite } from '../../core/turn-write.ts'
import type { Role } from '../../core/identity.ts'
import { adminWorkspacePath, workspacePath } from '../../execution/workspace/workspace.ts'
import { toStorable } from '../../platform/well-formed.ts'
import type { Section } from '../../plugin-api/hook-inputs.ts'
import { MAX_SECTION_CHARS } from '../../plugins/hooks/hook-table.ts'
import type { TurnContext } from '../turn-context.ts'
import { cut, shownText, turnDataOf, type HookContext } from './hook-data.ts'

/** What the prompts get, and who took part: for the detail of CONTEXT. */
interface AskedSections {
  readonly sections: readonly PluginSection[]
  readonly detail: string | null
  /** To be committed with it. */
  readonly changes: Pick<TurnWrite, 'pluginWork'>
}

type ContextBeforeSections = Omit<KnownContext, 'pluginSections'>

/** `changes` and `detail` go with the event of CONTEXT. A plugin that fails, or takes too long, adds nothing. */
export async function askSections(
  context: HookContext & Pick<TurnContext, 'home' | 'signal'>,
  known: ContextBeforeSections,
): Promise<AskedSections> {
  const { plugins, turn, signal } = context
  const stored = plugins.work.sections
  const offered = offeredCommands(context)
  if (stored !== null) return { sections: stored, detail: null, changes: {} }
  if (!plugins.hooks.wants('onBeforeInvoke')) return { sections: offered, detail: null, changes: {} }
  const agent = turn.mode === 'CHAT' ? 'assistant' : 'planner'
  const turnData = turnDataOf(context)
  const workspace = workspaceOf(context, turnData.role)
  const asked = { ...turnData, agent, workspace, sections: sectionsOf(context, known) }
  const { sections, took } = await plugins.beforeInvoke(asked)
  // Who was not asked is not left out for good: the process that takes the turn over asks all of them again.
  if (signal.aborted) return { sections: offered, detail: null, changes: {} }
  const added = sections.flatMap(({ id = '', title, text, trust, plugin }): PluginSection[] => {
    const shown = (of: string): string => toStorable(shownText(context, of))
    return plugin === null ? [] : [{ id: toStorable(id), plugin, title: shown(title), text: shown(text), trust }]
  })
  const all = [...offered, ...added]
  plugins.work = { ...plugins.work, sections: all }
  const detail = took.map(({ plugin, ms }) => `${plugin} ${ms} ms`).join(', ')
  return { sections: all, detail: detail === '' ? null : detail, changes: { pluginWork: plugins.work } }
}

function workspaceOf({ home, sessionId }: Pick<TurnContext, 'home' | 'sessionId'>, role: Role): string {
  return role === 'ADMIN' ? adminWorkspacePath(home, sessionId) : workspacePath(home, sessionId)
}

/** What a model may write besides its text. */
function offeredCommands({ plugins }: HookContext): PluginSection[] {
  const commands = plugins.hooks.commands.filter(({ fromModel }) => fromModel)
  if (commands.length === 0) return []
  const title = 'Commands that the final text may hold, each as a line of its own: "/name arguments"'
  const text = commands.map(({ name, description }) => `/${name}: ${description}`).join('\n')
  return [{ id: 'commands', plugin: '', title, text }]
}

/** The prompt as plugins are shown it, without secrets; it stays as it is, whatever they answer. */
function sectionsOf(context: HookContext, known: ContextBeforeSections): Section[] {
  const { dialogue, summary, workingMemory, facts, message, additions, callerName, callerRole } = known
  const said = dialogue.exchanges.flatMap(({ messages, answers }) => [
    ...messages.map(({ user, content }) => `${user ?? 'No name'}: ${content}`),
    ...answers.map(({ text }) => `Agent: ${text}`),
  ])
  const shown = (id: string, title: string, text: string): Section[] => {
    if (text === '') return []
    return [{ id, title, text: cut(shownText(context, text), MAX_SECTION_CHARS), trust: 'DATA', plugin: null }]
  }
  return [
    { id: 'caller', title: 'Caller', text: `${callerName}, role ${callerRole}`, trust: 'SERVER', plugin: null },
    ...shown('facts', 'What is known', facts.map(({ content }) => content).join('\n')),
    ...shown('summary', 'The conversation so far, in short', summary),
    ...shown('notes', 'Notes on this conversation', workingMemory),
    ...shown('dialogue', 'What was said before', said.join('\n')),
    ...shown('message', 'The message', [message, ...additions.map(({ content }) => content)].join('\n\n')),
  ]
}
