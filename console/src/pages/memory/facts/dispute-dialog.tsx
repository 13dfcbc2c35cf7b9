/** Says that a fact is wrong: admins are asked, and it stays in use until one of them decides. */
import { useState } from 'react'
import { useChange } from '../../../data/use-change.ts'
import { DisputeFactDocument, FactDocument, FactsDocument } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/controls/dialog.tsx'
import { TextAreaField } from '../../../ui/controls/field.tsx'
import { notify } from '../../../ui/feedback/toasts.ts'
import type { ShownFact } from './shown-fact.ts'

export function DisputeDialog({ fact, onClose }: { readonly fact: ShownFact; readonly onClose: () => void }) {
  const [reason, setReason] = useState('')
  const { send, isSending } = useChange(DisputeFactDocument, (data) => data.disputeFact, [FactsDocument, FactDocument])
  const say = async (): Promise<void> => {
    if ((await send({ input: { id: fact.id, reason: reason.trim() } })) === null) return
    onClose()
    notify({ tone: 'good', text: 'The admins are asked. The fact stays in use until one of them decides.' })
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" isBusy={isSending} disabled={reason.trim() === ''}>
        Say so
      </Button>
    </>
  )
  return (
    <Dialog title="This is wrong" isOpen onClose={onClose} onSubmit={() => void say()} actions={actions}>
      <p className="foreign soft">{fact.content}</p>
      <TextAreaField
        label="What is wrong with it"
        maxLength={2000}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </Dialog>
  )
}
