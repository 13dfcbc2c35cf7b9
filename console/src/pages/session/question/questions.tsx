/** The open questions of this session, above the composer: a message may answer one, or a person closes it here. */
import { useSession } from '@factotum/client/react'
import { useState } from 'react'
import { useRead } from '../../../data/use-read.ts'
import { SessionQuestionDocument } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Badge } from '../../../ui/display/badge.tsx'
import { Time } from '../../../ui/display/time.tsx'
import { AnswerDialog } from '../../memory/answer-dialog.tsx'
import './question.css'

export function Questions({ id }: { readonly id: string }) {
  const questions = useSession(id, (state) => state.questions)
  if (questions.length === 0) return null
  return (
    <div className="above-composer asked-here" role="region" aria-label="Questions">
      {questions.map((question) => (
        <QuestionHere key={question.id} id={question.id} sessionId={id} />
      ))}
    </div>
  )
}

/** Those of all sessions are not its own: they are on the page of all questions. */
function QuestionHere({ id, sessionId }: { readonly id: string; readonly sessionId: string }) {
  const { data } = useRead(SessionQuestionDocument, { id })
  const [isAnswering, setIsAnswering] = useState(false)
  const node = data?.node
  if (node === null || node === undefined || !('content' in node) || node.status !== 'OPEN') return null
  if (node.session?.id !== sessionId) return null
  return (
    <section className="asked" aria-label="Question">
      <p className="small faint">
        <Badge tone="warn">Asked</Badge> <Time at={node.createdAt} />
      </p>
      <p className="foreign">{node.content}</p>
      {node.viewerCan.resolve ? (
        <Button small kind="main" onClick={() => setIsAnswering(true)}>
          Answer
        </Button>
      ) : (
        <p className="small soft">Others answer this.</p>
      )}
      {isAnswering && <AnswerDialog question={node} onClose={() => setIsAnswering(false)} />}
    </section>
  )
}
