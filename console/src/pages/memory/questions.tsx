/** What is asked, and what was answered. */
import { useState } from 'react'
import { Link } from 'wouter'
import { useAddressedChoice } from '../../app/use-addressed.ts'
import { queryClient } from '../../data/query-client.ts'
import { keyOf, usePages } from '../../data/use-read.ts'
import { useUpdates } from '../../data/use-updates.ts'
import {
  QuestionsDocument,
  QuestionUpdatesDocument,
  type QuestionRowFragment,
  type QuestionStatus,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { SelectField } from '../../ui/controls/field.tsx'
import { Status } from '../../ui/display/badge.tsx'
import { KeyHints } from '../../ui/display/key-hints.tsx'
import { Time } from '../../ui/display/time.tsx'
import { ListPane } from '../../ui/picking/list-pane.tsx'
import { PickRow } from '../../ui/picking/pick-row.tsx'
import { usePicking } from '../../ui/picking/use-picking.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { AnswerDialog } from './answer-dialog.tsx'

const KEYS = [
  ['↑ ↓', 'move'],
  ['a', 'answer'],
] as const

const nothingAsked = (
  <EmptyState icon="memory" title="Nothing is asked">
    The curator asks where a learning contradicts a fact, and people ask from the inbox. The planner raises an open
    question until a person answers it.
  </EmptyState>
)

const nothingAnswered = (
  <EmptyState icon="memory" title="Nothing was answered yet">
    Questions that were answered or closed are kept here, with what was said.
  </EmptyState>
)

export function Questions() {
  const [status, setStatus] = useAddressedChoice<QuestionStatus>('status', ['OPEN', 'RESOLVED'])
  const [answered, setAnswered] = useState<QuestionRowFragment | null>(null)
  const list = usePages(QuestionsDocument, { first: 50, filter: { status: [status] } }, ({ questions }) => questions)
  useUpdates(QuestionUpdatesDocument, {}, () => {
    void queryClient.invalidateQueries({ queryKey: keyOf(QuestionsDocument) })
  })
  const answer = (row: QuestionRowFragment | undefined): void => {
    if (row?.viewerCan.resolve === true) setAnswered(row)
  }
  const picking = usePicking(list.rows, ({ id }) => id, { a: () => answer(picking.chosen[0]) })
  const bar = (
    <SelectField
      label="Which"
      isLabelUnseen
      value={status}
      onChange={(event) => setStatus(event.target.value as QuestionStatus)}
    >
      <option value="OPEN">Open</option>
      <option value="RESOLVED">Answered or closed</option>
    </SelectField>
  )
  return (
    <>
      <ListPane
        what="questions"
        list={list}
        bar={bar}
        empty={status === 'OPEN' ? nothingAsked : nothingAnswered}
        rowHeight={90}
        foot={<KeyHints keys={KEYS} />}
      >
        {(row) => (
          <PickRow id={row.id} label={row.content} picking={picking} hasBox={false}>
            <QuestionCard question={row} />
            {row.viewerCan.resolve && (
              <div className="pick-actions">
                <Button small kind="main" onClick={() => answer(row)}>
                  Answer
                </Button>
              </div>
            )}
          </PickRow>
        )}
      </ListPane>
      {answered !== null && <AnswerDialog question={answered} onClose={() => setAnswered(null)} />}
    </>
  )
}

function QuestionCard({ question }: { readonly question: QuestionRowFragment }) {
  const { content, answer, status, source, createdAt, resolvedAt, resolvedBy, session, facts } = question
  return (
    <>
      <p className="foreign">{content}</p>
      {answer !== null && <p className="learning-text foreign">{answer}</p>}
      <div className="pick-line small faint">
        <Status status={status} />
        <span>
          {source.toLowerCase()} · <Time at={createdAt} />
        </span>
        {resolvedAt !== null && (
          <span className="foreign">
            {resolvedBy?.name} · <Time at={resolvedAt} />
          </span>
        )}
        {session !== null && <Link href={`/sessions/${encodeURIComponent(session.id)}`}>{session.id}</Link>}
      </div>
      {facts.length > 0 && (
        <ul className="small">
          {facts.map((fact) => (
            <li key={fact.id}>
              <Link href={`/memory/facts/${fact.id}`} className="foreign">
                {fact.content}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
