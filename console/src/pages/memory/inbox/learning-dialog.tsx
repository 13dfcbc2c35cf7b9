/** Promoting in other words, in the place of a fact, or asking: what needs a text, before it is decided. */
import { useState } from 'react'
import type { LearningDecisionInput, LearningRowFragment } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/controls/dialog.tsx'
import { SelectField, TextAreaField } from '../../../ui/controls/field.tsx'
import { Diff } from '../../../ui/display/diff.tsx'
import { replaceableFacts } from './known-facts.ts'
import type { Curate } from './use-curate.ts'

export interface Asking {
  readonly kind: 'edit' | 'replace' | 'ask'
  readonly row: LearningRowFragment
}

interface LearningDialogProps extends Pick<Curate, 'decide'> {
  readonly asking: Asking
  readonly onClose: () => void
}

const TITLES = { edit: 'Promote in other words', replace: 'Replace a fact', ask: 'Ask about it' } as const
const BUTTONS = { edit: 'Promote', replace: 'Replace', ask: 'Ask' } as const
const MOST = 2000

export function LearningDialog({ asking: { kind, row }, decide, onClose }: LearningDialogProps) {
  const facts = replaceableFacts(row)
  const [text, setText] = useState(kind === 'ask' ? `Is it true that ${row.content}` : row.content)
  const [factId, setFactId] = useState(facts[0]?.id ?? null)
  const replaced = kind === 'replace' ? facts.find(({ id }) => id === factId) : undefined
  const before = replaced?.content ?? row.content
  const isReady = text.trim() !== '' && (kind !== 'replace' || replaced !== undefined)
  const send = async (): Promise<void> => {
    if (isReady && (await decide([decisionOf({ kind, row }, { text: text.trim(), factId })]))) onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" disabled={!isReady}>
        {BUTTONS[kind]}
      </Button>
    </>
  )
  return (
    <Dialog title={TITLES[kind]} isWide isOpen onClose={onClose} onSubmit={() => void send()} actions={actions}>
      <TextAreaField
        label={kind === 'ask' ? 'The question' : 'What the fact says'}
        hint={kind === 'ask' ? 'The planner raises it until a person answers.' : undefined}
        maxLength={MOST}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {kind === 'replace' && facts.length === 0 && <p className="soft">No fact in use is similar to it.</p>}
      {kind === 'replace' && facts.length > 0 && (
        <SelectField label="In the place of" value={factId ?? ''} onChange={(event) => setFactId(event.target.value)}>
          {facts.map(({ id, content }) => (
            <option key={id} value={id}>
              {content}
            </option>
          ))}
        </SelectField>
      )}
      {kind !== 'ask' && text !== before && (
        <div>
          <div className="field-label">{replaced === undefined ? 'What changes' : 'What changes of the fact'}</div>
          <Diff before={before} after={text} />
        </div>
      )}
    </Dialog>
  )
}

interface Said {
  readonly text: string
  readonly factId: string | null
}

function decisionOf({ kind, row: { id } }: Asking, { text, factId }: Said): LearningDecisionInput {
  if (kind === 'ask') return { id, verdict: 'ASK', text }
  return { id, verdict: 'PROMOTE', text, ...(kind === 'replace' && factId !== null ? { factId } : {}) }
}
