/**
 * `session__keep_secret`: a credential that the model finds in the message is kept as one that a planner finds is
 * (src/turn/secrets/take-secrets.ts), before anything of the answer is stored. Those that have the form of a secret are
 * taken out before the model sees the message at all.
 */
import type { RequestedCall } from '../../model/conversation/conversation.ts'
import { KEEP_SECRET } from '../../tools/own-tools.ts'
import type { TaskState } from '../task/plan-state.ts'
import { takeSecrets } from '../secrets/take-secrets.ts'
import type { TaskContext, TurnContext } from '../turn-context.ts'
import { updateTask } from '../task/update-task.ts'

/**
 * Keeps what the calls of an answer name, and returns whether they name any. What stands in no message is no secret,
 * and is not kept.
 */
export function keepSecrets(
  context: Pick<TurnContext, 'messages' | 'journal' | 'secrets'>,
  calls: readonly RequestedCall[],
): boolean {
  const secrets = calls.flatMap(({ name, args }) => {
    const { key, value } = args ?? {}
    const isOne = name === KEEP_SECRET.name && typeof key === 'string' && typeof value === 'string'
    return isOne && value.length >= 8 && value.length <= 4096 && KEY.test(key) ? [{ key, value }] : []
  })
  if (secrets.length > 0) takeSecrets(context, { goal: '', tasks: [], answers: [], factsUsed: [], secrets })
  return secrets.length > 0
}

const KEY = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** The call has been answered with what `keepSecrets` came to. */
export function answerKeepSecret(context: TaskContext, task: TaskState): void {
  const { key } = task.args ?? {}
  const isKept = typeof key === 'string' && context.secrets.ephemeral().has(key)
  const at = context.clock.now()
  const ended = { startedAt: at, finishedAt: at }
  updateTask(context, task, {
    patch: isKept
      ? { ...ended, status: 'DONE', output: `Kept as ${key} while the session is in use.` }
      : {
          ...ended,
          status: 'FAILED',
          stderr:
            'Not kept: the value must stand in the message, with 8 to 4096 characters, and the key must be a name.',
        },
  })
}
