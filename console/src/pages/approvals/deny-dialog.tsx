/** Denying, with a word for the planner, which makes another plan of it. */
import { useState } from 'react'
import type { ApprovalRowFragment } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { TextField } from '../../ui/controls/field.tsx'
import { titleOf } from './title-of.ts'
import type { Decide } from './use-decide.ts'

interface DenyDialogProps extends Pick<Decide, 'decide'> {
  readonly rows: readonly ApprovalRowFragment[]
  readonly onClose: () => void
}

export function DenyDialog({ rows, onClose, decide }: DenyDialogProps) {
  const [note, setNote] = useState('')
  // Of this one alone: an approval that is still under way takes no key from it.
  const [isSending, setIsSending] = useState(false)
  const deny = async (): Promise<void> => {
    setIsSending(true)
    await decide(rows.map(({ id }) => ({ id, approve: false, ...(note.trim() === '' ? {} : { note: note.trim() }) })))
    setIsSending(false)
    setNote('')
    onClose()
  }
  return (
    <Dialog
      title={rows.length === 1 ? 'Deny this?' : `Deny these ${rows.length}?`}
      isOpen={rows.length > 0}
      onClose={onClose}
      onSubmit={() => void deny()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="danger" isBusy={isSending}>
            Deny
          </Button>
        </>
      }
    >
      <ul className="approval-denied foreign">
        {rows.slice(0, 5).map((row) => (
          <li key={row.id} className="mono cut">
            {titleOf(row)}
          </li>
        ))}
        {rows.length > 5 && <li className="soft">{`and ${rows.length - 5} more`}</li>}
      </ul>
      <TextField
        label="Reason, shown to the planner and to people"
        hint="It may be left out."
        maxLength={2000}
        autoFocus
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
    </Dialog>
  )
}
