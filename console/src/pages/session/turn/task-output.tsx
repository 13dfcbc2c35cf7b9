/** What a program printed, with its colours: its end, and while it runs always its newest lines. */
import type { TaskState } from '@factotum/client'
import { useDeferredValue, useLayoutEffect, useRef } from 'react'
import { AnsiText } from '../../../ui/ansi/ansi-text.tsx'

interface TaskOutputProps {
  readonly task: TaskState
  /** It printed more than the server keeps. */
  readonly isTruncated: boolean
}

export function TaskOutput({ task: { output, stderr, status }, isTruncated }: TaskOutputProps) {
  const isLive = status === 'RUNNING'
  if (output === '' && stderr === '') return isLive ? <p className="faint small">No output yet.</p> : null
  return (
    <>
      {isTruncated && <p className="faint small">It printed more than is kept.</p>}
      {output !== '' && <Stream label="Output" text={isLive ? newestOf(output) : output} isLive={isLive} />}
      {stderr !== '' && <Stream label="Errors" text={isLive ? newestOf(stderr) : stderr} isLive={isLive} isError />}
    </>
  )
}

/** More cannot be read as it goes by; all that is kept is shown when it has ended. */
const LIVE_CHARS = 12_000

/** From the beginning of a line. */
function newestOf(text: string): string {
  if (text.length <= LIVE_CHARS) return text
  const newest = text.slice(-LIVE_CHARS)
  return newest.slice(newest.indexOf('\n') + 1)
}

interface StreamProps {
  readonly label: string
  readonly text: string
  readonly isLive: boolean
  readonly isError?: boolean
}

const NEAR_END_PX = 40

function Stream({ label, text, isLive, isError = false }: StreamProps) {
  const box = useRef<HTMLPreElement>(null)
  const isAtEnd = useRef(true)
  // A command that prints fast leaves the page time for the keyboard.
  const shown = useDeferredValue(text)
  useLayoutEffect(() => {
    const at = box.current
    if (isLive && at !== null && isAtEnd.current) at.scrollTop = at.scrollHeight
  }, [shown, isLive])
  return (
    <pre
      ref={box}
      className={isError ? 'task-output task-errors foreign' : 'task-output foreign'}
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={({ currentTarget: at }) => {
        isAtEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < NEAR_END_PX
      }}
    >
      <AnsiText text={shown} />
    </pre>
  )
}
