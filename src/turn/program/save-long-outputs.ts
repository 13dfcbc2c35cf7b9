/**
 * Puts long outputs of a program into files of its workspace, where later programs read what prompts leave out;
 * otherwise a plan would fetch again and again what was cut off. Without secrets, as everything that is written
 * anywhere.
 */
import { AppError } from '../../core/errors.ts'
import type { Role } from '../../core/identity.ts'
import type { TaskPatch } from '../../core/turn-write.ts'
import { outputFilesOf } from '../../execution/output/plan-outputs.ts'
import { redactTexts } from '../../secrets/free-texts.ts'
import { PATCH_TEXTS } from '../../secrets/turn-texts.ts'
import type { TaskState } from '../task/plan-state.ts'
import type { TurnContext } from '../turn-context.ts'

/**
 * `patch`: how the program ended; `role`: with whose rights it ran. A file that cannot be written is logged; the task's
 * row holds the output all the same.
 */
export async function saveLongOutputs(
  context: Pick<TurnContext, 'sessionId' | 'secrets' | 'commands' | 'logger'>,
  { id, type }: TaskState,
  { patch, role }: { readonly patch: TaskPatch; readonly role: Role },
): Promise<void> {
  const { sessionId, commands } = context
  const { status = 'FAILED', output = '', stderr = '' } = redactTexts(patch, PATCH_TEXTS, context.secrets.redactor())
  const files = outputFilesOf({ id, type, status, output, stderr })
  try {
    if (files.output !== null) await commands.saveOutput({ sessionId, role, path: files.output, text: output })
    if (files.stderr !== null) await commands.saveOutput({ sessionId, role, path: files.stderr, text: stderr })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    context.logger.warn({ taskId: id, error: error.message }, 'a long output was not saved in the workspace')
  }
}
