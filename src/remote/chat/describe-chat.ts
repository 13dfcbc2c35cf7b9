/** The events of a session as a chat shows them: what is said stands out, what is done is beside it. */
import { styleText } from 'node:util'
import type { SessionEvent } from '../../../packages/client/src/connect.ts'
import { harmless } from '../../core/text/harmless.ts'
import { cutText } from '../text/text-width.ts'

/** What is done, as one line without colours; null: nothing that a person waits for. */
export function describeStep(event: SessionEvent): string | null {
  switch (event.__typename) {
    case 'PlanCreatedEvent':
      return event.plan.tasks.map(({ index, type, detail }) => `${index + 1}. ${type} ${shortLine(detail)}`).join('\n')
    case 'TaskUpdateEvent':
      return describeTask(event)
    case 'ReviewEvent':
      return event.verdict === 'OK' ? null : `review: another plan, because ${harmless(event.reason ?? 'it failed')}`
    case 'TurnPausedEvent':
      return `waits: ${harmless(event.pausedReason)}`
    case 'FileReceivedEvent':
      return event.file === null ? null : `file: ${harmless(event.file.name)} (${event.file.size} bytes)`
    case 'TaskProgressEvent':
      return event.progressMessage === null ? null : harmless(event.progressMessage)
    default:
      return null
  }
}

function describeTask({ task, taskStatus }: Extract<SessionEvent, { __typename: 'TaskUpdateEvent' }>): string | null {
  if (task.type === 'MSG') return null
  const what = `${task.index + 1} ${task.type} ${shortLine(task.detail)}`
  switch (taskStatus) {
    case 'RUNNING':
      return `▸ ${what}`
    case 'DONE':
      return `✓ ${what}`
    case 'FAILED':
      return `✗ ${what}${task.exitCode === null ? '' : ` (exit ${task.exitCode})`}`
    default:
      return null
  }
}

/** The end of a turn, in a few words. */
export function describeEnd(event: Extract<SessionEvent, { __typename: 'TurnCompletedEvent' }>): string {
  const { turnStatus, durationMs, usage, failure } = event
  const cost = usage.cost === null ? '' : ` · ${usage.cost.amount} ${usage.cost.currency ?? ''}`.trimEnd()
  const spent = `${(durationMs / 1000).toFixed(1)} s · ${usage.calls} model calls${cost}`
  if (turnStatus === 'DONE') return styleText('dim', spent)
  const what = turnStatus === 'CANCELLED' ? 'Cancelled' : 'Failed'
  return (
    styleText('red', `${what}${failure === null ? '' : `: ${harmless(failure)}`}`) + styleText('dim', ` · ${spent}`)
  )
}

/** Its first line, in so many columns. */
export function shortLine(text: string, columns = 60): string {
  const line = harmless(text).split(/\r?\n/, 1)[0] ?? ''
  return cutText(line.replaceAll('\t', ' '), columns)
}
