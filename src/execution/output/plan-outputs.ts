/**
 * What a command or skill is given of the tasks before it in its plan: commands find it in a file of their workspace,
 * skills in their input. The turn makes it from its rows, so secrets have left it already.
 */
import { basename } from 'node:path'
import type { TaskStatus, TaskType } from '../../core/status.ts'

/**
 * Relative to the workspace, which is where commands start. All of it is the server's; so not `.factotum`, which is the
 * home of a server that is started there.
 */
export const OUTPUTS_FOLDER = '.factotum-outputs'
/** The planner's prompt names it. */
export const OUTPUTS_LIST = `${OUTPUTS_FOLDER}/list.json`

/** Longer outputs get a file of their own: prompts may show less of them (src/agents/prompt/task-report.ts). */
const MAX_CHARS_WITHOUT_FILE = 600
/** Of one output in the list; the rest is in its file. */
const MAX_LISTED_CHARS = 64 * 1024

interface PlanOutput {
  /** The task's number in the plan, from 1. */
  readonly index: number
  readonly type: Lowercase<TaskType>
  readonly detail: string
  /** At most 64 Ki characters of it. */
  readonly output: string
  readonly status: Lowercase<TaskStatus>
  /** The file with the whole output, relative to the workspace; null: `output` is all of it. */
  readonly file: string | null
}

/** A long output as a file of the workspace. */
export interface SavedOutput {
  /** Relative to the workspace; one that `outputFilesOf` made. */
  readonly path: string
  readonly text: string
}

/** What a program may read of the tasks before it. */
export interface PlanOutputs {
  /** Oldest first. */
  readonly entries: readonly PlanOutput[]
  /** Those of tools, which are in no file yet: a session that runs no program has no workspace. */
  readonly files: readonly SavedOutput[]
  /** It is the first program of its turn: what an earlier turn left is removed. */
  readonly isFirstOfTurn: boolean
}

interface EndedTask {
  readonly id: string
  readonly index: number
  readonly type: TaskType
  readonly detail: string
  readonly status: TaskStatus
  readonly output: string | null
  readonly stderr: string | null
}

/**
 * A task as the list shows it. Its `file` must have been saved where `outputFilesOf` says before the list is written,
 * or with it.
 */
export function toPlanOutput(task: EndedTask): PlanOutput {
  const { index, type, detail, status, output } = task
  return {
    index: index + 1,
    type: type.toLowerCase() as Lowercase<TaskType>,
    detail,
    output: (output ?? '').slice(0, MAX_LISTED_CHARS).toWellFormed(),
    status: status.toLowerCase() as Lowercase<TaskStatus>,
    file: outputFilesOf(task).output,
  }
}

/**
 * The files in which what the task printed stands whole, relative to the workspace; null: it is short enough without.
 */
export function outputFilesOf(task: Pick<EndedTask, 'id' | 'type' | 'status' | 'output' | 'stderr'>): OutputFiles {
  const { id, type, status, output, stderr } = task
  if (type === 'MSG' || (status !== 'DONE' && status !== 'FAILED')) return { output: null, stderr: null }
  const fileFor = (text: string | null, name: string): string | null =>
    text !== null && text.length > MAX_CHARS_WITHOUT_FILE ? `${OUTPUTS_FOLDER}/${name}.txt` : null
  return { output: fileFor(output, id), stderr: fileFor(stderr, `${id}.stderr`) }
}

interface OutputFiles {
  readonly output: string | null
  readonly stderr: string | null
}

/** Below `OUTPUTS_FOLDER`: what may be there of these tasks. The list is made anew before each program. */
export function outputNamesOf(taskIds: readonly string[]): string[] {
  return [basename(OUTPUTS_LIST), ...taskIds.flatMap((id) => [`${id}.txt`, `${id}.stderr.txt`])]
}
