/**
 * One event of a session's log as a line for people: `factotum tail` and the demo print these. Colours only where the
 * terminal has them.
 */
import { styleText } from 'node:util'
import type { SessionEvent } from '../../packages/client/src/connect.ts'
import { harmlessly } from '../core/text/harmless.ts'
import { shortLine } from './chat/describe-chat.ts'

/** Of what a task does. */
const COLUMNS = 100

/** Null: the event says nothing that a later one does not say better. */
export function describeEvent(event: SessionEvent): string | null {
  const body = bodyOf(harmlessly(event))
  if (body === null) return null
  const head = styleText('dim', `${String(event.seq).padStart(4)} ${event.at.slice(11, 23)} `)
  return head + indent(body, 18)
}

function bodyOf(event: SessionEvent): string | null {
  switch (event.__typename) {
    case 'SessionSnapshot':
      return event.removedUpTo === null
        ? null
        : styleText('yellow', `removed for their age: events up to ${event.removedUpTo}`)
    case 'MessageReceivedEvent':
      return `${styleText('bold', 'you')}      ${event.message.content}`
    case 'PipelineStepEvent':
      return styleText('cyan', `${event.step}${event.detail ? ` · ${event.detail}` : ''}`)
    case 'PlanCreatedEvent':
      return `${styleText('magenta', 'plan')}     ${event.plan.goal}\n${event.plan.tasks
        .map((task) => `  ${task.index + 1}. ${task.type} ${shortLine(task.detail, COLUMNS)}`)
        .join('\n')}`
    case 'TaskUpdateEvent':
      return describeTask(event)
    case 'TaskOutputEvent':
      return `${styleText(event.stream === 'STDERR' ? 'red' : 'green', event.stream === 'STDERR' ? 'stderr' : 'output')}   ${event.text.trimEnd()}`
    case 'TextCompletedEvent':
      return `${styleText('bold', 'answer')}   ${event.content}`
    case 'ReviewEvent':
      return `${styleText('magenta', 'review')}   ${event.verdict}${event.reason ? `: ${event.reason}` : ''}`
    case 'TurnCompletedEvent':
      return styleText(
        event.turnStatus === 'DONE' ? 'green' : 'red',
        `turn ${event.turnStatus} in ${event.durationMs} ms, ${event.usage.calls} model calls${event.failure ? `: ${event.failure}` : ''}`,
      )
    default:
      return null
  }
}

function describeTask({ task, taskStatus }: Extract<SessionEvent, { __typename: 'TaskUpdateEvent' }>): string {
  const exit = task.exitCode !== null && taskStatus !== 'RUNNING' ? ` (exit ${task.exitCode})` : ''
  return `${styleText('yellow', 'task')} ${task.index + 1}   ${taskStatus}${exit} ${taskStatus === 'RUNNING' ? shortLine(task.detail, COLUMNS) : ''}`
}

function indent(text: string, columns: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(columns)}`)
}
