/** One event of a session's log as a line for people; the demo prints these. Colours only where the terminal has them. */
import { styleText } from 'node:util'

export interface DemoEvent {
  readonly __typename: string
  readonly seq: number
  readonly at: string
  readonly step?: string
  readonly detail?: string | null
  readonly message?: { readonly content: string }
  readonly plan?: {
    readonly goal: string
    readonly tasks: readonly { readonly index: number; readonly type: string; readonly detail: string }[]
  }
  readonly taskStatus?: string
  readonly turnStatus?: string
  readonly task?: {
    readonly index: number
    readonly type: string
    readonly detail: string
    readonly exitCode: number | null
  }
  readonly stream?: string
  readonly text?: string
  readonly delta?: string | null
  readonly content?: string | null
  readonly verdict?: string
  readonly reason?: string | null
  readonly durationMs?: number
  readonly failure?: string | null
  readonly usage?: { readonly calls: number; readonly inputTokens: number; readonly outputTokens: number }
}

/** Null: the event says nothing that a later one does not say better. */
export function describeEvent(event: DemoEvent): string | null {
  const body = bodyOf(harmless(event))
  if (body === null) return null
  const head = styleText('dim', `${String(event.seq).padStart(4)} ${event.at.slice(11, 23)} `)
  return head + indent(body, 18)
}

function bodyOf(event: DemoEvent): string | null {
  switch (event.__typename) {
    case 'MessageReceivedEvent':
      return `${styleText('bold', 'you')}      ${event.message?.content ?? ''}`
    case 'PipelineStepEvent':
      return styleText('cyan', `${event.step ?? ''}${event.detail ? ` · ${event.detail}` : ''}`)
    case 'PlanCreatedEvent':
      return `${styleText('magenta', 'plan')}     ${event.plan?.goal ?? ''}\n${(event.plan?.tasks ?? [])
        .map((task) => `  ${task.index + 1}. ${task.type} ${firstLine(task.detail)}`)
        .join('\n')}`
    case 'TaskUpdateEvent':
      return describeTask(event)
    case 'TaskOutputEvent':
      return `${styleText(event.stream === 'STDERR' ? 'red' : 'green', event.stream === 'STDERR' ? 'stderr' : 'output')}   ${(event.text ?? '').trimEnd()}`
    case 'MessageOutputEvent':
      return event.content ? `${styleText('bold', 'answer')}   ${event.content}` : null
    case 'ReviewEvent':
      return `${styleText('magenta', 'review')}   ${event.verdict ?? ''}${event.reason ? `: ${event.reason}` : ''}`
    case 'TurnCompletedEvent':
      return styleText(
        event.turnStatus === 'DONE' ? 'green' : 'red',
        `turn ${event.turnStatus ?? ''} in ${event.durationMs ?? 0} ms, ${event.usage?.calls ?? 0} model calls${event.failure ? `: ${event.failure}` : ''}`,
      )
    default:
      return null
  }
}

function describeTask(event: DemoEvent): string {
  const { task } = event
  const exit = typeof task?.exitCode === 'number' && event.taskStatus !== 'RUNNING' ? ` (exit ${task.exitCode})` : ''
  return `${styleText('yellow', 'task')} ${(task?.index ?? 0) + 1}   ${event.taskStatus ?? ''}${exit} ${event.taskStatus === 'RUNNING' ? firstLine(task?.detail ?? '') : ''}`
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}

/** What programs and models print may hold escape sequences and text that runs backwards; a terminal must not obey them. */
function harmless(event: DemoEvent): DemoEvent {
  const clean = (value: unknown): unknown => (typeof value === 'string' ? value.replaceAll(CONTROL, '\uFFFD') : value)
  return JSON.parse(JSON.stringify(event), (_key, value) => clean(value)) as DemoEvent
}

/** Control and format characters (escape sequences, bidirectional overrides) but tab and line feed. */
const CONTROL = /(?![\t\n])[\p{Cc}\p{Cf}]/gu

function indent(text: string, columns: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(columns)}`)
}
