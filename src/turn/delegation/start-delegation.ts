/** A delegation begins: its row, the task that is RUNNING and the event are one commit. */
import type { CurrentUser } from '../../config/access/current-user.ts'
import { mayUseTool } from '../../config/access/may-use-skill.ts'
import { MAX_DEPTH, mayCall } from '../../core/tool/delegated.ts'
import { newId } from '../../platform/id.ts'
import { redactTexts } from '../../secrets/free-texts.ts'
import { DELEGATE, readDelegateArguments } from '../../tools/delegate-tool.ts'
import type { TaskState } from '../task/plan-state.ts'
import { updateTask } from '../task/update-task.ts'
import type { DelegationContext } from './delegation-context.ts'

/** Ended: it may not be, and the task has failed with the reason. */
export function startDelegation(context: DelegationContext, task: TaskState, user: CurrentUser): 'ended' | 'waits' {
  const { delegated, clock, turn, config } = context
  const read = readDelegateArguments(task.args)
  if (!mayUseTool(user, DELEGATE.name)) return refuse(context, task, `${user.name} may no longer delegate`)
  if (read === null) return refuse(context, task, 'the arguments do not fit')
  const depth = delegated.depth + 1
  if (depth > MAX_DEPTH) return refuse(context, task, `a delegated task is delegated on at most ${MAX_DEPTH - 1} time`)
  const wider = (read.tools ?? []).find((pattern) => !isWithin(delegated.tools, pattern))
  if (wider !== undefined) return refuse(context, task, `"${wider}" is more than may be called here`)
  const id = newId('delegation')
  const createdAt = clock.now()
  const delegation = {
    id,
    taskId: task.id,
    tokenName: turn.tokenName,
    messageId: newId('message'),
    depth,
    share: delegated.share * read.budget,
    tools: read.tools ?? delegated.tools,
    strangers: delegated.strangers || turn.saidBefore.hasStrangers,
    mode: turn.mode,
    ...redactTexts({ task: read.task, expect: read.expect }, TEXTS, context.secrets.redactor()),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + config.current().settings.delegationTimeoutMs),
  } as const
  const { messageId, task: said, expect, expiresAt } = delegation
  const open = { status: 'PENDING', round: 1, answer: null, answered: false, failure: null } as const
  task.delegation = { id, messageId, task: said, expect, createdAt, expiresAt, ...open }
  updateTask(context, task, {
    patch: { status: 'RUNNING', startedAt: createdAt },
    after: [{ type: 'Delegation', delegationId: id }],
    changes: { delegations: [delegation] },
  })
  return 'waits'
}

const TEXTS = { task: 'text', expect: 'text' } as const

/** Of a pattern with "*" all that it may name must be allowed, so the pattern itself is what is searched for. */
function isWithin(allowed: readonly string[], pattern: string): boolean {
  return mayCall({ tools: allowed }, pattern)
}

function refuse(context: DelegationContext, task: TaskState, why: string): 'ended' {
  const stderr = `Nothing was delegated: ${why}.`
  updateTask(context, task, { patch: { status: 'FAILED', stderr, finishedAt: context.clock.now() } })
  return 'ended'
}
