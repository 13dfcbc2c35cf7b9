/** An event in a line; open it is there whole, as the API gives it. */
import type { SessionEvent } from '@factotum/client'
import { memo, useState } from 'react'
import { withoutAnsi } from '../../../ui/ansi/parse-ansi.ts'

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})

export const EventRow = memo(function EventRow({ event }: { readonly event: SessionEvent }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="event" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <span className="faint event-seq">{event.seq}</span>
        <time className="faint" dateTime={event.at}>
          {clock.format(new Date(event.at))}
        </time>
        <span className="event-type">{event.__typename.replace(/Event$/, '')}</span>
        <span className="cut foreign soft">{withoutAnsi(gistOf(event))}</span>
      </summary>
      {isOpen && <pre className="task-code foreign">{JSON.stringify(event, null, 2)}</pre>}
    </details>
  )
})

/** What the line shows of it. */
function gistOf(event: SessionEvent): string {
  switch (event.__typename) {
    case 'PipelineStepEvent':
      return [event.step.toLowerCase(), event.detail].filter(Boolean).join(': ')
    case 'TextDeltaEvent':
      return event.delta
    case 'TaskOutputEvent':
      return event.text
    case 'TextCompletedEvent':
      return event.content
    case 'ThinkingEvent':
      return event.isWhole ? event.content : event.delta
    case 'MessageReceivedEvent':
    case 'MessageUpdatedEvent':
      return event.message.content
    case 'TaskUpdateEvent':
      return `${event.taskStatus.toLowerCase()}: ${event.task.detail}`
    case 'ReviewEvent':
      return [event.verdict.toLowerCase(), event.reason].filter(Boolean).join(': ')
    case 'PlanCreatedEvent':
      return event.plan.goal
    case 'ApprovalEvent':
      return `${event.approval.approvalStatus.toLowerCase()}: ${event.approval.approvalReason}`
    case 'TurnCompletedEvent':
      return event.turnStatus.toLowerCase()
    default:
      return ''
  }
}
