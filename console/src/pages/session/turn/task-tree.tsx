/** A task: a line when it is folded; open it shows what was run, what came out, and what the reviewer said. */
import type { TaskState } from '@factotum/client'
import { useState } from 'react'
import { Link } from 'wouter'
import { Icon, type IconName } from '../../../ui/display/icon.tsx'
import { Status, Badge } from '../../../ui/display/badge.tsx'
import { Duration } from '../../../ui/display/time.tsx'
import { sizeText } from '../../../ui/display/time-text.ts'
import { Delegated } from './delegated.tsx'
import { TaskOutput } from './task-output.tsx'
import type { TaskDetails } from './use-turn-details.ts'

const ICONS: Readonly<Record<TaskState['type'], IconName>> = {
  EXEC: 'play',
  SKILL: 'plugins',
  TOOL: 'plugins',
  MSG: 'sessions',
}

interface TaskTreeProps {
  readonly task: TaskState
  readonly details: TaskDetails | null
  /** All that the turn does, so its result is what one came for. */
  readonly isAll: boolean
}

export function TaskTree({ task, details, isAll }: TaskTreeProps) {
  const isLive = task.status === 'RUNNING' && task.type !== 'MSG'
  const [choice, setChoice] = useState<boolean | null>(null)
  const isOpen = choice ?? (isAll || isLive || task.status === 'FAILED' || task.status === 'INTERRUPTED')
  return (
    <details className="task" open={isOpen}>
      <summary
        className="task-head"
        onClick={(event) => {
          event.preventDefault()
          setChoice(!isOpen)
        }}
      >
        <Icon name={ICONS[task.type]} />
        <span className={task.type === 'EXEC' ? 'cut foreign mono' : 'cut foreign'}>{titleOf(task)}</span>
        <span className="task-state">
          {task.durationMs !== null && task.durationMs !== undefined && (
            <span className="faint small">
              <Duration ms={task.durationMs} />
            </span>
          )}
          {task.suppressed ? <Badge>said nothing</Badge> : <Status status={task.status} />}
        </span>
      </summary>
      {isOpen && <TaskBody task={task} details={details} />}
    </details>
  )
}

function titleOf({ type, detail, skill, tool, final }: TaskState): string {
  if (type === 'SKILL') return skill ?? detail
  if (type === 'TOOL') return tool ?? detail
  if (type === 'MSG') return final ? 'Answer' : 'Message'
  return detail
}

function TaskBody({ task, details }: Omit<TaskTreeProps, 'isAll'>) {
  const { type, detail, args, expect, progress, review, exitCode } = task
  return (
    <div className="task-body">
      {type === 'EXEC' ? (
        <pre className="task-code foreign">{detail}</pre>
      ) : (
        <p className="foreign soft small">{detail}</p>
      )}
      {args !== null && args !== undefined && (
        <pre className="task-code foreign" aria-label="Arguments">
          {JSON.stringify(args, null, 2)}
        </pre>
      )}
      {expect !== null && expect !== undefined && <p className="small soft foreign">Expected: {expect}</p>}
      {progress !== null && <Progress {...progress} />}
      {type !== 'MSG' && <TaskOutput task={task} isTruncated={details?.truncated === true} />}
      {exitCode !== null && exitCode !== undefined && exitCode !== 0 && (
        <p className="small task-exit">Exited with {exitCode}.</p>
      )}
      {review !== null && review !== undefined && (
        <p className="small foreign task-review">
          <Badge
            tone={review.verdict === 'REPLAN' ? 'warn' : 'good'}
          >{`review: ${review.verdict.toLowerCase()}`}</Badge>{' '}
          {review.reason}
        </p>
      )}
      {details !== null && <Files files={details.files} />}
      {details?.delegation !== null && details?.delegation !== undefined && (
        <Delegated delegation={details.delegation} />
      )}
      {type === 'TOOL' && details?.delegation?.child !== null && details?.delegation?.child !== undefined && (
        <Link href={`/sessions/${encodeURIComponent(details.delegation.child.id)}`} className="small">
          Open its session
        </Link>
      )}
    </div>
  )
}

function Progress({ done, total, message }: NonNullable<TaskState['progress']>) {
  return (
    <p className="task-progress small soft">
      <progress value={total === null ? undefined : done} max={total ?? undefined} aria-label="Progress" />
      <span className="foreign">{message ?? (total === null ? String(done) : `${done} of ${total}`)}</span>
    </p>
  )
}

function Files({ files }: Pick<TaskDetails, 'files'>) {
  if (files.length === 0) return null
  return (
    <ul className="task-files" aria-label="Files">
      {files.map(({ fileId, name, size, url }) => (
        <li key={fileId}>
          <a href={url} target="_blank" rel="noopener noreferrer" className="foreign">
            {name}
          </a>{' '}
          <span className="faint small">{sizeText(size)}</span>
        </li>
      ))}
    </ul>
  )
}
