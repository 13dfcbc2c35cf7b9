/** Stating a fact. */
import { useState } from 'react'
import { goTo } from '../../../app/hash-location.ts'
import { useChange } from '../../../data/use-change.ts'
import { CreateFactDocument, FactsDocument } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/controls/dialog.tsx'
import { TextAreaField } from '../../../ui/controls/field.tsx'

export function NewFactDialog({ onClose }: { readonly onClose: () => void }) {
  const [content, setContent] = useState('')
  const create = useChange(CreateFactDocument, (data) => data.createFact, [FactsDocument])
  const send = async (): Promise<void> => {
    const created = await create.send({ input: { content } })
    if (created === null) return
    onClose()
    if (created.fact !== null) goTo(`/memory/facts/${created.fact.id}`)
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" disabled={content.trim() === ''} isBusy={create.isSending}>
        State it
      </Button>
    </>
  )
  return (
    <Dialog title="New fact" isOpen onClose={onClose} onSubmit={() => void send()} actions={actions}>
      <TextAreaField
        label="What it says"
        hint="One sentence that makes sense on its own; every session may be shown it."
        maxLength={2000}
        value={content}
        onChange={(event) => setContent(event.target.value)}
      />
    </Dialog>
  )
}
