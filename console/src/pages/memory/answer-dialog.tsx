/** A person answers an open question, or closes it; an admin says what becomes of the facts that it is about. */
import { useState } from 'react'
import { useChange } from '../../data/use-change.ts'
import {
  QuestionsDocument,
  ResolveQuestionDocument,
  SessionQuestionDocument,
  type QuestionOutcome,
  type QuestionRowFragment,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { SelectField, TextAreaField } from '../../ui/controls/field.tsx'

type Asked = Pick<QuestionRowFragment, 'id' | 'content' | 'facts' | 'learning' | 'session'>

interface AnswerDialogProps {
  readonly question: Asked
  readonly onClose: () => void
}

/** On the page of all questions, and on that of a session. */
export function AnswerDialog({ question, onClose }: AnswerDialogProps) {
  const [answer, setAnswer] = useState('')
  const [outcome, setOutcome] = useState<QuestionOutcome | null>(null)
  const [text, setText] = useState('')
  const resolve = useChange(ResolveQuestionDocument, (data) => data.resolveQuestion, [
    QuestionsDocument,
    SessionQuestionDocument,
  ])
  const said = answer.trim()
  const hasText = outcome === 'LEARNING' || outcome === 'NEITHER'
  const send = async (change: { answer: string | null; outcome: QuestionOutcome | null; text?: string }) => {
    if ((await resolve.send({ id: question.id, ...change })) !== null) onClose()
  }
  const sendAnswer = (): void => {
    const holds = hasText ? text.trim() : ''
    void send({ answer: said === '' ? null : said, outcome, ...(holds !== '' && { text: holds }) })
  }
  const isReady = outcome !== null || (said !== '' && isLearned(question))
  const actions = (
    <>
      <Button kind="quiet" onClick={() => void send({ answer: null, outcome: null })}>
        Close it without an answer
      </Button>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" disabled={!isReady} isBusy={resolve.isSending}>
        Answer
      </Button>
    </>
  )
  return (
    <Dialog
      title="Answer a question"
      isOpen
      onClose={onClose}
      onSubmit={() => isReady && sendAnswer()}
      actions={actions}
    >
      <p className="foreign">{question.content}</p>
      <TextAreaField
        label="The answer"
        hint={outcome === null && isLearned(question) ? undefined : 'Kept with the question. It becomes no fact.'}
        maxLength={2000}
        value={answer}
        onChange={(event) => setAnswer(event.target.value)}
      />
      {question.facts.length > 0 && <OutcomeField {...{ question, outcome, setOutcome }} />}
      {hasText && (
        <TextAreaField
          label="What holds, as a fact"
          hint={
            outcome === 'LEARNING' ? 'Empty: what was learned, in its own words.' : 'Empty: nothing takes its place.'
          }
          maxLength={500}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
    </Dialog>
  )
}

/** What is said of facts without a session is learned nowhere: there an admin says what becomes of them. */
function isLearned({ facts, learning, session }: Asked): boolean {
  return facts.length === 0 || learning !== null || session !== null
}

interface OutcomeFieldProps {
  readonly question: Asked
  readonly outcome: QuestionOutcome | null
  readonly setOutcome: (outcome: QuestionOutcome | null) => void
}

/** Of a question about facts, which admins alone are shown. */
function OutcomeField({ question, outcome, setOutcome }: OutcomeFieldProps) {
  const { facts, learning } = question
  return (
    <>
      <ul className="small">
        {facts.map((fact) => (
          <li key={fact.id} className="foreign">
            Known: {fact.content}
          </li>
        ))}
        {learning !== null && <li className="foreign">Learned: {learning.content}</li>}
      </ul>
      <SelectField
        label="What follows"
        value={outcome ?? ''}
        onChange={(event) => setOutcome(event.target.value === '' ? null : (event.target.value as QuestionOutcome))}
      >
        <option value="">{isLearned(question) ? 'The answer is judged as a learning' : 'Choose'}</option>
        <option value="FACTS">What is known holds</option>
        {learning !== null && <option value="LEARNING">What was learned holds, in its place</option>}
        <option value="NEITHER">What is known holds no more</option>
      </SelectField>
    </>
  )
}
