/** A person answers an open question, or closes it without an answer. */
import { useState } from 'react'
import { useChange } from '../../data/use-change.ts'
import {
  QuestionsDocument,
  ResolveQuestionDocument,
  SessionQuestionDocument,
  type QuestionRowFragment,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { TextAreaField } from '../../ui/controls/field.tsx'

interface AnswerDialogProps {
  readonly question: Pick<QuestionRowFragment, 'id' | 'content'>
  readonly onClose: () => void
}

/** On the page of all questions, and on that of a session. */
export function AnswerDialog({ question, onClose }: AnswerDialogProps) {
  const [answer, setAnswer] = useState('')
  const resolve = useChange(ResolveQuestionDocument, (data) => data.resolveQuestion, [
    QuestionsDocument,
    SessionQuestionDocument,
  ])
  const send = async (said: string | null): Promise<void> => {
    if ((await resolve.send({ id: question.id, answer: said })) !== null) onClose()
  }
  const isEmpty = answer.trim() === ''
  const actions = (
    <>
      <Button kind="quiet" onClick={() => void send(null)}>
        Close it without an answer
      </Button>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" disabled={isEmpty} isBusy={resolve.isSending}>
        Answer
      </Button>
    </>
  )
  return (
    <Dialog
      title="Answer a question"
      isOpen
      onClose={onClose}
      onSubmit={() => !isEmpty && void send(answer.trim())}
      actions={actions}
    >
      <p className="foreign">{question.content}</p>
      <TextAreaField
        label="The answer"
        maxLength={2000}
        value={answer}
        onChange={(event) => setAnswer(event.target.value)}
      />
    </Dialog>
  )
}
