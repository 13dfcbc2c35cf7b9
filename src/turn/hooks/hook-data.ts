/**
 * What hooks are given of a turn, as plain data. A plugin is shown no secret: neither those that are known nor what has
 * the form of one, since it gets a message before any model has read it.
 */
import { currentUser } from '../../config/access/current-user.ts'
import type { MessageData, TaskData, TurnData } from '../../plugin-api/hook-inputs.ts'
import { hideForms } from '../../secrets/forms/secret-forms.ts'
import { redactJson } from '../../secrets/redact-json.ts'
import type { TaskState } from '../task/plan-state.ts'
import type { TurnContext } from '../turn-context.ts'
import type { ServedMessage } from '../turn-messages.ts'

/** Of an output, as plugins are shown it. */
const MAX_OUTPUT_CHARS = 16_000

/** What is read of a turn to tell plugins of it. */
export type HookContext = Pick<TurnContext, 'sessionId' | 'turn' | 'config' | 'secrets' | 'plugins'>

/** `role`: as configured now; USER for a user who is no longer configured. */
export function turnDataOf({ sessionId, turn, config }: Omit<HookContext, 'secrets' | 'plugins'>): TurnData {
  const role = currentUser(config.current(), turn.userName)?.role ?? 'USER'
  return { sessionId, sessionType: turn.conversationType, turnId: turn.id, user: turn.userName, role }
}

/** Without secrets. */
export function shownText({ secrets }: Pick<HookContext, 'secrets'>, text: string): string {
  return secrets.redactor().redact(hideForms(text))
}

/** The beginning of a text from which the secrets were taken before: half a secret would not be recognised. */
export function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : text.slice(0, maxChars).toWellFormed()
}

/** Its sender is the user of the turn: only their messages are taken along. */
export function messageDataOf(context: HookContext, { id, content }: ServedMessage): MessageData {
  const turn = turnDataOf(context)
  return { ...turn, messageId: id, sender: turn.user, text: shownText(context, content) }
}

/** As the task is now; of its output the first characters. */
export function taskDataOf(context: HookContext, task: TaskState): TaskData {
  const { id: taskId, type, detail, skill, tool, args, status, output } = task
  return {
    ...turnDataOf(context),
    taskId,
    type,
    what: shownText(context, tool ?? skill ?? detail),
    args: redactJson(args, context.secrets.redactor()),
    status,
    output: output === null ? null : cut(context.secrets.redactor().redact(output), MAX_OUTPUT_CHARS),
  }
}
