/** Promoting in other words, in the place of a fact, or asking: what needs a text, before it is decided. */
import { useState } from 'react'
import type { LearningDecisionInput, LearningRowFragment } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/controls/dialog.tsx'
import { SelectField, TextAreaField } from '../../../ui/controls/field.tsx'
import { Diff } from '../../../ui/display/diff.tsx'
import { replaceableFacts, staysBeside, waitsToReplace } from './known-facts.ts'
import type { Curate } from './use-curate.ts'

export interface Asking {
  readonly kind: 'edit' | 'replace' | 'ask'
  readonly row: LearningRowFragment
  /** Whom the fact is shown; left out: as the server has it. */
  readonly scope?: LearningDecisionInput['scope']
}

interface LearningDialogProps extends Pick<Curate, 'decide'> {
  readonly asking: Asking
  readonly onClose: () => void
}

const TITLES = { edit: 'Promote in other words', replace: 'Replace a fact', ask: 'Ask about it' } as const
const BUTTONS = { edit: 'Promote', replace: 'Replace', ask: 'Ask' } as const
const MOST = 2000
/** In the place of a fact's id: the one that it would replace stays. */
const BOTH = 'both'
const ALSO_KEPT = 'the fact that it would replace is kept'

export function LearningDialog({ asking, decide, onClose }: LearningDialogProps) {
  const { kind, row } = asking
  const facts = replaceableFacts(row)
  const isPlaced = kind === 'replace' || (kind === 'edit' && waitsToReplace(row))
  const [text, setText] = useState(kind === 'ask' ? questionOf(row.content) : row.content)
  const [factId, setFactId] = useState(facts[0]?.id ?? null)
  const replaced = isPlaced ? facts.find(({ id }) => id === factId) : undefined
  const before = replaced?.content ?? row.content
  const isReady = text.trim() !== '' && (!isPlaced || factId === BOTH || replaced !== undefined)
  const send = async (): Promise<void> => {
    if (isReady && (await decide([decisionOf(asking, { text: text.trim(), factId: isPlaced ? factId : null })])))
      onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" disabled={!isReady}>
        {isPlaced ? (factId === BOTH ? 'Promote beside it' : BUTTONS.replace) : BUTTONS[kind]}
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
      {isPlaced && facts.length === 0 && <p className="soft">No fact in use is similar to it.</p>}
      {isPlaced && facts.length > 0 && (
        <SelectField label="In the place of" value={factId ?? ''} onChange={(event) => setFactId(event.target.value)}>
          {facts.map(({ id, content }) => (
            <option key={id} value={id}>
              {staysBeside(row, id) ? `${content} (${ALSO_KEPT})` : content}
            </option>
          ))}
          {waitsToReplace(row) && <option value={BOTH}>No fact: both are kept</option>}
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

function decisionOf({ kind, row, scope }: Asking, { text, factId }: Said): LearningDecisionInput {
  const { id } = row
  if (kind === 'ask') return { id, verdict: 'ASK', text }
  const isOther = factId !== null && staysBeside(row, factId)
  const place = { ...(factId === null || factId === BOTH ? {} : { factId }), ...(isOther ? { keepBoth: true } : {}) }
  return { id, verdict: 'PROMOTE', text, ...place, ...(scope === undefined ? {} : { scope }) }
}

function questionOf(text: string): string {
  return text.trimEnd().endsWith('?') ? text : `Is this true? ${text}`
}
