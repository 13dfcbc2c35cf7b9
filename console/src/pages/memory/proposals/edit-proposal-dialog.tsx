/** Accepting a proposal in other words: each text of it, and what that changes of the facts before. */
import { useState } from 'react'
import type { AcceptProposalInput, ProposalRowFragment } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/controls/dialog.tsx'
import { TextAreaField } from '../../../ui/controls/field.tsx'
import { Diff } from '../../../ui/display/diff.tsx'
import type { DecideProposals } from './use-decide.ts'

interface EditProposalDialogProps extends Pick<DecideProposals, 'accept'> {
  readonly proposal: ProposalRowFragment
  readonly onClose: () => void
}

type Step = ProposalRowFragment['steps'][number]
type Texts = Readonly<Record<number, string>>

const MOST = 2000

export function EditProposalDialog({ proposal: { id, steps }, accept, onClose }: EditProposalDialogProps) {
  const [texts, setTexts] = useState<Texts>({})
  const isReady = steps.every((step) => step.after === null || textOf(step, texts).trim() !== '')
  const changed = changesOf(steps, texts)
  const send = async (): Promise<void> => {
    // What was typed stays while it was refused.
    if (isReady && (await accept([{ id, ...(changed.length > 0 && { texts: changed }) }]))) onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" disabled={!isReady}>
        {changed.length === 0 ? 'Accept' : 'Accept in these words'}
      </Button>
    </>
  )
  return (
    <Dialog title="Edit and accept" isWide isOpen onClose={onClose} onSubmit={() => void send()} actions={actions}>
      {steps.map((step) =>
        step.after === null ? (
          <p key={step.step} className="soft">
            {'Drops: '}
            <span className="foreign">{step.facts.map(({ before }) => before).join(' ')}</span>
          </p>
        ) : (
          <StepField
            key={step.step}
            step={step}
            text={textOf(step, texts)}
            onChange={(text) => setTexts({ ...texts, [step.step]: text })}
          />
        ),
      )}
    </Dialog>
  )
}

interface StepFieldProps {
  readonly step: Step
  readonly text: string
  readonly onChange: (text: string) => void
}

function StepField({ step, text, onChange }: StepFieldProps) {
  const isMerge = step.operation === 'MERGE'
  return (
    <div className="proposal-step">
      <TextAreaField
        label={isMerge ? 'What the one fact says' : 'What the fact says'}
        maxLength={MOST}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
      <div>
        <div className="field-label">{isMerge ? 'What changes of each' : 'What changes'}</div>
        {step.facts.map(({ before, fact }) => (
          <Diff key={fact.id} before={before} after={text} />
        ))}
      </div>
    </div>
  )
}

function textOf({ step, after }: Step, texts: Texts): string {
  return texts[step] ?? after ?? ''
}

function changesOf(steps: readonly Step[], texts: Texts): NonNullable<AcceptProposalInput['texts']> {
  return steps.flatMap((step) => {
    const content = textOf(step, texts).trim()
    return step.after === null || content === step.after ? [] : [{ step: step.step, content }]
  })
}
