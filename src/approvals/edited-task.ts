/**
 * What a task is to do after an edit that came with its approval: checked by the same rules as a plan, since an edit
 * can ask for anything. The deny list and the policy check it again when it runs.
 */
import { currentUser } from '../config/access/current-user.ts'
import { mayUseSkill, mayUseTool } from '../config/access/may-use-skill.ts'
import type { InputIssue } from '../core/refusal.ts'
import { MAX_DETAIL_BYTES } from '../core/plan/plan-rules.ts'
import { completeArguments } from '../core/plan/skill-arguments.ts'
import type { JsonObject } from '../core/tool/json.ts'
import { explainRefusal } from '../execution/shell/deny-list.ts'
import { isStorableJson } from '../platform/well-formed.ts'
import { argumentProblems } from '../tools/check-arguments.ts'
import { callFingerprint } from '../tools/fingerprint.ts'
import type { OpenApproval } from '../store/turn/approvals.ts'
import type { ApprovalsContext } from './approvals-context.ts'

export interface ApprovalEdit {
  readonly editedDetail?: string | null | undefined
  readonly editedArgs?: unknown
}

export interface EditedTask {
  readonly detail: string | null
  readonly args: JsonObject | null
  /** Of the call of a tool that it becomes. */
  readonly fingerprint: string | null
}

/** The input field by which what it asks for can be changed; null: it cannot be, as a plan is approved as a whole. */
export function editableAs({ kind, task }: Pick<OpenApproval, 'kind' | 'task'>): keyof ApprovalEdit | null {
  if (kind === 'PLAN') return null
  if (task.type === 'EXEC') return 'editedDetail'
  return task.type === 'SKILL' || task.type === 'TOOL' ? 'editedArgs' : null
}

/** Null: nothing is changed. */
export function editTask(
  context: ApprovalsContext,
  approval: OpenApproval,
  { editedDetail, editedArgs }: ApprovalEdit,
): EditedTask | null | InputIssue {
  const { sessionId, kind, userName, task } = approval
  if (editedDetail == null && editedArgs == null) return null
  const path = [editedDetail == null ? 'editedArgs' : 'editedDetail']
  const issue = (message: string): InputIssue => ({ path, message })
  if (kind === 'PLAN')
    return issue('a plan is approved or denied as a whole; deny it with a note that says what to change')
  if (
    context.redactorOf(sessionId).redact(JSON.stringify([editedDetail, editedArgs])) !==
    JSON.stringify([editedDetail, editedArgs])
  )
    return issue('holds the value of a secret, which no command and no argument gets')
  if (editedDetail != null && editedArgs != null) return issue('a task has a command or arguments; give one of the two')
  if (editedDetail != null) {
    if (editableAs(approval) !== 'editedDetail')
      return issue('only a command (EXEC) can be edited so; a skill and a tool have arguments (editedArgs)')
    const problem = commandProblem(editedDetail)
    return problem === null ? { detail: editedDetail, args: null, fingerprint: null } : issue(problem)
  }
  if (editableAs(approval) !== 'editedArgs')
    return issue('only the call of a skill or a tool has arguments; a command is edited with editedDetail')
  const edited =
    task.type === 'TOOL'
      ? editCall(context, approval, editedArgs)
      : completeCall(context, { userName, skill: task.skill ?? '' }, editedArgs)
  return typeof edited === 'string' ? issue(edited) : edited
}

function commandProblem(command: string): string | null {
  if (command.trim() === '') return 'must not be blank'
  const bytes = Buffer.byteLength(command)
  if (bytes > MAX_DETAIL_BYTES) return `is ${bytes} bytes long; at most ${MAX_DETAIL_BYTES} are allowed`
  return explainRefusal(command)
}

/** The arguments as the skill will get them, or what is wrong. */
function completeCall(
  { config, skills }: ApprovalsContext,
  { userName, skill: name }: { readonly userName: string; readonly skill: string },
  args: unknown,
): EditedTask | string {
  const user = currentUser(config.current(), userName)
  const skill = skills.scan().skills.get(name)
  if (skill === undefined) return `the skill "${name}" is no longer installed`
  if (user === null || !mayUseSkill(user, name)) return `the user ${userName} may no longer use the skill "${name}"`
  const completed = completeArguments(skill, JSON.stringify(args))
  if (completed.kind !== 'complete') return completed.problems.join('; ')
  return { detail: null, args: completed.args, fingerprint: null }
}

/** The call of a tool with other arguments, or what is wrong with them. The tool is the one that was asked about. */
function editCall(
  { config, toolOf }: ApprovalsContext,
  { userName, task, fingerprint }: Pick<OpenApproval, 'userName' | 'task' | 'fingerprint'>,
  args: unknown,
): EditedTask | string {
  const name = task.tool ?? ''
  const user = currentUser(config.current(), userName)
  const tool = toolOf(name)
  if (tool === undefined) return `the tool "${name}" is not there now`
  if (user === null || !mayUseTool(user, name)) return `the user ${userName} may no longer use the tool "${name}"`
  const changed = changedTool({ toolOf }, { task, fingerprint })
  if (changed !== null) return changed
  if (!isObject(args)) return 'must be a JSON object'
  const bytes = Buffer.byteLength(JSON.stringify(args))
  if (bytes > MAX_DETAIL_BYTES) return `is ${bytes} bytes long; at most ${MAX_DETAIL_BYTES} are allowed`
  if (!isStorableJson(args)) return 'must not hold NUL characters or halves of surrogate pairs'
  const problems = argumentProblems(tool.parameters, args)
  if (problems.length > 0) return problems.join('; ')
  return { detail: null, args, fingerprint: callFingerprint({ ...tool, name }, args) }
}

/** Why what was asked about cannot be judged as the call that it was; null: the tool is what it was, or not there. */
export function changedTool(
  { toolOf }: Pick<ApprovalsContext, 'toolOf'>,
  { task, fingerprint }: Pick<OpenApproval, 'task' | 'fingerprint'>,
): string | null {
  const name = task.tool ?? ''
  const tool = toolOf(name)
  if (tool === undefined || fingerprint === null) return null
  if (fingerprint === callFingerprint({ ...tool, name }, task.args)) return null
  return `the tool "${name}" is described otherwise than when this was asked; deny it, and it is asked for anew`
}

/** What comes in by the API is JSON. */
function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
