/**
 * What EXEC and SKILL share: a program runs for a task, what it prints is published as it comes, and its end is
 * recorded. RUNNING is committed before the process starts, so a process that dies leaves the task marked and nothing
 * is silently run again.
 */
import { AppError, type AppErrorCode } from '../../core/errors.ts'
import { describeOperatorFailure } from '../../core/operator-failure.ts'
import type { Role } from '../../core/identity.ts'
import type { TaskPatch } from '../../core/turn-write.ts'
import type { CommandOutcome, RunInput } from '../../execution/command.ts'
import { DEFAULT_COMMAND_LIMITS } from '../../execution/command-limits.ts'
import type { Publication } from '../../execution/workspace/publication.ts'
import { unreachable } from '../../platform/must.ts'
import { filesOf, withFileNotes } from './files-of.ts'
import { HeldOutput } from '../secrets/held-output.ts'
import type { EmitOutput, LiveOutput, OutputEnd } from '../secrets/live-output.ts'
import { OpenOutput } from '../secrets/open-output.ts'
import type { TaskState } from '../task/plan-state.ts'
import { updateTask } from '../task/update-task.ts'
import { printedText } from '../secrets/printed-text.ts'
import { refuseTask } from '../task/refuse-task.ts'
import { saveLongOutputs } from './save-long-outputs.ts'
import type { TaskOutcome } from '../task/task-outcome.ts'
import { isTakenAway, stopped, type TaskContext, type TurnContext } from '../turn-context.ts'
import { whyBarred } from '../why-barred.ts'
import { withholdSecrets } from '../secrets/withhold-secrets.ts'
import { explainAllowance, inMib, workspaceAllowance } from './workspace-allowance.ts'
import { withholdBeyondQuota } from './withhold-beyond-quota.ts'

/** What a run needs whatever the program is. */
export type RunFrame = Pick<RunInput, 'sessionId' | 'taskId' | 'timeoutMs' | 'signal' | 'onOutput' | 'workspace'>

/** What runs for a task, whether command or skill. */
export interface TaskProgram {
  /** How notes to people and agents call it. */
  readonly word: 'command' | 'skill'
  /** With whose rights it runs, hence in which workspace. */
  readonly role: Role
  /**
   * It has the server's rights, or was given some: its output is held until redaction can see whether it holds a
   * secret.
   */
  readonly mayHoldSecrets: boolean
  readonly start: (frame: RunFrame) => Promise<CommandOutcome>
}

type RunProgramContext = TaskContext &
  Pick<TurnContext, 'signal' | 'commands' | 'config' | 'home' | 'publicUrl' | 'database' | 'logger'>

/**
 * Passed once the end is recorded, whatever the program's exit code: the reviewer judges that. It is never called twice
 * for a task: one that is RUNNING already is interrupted (next-step.ts).
 */
export async function runProgram(
  context: RunProgramContext,
  task: TaskState,
  program: TaskProgram,
): Promise<TaskOutcome> {
  updateTask(context, task, { patch: { status: 'RUNNING', startedAt: context.clock.now() } })
  await context.journal.flushed()
  // The commit returned whether the user still participates: they may have been removed since the plan was made or the
  // task before it ran.
  const barred = whyBarred(context)
  if (barred !== null) return refuseTask(context, task, barred)

  const live = liveOutput(context, task, program)
  const onOutput: RunFrame['onOutput'] = (stream, text) => live.add(stream, text)
  let ended: Ended = { patch: {}, publication: null, output: { brokeOff: true }, hasExited: false }
  try {
    ended = await carryOut(context, program, { taskId: task.id, onOutput })
  } finally {
    live.end(ended.output)
  }
  const { patch, publication, hasExited, hostDied } = ended
  // A program that was ended because the turn goes on elsewhere is found RUNNING there. One that has ended by itself is
  // not: it would be taken for interrupted, and perhaps be done again.
  if (isTakenAway(context) && !(hasExited && context.signal.reason === 'HANDED_OVER')) return stopped(context)
  await saveLongOutputs(context, task, { patch, role: program.role })
  const files = publication === null ? [] : filesOf(context, task.id, publication)
  const changes = { files, ...(hostDied === undefined ? {} : { hostDied }) }
  updateTask(context, task, { patch: { ...patch, finishedAt: context.clock.now() }, changes })
  context.journal.hurry()
  if (context.signal.aborted) return stopped(context)
  if (ended.impossible === undefined) return { kind: 'Passed' }
  const detail = `Task ${task.index + 1} could not be run: ${ended.impossible}`
  return { kind: 'Failed', failure: patch.stderr ?? '', detail }
}

function liveOutput(
  { clock, secrets, journal }: Pick<TurnContext, 'journal' | 'secrets' | 'clock'>,
  { id: taskId }: TaskState,
  program: TaskProgram,
): LiveOutput {
  const emit: EmitOutput = (stream, text) => journal.record([{ type: 'TaskOutput', taskId, stream, text }])
  if (!program.mayHoldSecrets) return new OpenOutput(clock, emit)
  return new HeldOutput({ clock, redactor: () => secrets.redactor(), emit, unit: 'LINES' })
}

interface Ended {
  readonly patch: TaskPatch
  readonly publication: Publication | null
  /** How what it printed came to its end. */
  readonly output: OutputEnd
  /** By itself, with all its effects. */
  readonly hasExited: boolean
  /** The process that ran it died. */
  readonly hostDied?: true
  /** Nothing can be run here: the turn fails, for this reason. */
  readonly impossible?: string
}

