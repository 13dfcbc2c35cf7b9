/** How a prompt shows a task that has run: what it was, how it ended, and what it printed, fenced and bounded. */
import type { TaskReport } from '../agent.ts'
import type { Fence } from './fence.ts'
import { preview, previewOutput, type PreviewLimit } from './preview.ts'

export function describeTask(report: TaskReport, fence: Fence, limit: PreviewLimit): string {
  const { detail, expect, output, outputFile, stderr, stderrFile, truncated } = report
  const stdoutName = report.type === 'MSG' ? 'What the user was told' : 'Standard output'
  return [
    headline(report),
    fence.wrap('DETAIL', preview(detail, limit)),
    ...describeCall(report, fence, limit),
    ...(expect === null ? [] : ['Expected:', fence.wrap('EXPECT', expect)]),
    ...describeOutput(stdoutName, output, (text) => fence.wrap('DATA_STDOUT', previewOutput(text, limit, outputFile))),
    ...(report.type === 'MSG'
      ? []
      : describeOutput('Standard error', stderr, (text) =>
          fence.wrap('DATA_STDERR', previewOutput(text, limit, stderrFile)),
        )),
    ...(truncated ? [OUTPUT_CUT] : []),
  ].join('\n')
}

/** Several tasks, with what all their outputs together may take shared among them. */
export function describeTasks(reports: readonly TaskReport[], fence: Fence): string {
  if (reports.length === 0) return 'None.'
  const limit = shareOut(reports.length)
  return reports.map((report) => describeTask(report, fence, limit)).join('\n\n')
}

/** Of a task that is `truncated`. */
export const OUTPUT_CUT =
  'It printed more than 1 MiB; the rest was not kept. What is needed of so much must be filtered, or written to a file.'

const MAX_OUTPUT_CHARS = 8_000
const MAX_ALL_OUTPUTS_CHARS = 64_000

export function shareOut(count: number): PreviewLimit {
  return { maxChars: Math.min(MAX_OUTPUT_CHARS, Math.floor(MAX_ALL_OUTPUTS_CHARS / Math.max(1, count))) }
}

/** "Task 2: EXEC, FAILED, exit code 1." */
function headline({ index, type, status, exitCode }: TaskReport): string {
  const ending =
    status === 'INTERRUPTED' ? 'INTERRUPTED (the server stopped while it ran; its outcome is unknown)' : status
  const exit = type === 'MSG' ? '' : exitCode === null ? ', no exit code' : `, exit code ${exitCode}`
  return `Task ${index + 1}: ${type}, ${ending}${exit}.`
}

function describeCall({ skill, tool, args }: TaskReport, fence: Fence, limit: PreviewLimit): string[] {
  const name = skill ?? tool ?? null
  if (name === null) return []
  return [
    `${skill === null ? 'Tool' : 'Skill'} and arguments:`,
    fence.wrap('CALL', preview(`${name} ${JSON.stringify(args ?? {})}`, limit)),
  ]
}

function describeOutput(name: string, text: string | null, wrap: (text: string) => string): string[] {
  return text === null || text === '' ? [`${name}: nothing.`] : [`${name}:`, wrap(text)]
}
