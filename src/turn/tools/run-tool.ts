/**
 * TOOL: calls a tool that is no program of ours. RUNNING is committed before the call, so a process that dies leaves
 * the task marked, and nothing is silently called again. A tool that does not settle after its time, or after the turn
 * was stopped, is left behind: its outcome is unknown.
 */
import { mayUseTool } from '../../config/access/may-use-skill.ts'
import type { CurrentUser } from '../../config/access/current-user.ts'
import type { ToolEffect } from '../../core/tool/tool-name.ts'
import type { TaskPatch } from '../../core/turn-write.ts'
import { toStorable } from '../../platform/well-formed.ts'
import type { Tool, ToolOutcome, ToolProgress } from '../../tools/tool.ts'
import type { TaskState } from '../task/plan-state.ts'
import type { TaskOutcome } from '../task/task-outcome.ts'
import { stopped, type TaskContext, type TurnContext } from '../turn-context.ts'
import { updateTask } from '../task/update-task.ts'
import { whyBarred } from '../why-barred.ts'
import { refuseTask } from '../task/refuse-task.ts'
import { whyGone } from './why-gone.ts'
import type { Clock } from '../../platform/clock.ts'

/** As much as is kept of a program's output. */
const MAX_OUTPUT_BYTES = 1024 * 1024
/** Beyond the time of a call. */
const GRACE_MS = 1_000
/** For a tool whose signal has aborted. */
const SETTLE_MS = 1_000

type RunToolContext = TaskContext & Pick<TurnContext, 'signal' | 'config' | 'tools'>

/** A tool that is gone, or that the user may not use any more, fails the task; what that means is the caller's. */
export async function runTool(
  context: RunToolContext,
  { task, user }: { readonly task: TaskState; readonly user: CurrentUser },
): Promise<TaskOutcome> {
  const name = task.tool ?? ''
  const tool = context.tools.tools.get(name)
  const gone = tool === undefined ? (whyGone(context.tools, name, user) ?? `there is no tool "${name}"`) : null
  const barred = mayUseTool(user, name) ? gone : `${user.name} may no longer use the tool "${name}"`
  if (tool === undefined || barred !== null) {
    endTask(context, task, { status: 'FAILED', stderr: `The tool was not called: ${barred}.` })
    return { kind: 'Passed' }
  }
  updateTask(context, task, { patch: { status: 'RUNNING', startedAt: context.clock.now() } })
  await context.journal.flushed()
  const reason = whyBarred(context)
  if (reason !== null) return refuseTask(context, task, reason)
  const outcome = await call(context, tool, { task, user })
  const { aborted, reason: why } = context.signal
  // One that may have taken effect is found RUNNING where the turn goes on; what has surely ended is kept here.
  if (aborted && why !== 'CANCELLED' && (why === 'LEASE_LOST' || outcome.kind === 'unknown')) return stopped(context)
  endTask(context, task, endedBy(outcome, aborted ? tool.effect : null))
  context.journal.hurry()
  return context.signal.aborted ? stopped(context) : { kind: 'Passed' }
}

function endTask(context: TaskContext, task: TaskState, patch: TaskPatch): void {
  updateTask(context, task, { patch: { ...patch, finishedAt: context.clock.now() } })
}

async function call(
  { sessionId, turn, signal, config, clock, journal }: RunToolContext,
  tool: Tool,
  { task, user }: { readonly task: TaskState; readonly user: CurrentUser },
): Promise<ToolOutcome> {
  const { timeoutMs = config.current().settings.execTimeoutMs } = tool
  const overdue = new AbortController()
  const stop = AbortSignal.any([signal, overdue.signal])
  // A tool that keeps to its time says itself how it ended.
  const cancelTimer = clock.after(timeoutMs + GRACE_MS, () => overdue.abort())
  const progress = new ProgressReports(clock, (report) =>
    journal.record([{ type: 'TaskProgress', taskId: task.id, ...report }]),
  )
  const { name, role } = user
  const running = tool.run({
    args: task.args ?? {},
    sessionId,
    turnId: turn.id,
    taskId: task.id,
    user: { name, role },
    onProgress: (report) => progress.add(report),
    signal: stop,
    timeoutMs,
  })
  try {
    return await Promise.race([running, leftBehind(clock, stop, () => signal.aborted)])
  } finally {
    cancelTimer()
    progress.end()
  }
}

/** Settles a while after `stop` has aborted, never before. */
async function leftBehind(
  clock: TurnContext['clock'],
  stop: AbortSignal,
  isStopped: () => boolean,
): Promise<ToolOutcome> {
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }))
  await clock.sleep(SETTLE_MS)
  const why = isStopped() ? 'the turn was stopped' : 'it took longer than it may'
  return { kind: 'unknown', text: `The tool did not answer, and ${why}: whether it took effect is unknown.` }
}

/** `stopped`: what the tool may do, if its turn was cancelled while it ran. One that only reads has done nothing. */
function endedBy(outcome: ToolOutcome, stopped: ToolEffect | null): TaskPatch {
  const patch = patchOf(outcome)
  return stopped === 'READ' && outcome.kind !== 'done' ? { ...patch, status: 'CANCELLED' } : patch
}

function patchOf(outcome: ToolOutcome): TaskPatch {
  const { text, truncated } = bounded(outcome.text)
  switch (outcome.kind) {
    case 'done':
      return { status: 'DONE', output: text, truncated }
    case 'failed':
      return { status: 'FAILED', stderr: text, truncated }
    case 'unknown':
      return { status: 'INTERRUPTED', stderr: text, truncated }
    default:
      return outcome satisfies never
  }
}

function bounded(text: string): { readonly text: string; readonly truncated: boolean } {
  const bytes = Buffer.from(toStorable(text))
  if (bytes.length <= MAX_OUTPUT_BYTES) return { text: bytes.toString(), truncated: false }
  return {
    text: bytes
      .subarray(0, MAX_OUTPUT_BYTES)
      .toString()
      .replace(/\uFFFD$/, ''),
    truncated: true,
  }
}

const PERIOD_MS = 250
const MAX_MESSAGE_CHARS = 500

/**
 * How far a call is, at most four times a second: what comes between two reports is overwritten by what follows it.
 * Of one call. It must end, or its timer goes on.
 */
class ProgressReports {
  readonly #clock: Clock
  readonly #report: (progress: ToolProgress) => void
  #waiting: ToolProgress | null = null
  #cancel: (() => void) | null = null
  #hasEnded = false

  constructor(clock: Clock, report: (progress: ToolProgress) => void) {
    this.#clock = clock
    this.#report = report
  }

  /** The first is reported at once; what is no number is left out, and so is what comes after the end. */
  add({ done, total, message }: ToolProgress): void {
    if (this.#hasEnded || !Number.isFinite(done)) return
    this.#waiting = {
      done,
      total: total !== null && Number.isFinite(total) ? total : null,
      message: message === null ? null : toStorable(message.slice(0, MAX_MESSAGE_CHARS)),
    }
    if (this.#cancel === null) this.#say()
  }

  /** What waits is dropped: the end of the task tells more. */
  end(): void {
    this.#hasEnded = true
    this.#cancel?.()
    this.#cancel = null
  }

  #say(): void {
    this.#cancel = null
    if (this.#waiting === null) return
    this.#report(this.#waiting)
    this.#waiting = null
    this.#cancel = this.#clock.after(PERIOD_MS, () => this.#say())
  }
}