type CarryOutContext = Pick<
  TurnContext,
  'sessionId' | 'turn' | 'signal' | 'secrets' | 'config' | 'home' | 'publicUrl' | 'database' | 'logger'
>

/** Runs the program and returns what to record of it, also when it could not be started or its outcome is unknown. */
async function carryOut(
  context: CarryOutContext,
  program: TaskProgram,
  frame: Pick<RunFrame, 'taskId' | 'onOutput'>,
): Promise<Ended> {
  const { sessionId, config, signal, logger } = context
  const { execTimeoutMs: timeoutMs } = config.current().settings
  try {
    const allowance = await workspaceAllowance(context, program.role)
    const outcome = await program.start({ sessionId, timeoutMs, signal, workspace: allowance, ...frame })
    const hasExited = outcome.kind === 'exited'
    const note = await explainAllowance(context, allowance, outcome)
    if (outcome.kind === 'unavailable') {
      const impossible = `${outcome.reason} ${outcome.fix}`
      return { ...unknownEnd(context, 'FAILED', 'SANDBOX_UNAVAILABLE'), impossible }
    }
    const patch = withNote(patchOf(context, program, { outcome, timeoutMs }), note)
    const output = endOf(outcome)
    if (!('publication' in outcome)) return { patch, publication: null, output, hasExited }
    const publication = await withholdBeyondQuota(context, await withholdSecrets(context, outcome.publication))
    const stderr = withFileNotes(context, patch.stderr ?? '', publication)
    return { patch: { ...patch, stderr }, publication, output, hasExited }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    logger.error(
      { code: error.code, error: error.message, taskId: frame.taskId },
      `a ${program.word} did not run through`,
    )
    const { code, message } = error
    if (code === 'COMMAND_NOT_STARTED' || code === 'WORKSPACE_UNUSABLE')
      return { ...unknownEnd(context, 'FAILED', code), impossible: message }
    if (code === 'SKILL_REFUSED') return unknownEnd(context, 'FAILED', code)
    if (code === 'COMMAND_LOST') return { ...unknownEnd(context, 'INTERRUPTED', code), hostDied: true }
    throw error
  }
}

/** What people are told of it; the log has the rest. */
function unknownEnd({ turn }: Pick<TurnContext, 'turn'>, status: 'FAILED' | 'INTERRUPTED', code: AppErrorCode): Ended {
  const stderr = describeOperatorFailure(code, turn.id)
  return { patch: { status, stderr }, publication: null, output: { brokeOff: true }, hasExited: false }
}

function endOf(outcome: CommandOutcome): OutputEnd {
  return { brokeOff: outcome.kind === 'killed', ...('beyond' in outcome ? { beyond: outcome.beyond } : {}) }
}

/** Behind what was printed. */
function withNote(patch: TaskPatch, note: string | null): TaskPatch {
  if (note === null) return patch
  const { stderr = '' } = patch
  return { ...patch, stderr: stderr === '' ? note : `${stderr.replace(/\n$/, '')}\n${note}` }
}

interface Run<Outcome> {
  readonly outcome: Outcome
  readonly timeoutMs: number
}

function patchOf(
  context: Pick<TurnContext, 'secrets'>,
  program: TaskProgram,
  { outcome, timeoutMs }: Run<Exclude<CommandOutcome, { readonly kind: 'unavailable' }>>,
): TaskPatch {
  switch (outcome.kind) {
    case 'exited': {
      const { stdout, stderr } = printedText(outcome, { ...program, redactor: context.secrets.redactor() })
      const { truncated, exitCode } = outcome
      return { status: exitCode === 0 ? 'DONE' : 'FAILED', output: stdout, stderr, truncated, exitCode }
    }
    case 'killed':
      return patchOfKilled(context, program, { outcome, timeoutMs })
    case 'refused':
      return { status: 'FAILED', stderr: outcome.reason }
    default:
      return unreachable(outcome)
  }
}

/** The notes come behind what was printed, so that its end is still there when secrets are searched for. */
function patchOfKilled(
  { secrets }: Pick<TurnContext, 'secrets'>,
  program: TaskProgram,
  { outcome, timeoutMs }: Run<Extract<CommandOutcome, { readonly kind: 'killed' }>>,
): TaskPatch {
  const { cause, truncated } = outcome
  const { stdout, stderr, isShortened } = printedText(outcome, { ...program, redactor: secrets.redactor() })
  const how = cause === 'cancelled' ? 'cancelled.' : `ended: ${KILLED[cause](timeoutMs)}`
  const leftOut = isShortened ? ' The line that it had not finished is left out.' : ''
  const note = `The ${program.word} was ${how}${leftOut}`
  return {
    status: cause === 'cancelled' ? 'CANCELLED' : 'FAILED',
    output: stdout,
    stderr: stderr === '' ? note : `${stderr}\n${note}`,
    truncated,
  }
}

const KILLED: Record<'timeout' | 'memory' | 'disk' | 'output', (timeoutMs: number) => string> = {
  timeout: (timeoutMs) => `it ran longer than ${timeoutMs / 1000} s.`,
  memory: () => `it used more memory than the ${inMib(DEFAULT_COMMAND_LIMITS.memoryBytes)} that the sandbox allows.`,
  disk: () => 'the workspace grew beyond its limit.',
  output: () => 'it printed without end.',
}
