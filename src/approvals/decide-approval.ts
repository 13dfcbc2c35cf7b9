/**
 * `decideApproval`: approves or denies what a turn waits for. Called by the GraphQL door. The first decision wins; a
 * later caller gets that decision as a refusal.
 *
 * Who may decide: admins, and with `own_user_may_decide` the user whose turn it is. A connector decides for whom it
 * names.
 */
import { currentUser } from '../config/access/current-user.ts'
import { resolveSender } from '../config/access/resolve-sender.ts'
import type { Sender, Viewer } from '../core/identity.ts'
import { conflict, invalidInput, notFound, refuseInput, type InputIssue, type Refusal } from '../core/refusal.ts'
import type { ApprovalScope } from '../core/status.ts'
import { accessOf } from '../intake/authorize-session.ts'
import { idKind } from '../platform/id.ts'
import { isStorable } from '../platform/well-formed.ts'
import { findApproval, type OpenApproval } from '../store/turn/approvals.ts'
import type { SessionAccess } from '../store/intake/intake-access.ts'
import { settleApproval, type ApprovalDecision } from '../store/turn/settle-approval.ts'
import type { ApprovalsContext } from './approvals-context.ts'
import { changedTool, editTask, type ApprovalEdit, type EditedTask } from './edited-task.ts'
import { judgeTask } from './judge-task.ts'
import { notifySettled } from './notify-settled.ts'

export interface DecisionInput extends ApprovalEdit {
  readonly id: string
  readonly approve: boolean
  readonly scope?: ApprovalScope | null | undefined
  readonly note?: string | null | undefined
  /** Of a connector: who decides. */
  readonly user?: string | null | undefined
}

export interface ApprovalDecided {
  readonly kind: 'Decided'
  readonly approvalId: string
}

const MAX_NOTE_CHARS = 2000

export async function decideApproval(
  context: ApprovalsContext,
  viewer: Viewer,
  input: DecisionInput,
): Promise<ApprovalDecided | Refusal> {
  const refusal = refuseInput(inputIssues(input))
  if (refusal !== null) return refusal
  if (idKind(input.id) !== 'approval') return notFound('approval', input.id)
  const access = accessOf(viewer)
  const approval = await findApproval(context.database, { access, namespace: viewer.namespace }, input.id)
  if (approval === null) return notFound('approval', input.id)
  const decider = resolveSender(context.config.current(), viewer, input.user)
  if ('kind' in decider) return decider
  const refused = refuseDecision(context, decider, approval)
  if (refused !== null) return refused

  const edit = editTask(context, approval, input)
  if (edit !== null && 'message' in edit) return invalidInput(edit.path, edit.message)
  const remembered = checkPolicy(context, approval, { input, edit })
  if (remembered !== null && 'message' in remembered) return invalidInput(remembered.path, remembered.message)
  const { name: decidedBy } = decider
  const decision = decisionOf(context, approval, { input, edit, remembered, decidedBy, tokenName: viewer.tokenName })
  const settled = await settleApproval(context.database, access, decision)
  if (settled === null) return settledMeanwhile(context, { viewer, access }, input.id)
  notifySettled(context, approval, settled)
  return { kind: 'Decided', approvalId: approval.id }
}

const WHO_DECIDES =
  'You may see this approval but not decide about it: admins do, and the user whose message it is only with own_user_may_decide.'

function inputIssues({ approve, scope, note, editedDetail, editedArgs }: DecisionInput): InputIssue[] {
  const issues: InputIssue[] = []
  if (note != null && (note.length > MAX_NOTE_CHARS || !isStorable(note)))
    issues.push({ path: ['note'], message: `must be at most ${MAX_NOTE_CHARS} characters, without NUL characters` })
  if (approve) return issues
  if (scope === 'SESSION')
    issues.push({ path: ['scope'], message: 'a denial holds once; only what is approved can be remembered' })
  if (editedDetail != null || editedArgs != null) {
    const path = [editedDetail == null ? 'editedArgs' : 'editedDetail']
    issues.push({ path, message: 'what is denied does not run; leave this out' })
  }
  return issues
}

/** Null: this person, who sees the approval, may decide about it now. */
export function refuseDecision(
  context: Pick<ApprovalsContext, 'config'>,
  decider: Sender,
  approval: OpenApproval,
): Refusal | null {
  if (!mayDecide(context, decider, approval)) return conflict('NOT_ALLOWED', WHO_DECIDES, approval.id)
  return approval.status === 'PENDING' && !approval.isOverdue ? null : settledBefore(approval)
}

function mayDecide({ config }: Pick<ApprovalsContext, 'config'>, decider: Sender, { userName }: OpenApproval): boolean {
  if (!decider.trusted) return false
  if (decider.role === 'ADMIN') return true
  return decider.name === userName && config.current().approvals.ownUserMayDecide
}

