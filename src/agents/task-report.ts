/** How a task that has run is told to an agent: what it was, how it ended, and what it printed, fenced and bounded. */
import type { TaskReport } from './agent.ts'
import type { Fence } from './fence.ts'
import { preview, type PreviewLimit } from './preview.ts'

export function describeTask(report: TaskReport, fence: Fence, limit: PreviewLimit): string {
  const { detail, expect, output, stderr } = report
  const stdoutName = report.type === 'EXEC' ? 'Standard output' : 'What the user was told'
  return [
    headline(report),
    fence.wrap('DETAIL', preview(detail, limit)),
    ...(expect === null ? [] : ['Expected:', fence.wrap('EXPECT', expect)]),
    ...describeOutput(stdoutName, output, (text) => fence.wrap('DATA_STDOUT', preview(text, limit))),
    ...describeOutput('Standard error', stderr, (text) => fence.wrap('DATA_STDERR', preview(text, limit))),
  ].join('\n')
}

/** "Task 2: EXEC, FAILED, exit code 1." */
function headline({ index, type, status, exitCode }: TaskReport): string {
  const ending =
    status === 'INTERRUPTED' ? 'INTERRUPTED (the server stopped while it ran; its outcome is unknown)' : status
  const exit = type === 'MSG' ? '' : exitCode === null ? ', no exit code' : `, exit code ${exitCode}`
  return `Task ${index + 1}: ${type}, ${ending}${exit}.`
}

function describeOutput(name: string, text: string | null, wrap: (text: string) => string): string[] {
  return text === null || text === '' ? [`${name}: nothing.`] : [`${name}:`, wrap(text)]
}
