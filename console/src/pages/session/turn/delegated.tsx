/** A task that was given to a session of its own: how it stands there, and that session's turn inside this one. */
import { use, useState } from 'react'
import { Badge, Status } from '../../../ui/display/badge.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { ChildTurn } from './child-turn.ts'
import type { TaskDetails } from './use-turn-details.ts'

export function Delegated({ delegation }: { readonly delegation: NonNullable<TaskDetails['delegation']> }) {
  const [isOpen, setIsOpen] = useState(false)
  const Turn = use(ChildTurn)
  const { status, round, child, expect, feedback, failure, answer } = delegation
  return (
    <section className="delegated">
      <p className="delegated-head">
        <Status status={status} /> {round > 1 && <Badge tone="warn">round {round}</Badge>}
      </p>
      <p className="small soft foreign">Judged by: {expect}</p>
      {feedback !== null && feedback !== undefined && <p className="small foreign">Was missing: {feedback}</p>}
      {failure !== null && failure !== undefined && <p className="small foreign turn-note turn-note-bad">{failure}</p>}
      {answer !== null && answer !== undefined && <Markdown text={answer} />}
      {child !== null && child !== undefined && (
        <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
          <summary className="small foreign">{child.title}</summary>
          {isOpen && Turn !== null && <Turn id={child.id} turnId={null} />}
        </details>
      )}
    </section>
  )
}