interface Wish {
  readonly input: DecisionInput
  readonly edit: EditedTask | null
}

/**
 * What the policy says of the task as it would run now: denied things cannot be approved. Returns what is to be
 * remembered.
 */
function checkPolicy(
  { config, toolOf }: ApprovalsContext,
  { kind, userName, task, fingerprint }: OpenApproval,
  { input, edit }: Wish,
): ApprovalDecision['remembered'] | InputIssue {
  if (!input.approve) return null
  if (kind === 'PLAN') {
    const message = 'what strangers write next is not known; a plan is approved once, so leave this out'
    return input.scope === 'SESSION' ? { path: ['scope'], message } : null
  }
  const user = currentUser(config.current(), userName)
  // A user who was removed runs nothing any more, which the turn sees to.
  if (user === null) return null
  const tool = task.tool === null ? undefined : toolOf(task.tool)
  const offer = tool === undefined ? {} : { effect: tool.effect, fingerprint: tool.fingerprint }
  const judged = { ...task, ...offer, detail: edit?.detail ?? task.detail }
  const verdict = judgeTask(judged, { policy: config.current().approvals, role: user.role, remembered: [] })
  if (verdict?.effect === 'DENY') {
    return {
      path: [edit?.detail == null ? 'approve' : 'editedDetail'],
      message: `cannot be approved: ${verdict.reason}`,
    }
  }
  if (input.scope !== 'SESSION' || verdict === null) return null
  // Who decides has not seen what it is now, and that would be remembered.
  const changed = changedTool({ toolOf }, { task, fingerprint })
  if (changed !== null) return { path: ['scope'], message: changed }
  // What needs no approval needs not be remembered.
  if (verdict.effect !== 'REQUIRE') return []
  if (verdict.toRemember !== null) return verdict.toRemember
  const message =
    'this command cannot be remembered: it redirects, sets variables, or has words that only the shell knows; approve it once'
  return { path: ['scope'], message }
}

function decisionOf(
  { clock, redactorOf }: ApprovalsContext,
  { id, sessionId, task }: OpenApproval,
  {
    input,
    edit,
    remembered,
    decidedBy,
    tokenName,
  }: Wish & Pick<ApprovalDecision, 'remembered' | 'decidedBy' | 'tokenName'>,
): ApprovalDecision {
  const status = input.approve ? 'APPROVED' : 'DENIED'
  const scope = input.approve ? (input.scope ?? 'ONCE') : null
  const note = input.note == null || input.note.trim() === '' ? null : redactorOf(sessionId).redact(input.note)
  const [before, after] =
    edit === null
      ? [null, null]
      : edit.detail === null
        ? [JSON.stringify(task.args), JSON.stringify(edit.args)]
        : [task.detail, edit.detail]
  const audit = { approvalId: id, taskId: task.id, status, scope, note, before, after } as const
  return { approvalId: id, status, decidedBy, tokenName, at: clock.now(), note, scope, remembered, edit, audit }
}

/** Another decision was first, the approval has expired, or the session is gone. */
async function settledMeanwhile(
  { database }: ApprovalsContext,
  { viewer, access }: { readonly viewer: Viewer; readonly access: SessionAccess },
  approvalId: string,
): Promise<Refusal> {
  const now = await findApproval(database, { access, namespace: viewer.namespace }, approvalId)
  return now === null ? notFound('approval', approvalId) : settledBefore(now)
}

function settledBefore({ id, status }: OpenApproval): Refusal {
  const how = status === 'PENDING' ? 'overdue' : status
  return conflict('ALREADY_DECIDED', `The approval "${id}" is ${how} already; the first decision stands.`, id)
}

export const MAX_DECISIONS = 50

/** One outcome for each decision, in their order. */
export interface ApprovalsDecided {
  readonly kind: 'AllDecided'
  readonly outcomes: readonly (ApprovalDecided | Refusal)[]
}

/**
 * `decideApprovals`: several decisions in one call, each with an outcome of its own. Called by the GraphQL door.
 * In the order of `inputs`; refused as a whole when they are too many. Approvals are taken before denials, whatever
 * their order: a denial gives up the plan, and with it what else was open of it.
 */
export async function decideApprovals(
  context: ApprovalsContext,
  viewer: Viewer,
  inputs: readonly DecisionInput[],
): Promise<ApprovalsDecided | Refusal> {
  if (inputs.length > MAX_DECISIONS)
    return invalidInput(['decisions'], `must be at most ${MAX_DECISIONS} decisions in one call`)
  const outcomes = new Map<DecisionInput, ApprovalDecided | Refusal>()
  for (const input of inputs.toSorted((a, b) => Number(b.approve) - Number(a.approve)))
    outcomes.set(input, await decideApproval(context, viewer, input))
  return { kind: 'AllDecided', outcomes: inputs.flatMap((input) => outcomes.get(input) ?? []) }
}
