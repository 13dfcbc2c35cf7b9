/** Messages that wait for their turn: to be changed or taken back until then. */
import { useSession } from '@factotum/client/react'
import { useState } from 'react'
import { useChange } from '../../../data/use-change.ts'
import { EditQueuedMessageDocument, WithdrawMessageDocument } from '../../../generated/graphql.ts'
import { Button, IconButton } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/controls/dialog.tsx'
import { TextAreaField } from '../../../ui/controls/field.tsx'

interface Editing {
  readonly messageId: string
  readonly content: string
}

export function Queue({ id }: { readonly id: string }) {
  const { queue, queueLength } = useSession(id, (state) => ({ queue: state.queue, queueLength: state.queueLength }))
  const [editing, setEditing] = useState<Editing | null>(null)
  const withdraw = useChange(WithdrawMessageDocument, ({ withdrawMessage }) => withdrawMessage)
  if (queueLength === 0 && editing === null) return null
  return (
    <div className="queue">
      <ol className="chips" aria-label="Waiting messages">
        {queue.map(({ message }, index) => (
          <li key={message.id} className="chip">
            <span className="faint small">{index + 1}</span>
            <span className="cut foreign">{message.content}</span>
            <IconButton
              icon="edit"
              label="Edit"
              onClick={() => setEditing({ messageId: message.id, content: message.content })}
            />
            <IconButton
              icon="close"
              label="Withdraw"
              disabled={withdraw.isSending}
              onClick={() => void withdraw.send({ input: { id: message.id } })}
            />
          </li>
        ))}
        {queueLength > queue.length && <li className="faint small">and {queueLength - queue.length} more</li>}
      </ol>
      <EditDialog editing={editing} onChange={setEditing} />
    </div>
  )
}

interface EditDialogProps {
  readonly editing: Editing | null
  readonly onChange: (editing: Editing | null) => void
}

function EditDialog({ editing, onChange }: EditDialogProps) {
  const { send, isSending } = useChange(EditQueuedMessageDocument, ({ editQueuedMessage }) => editQueuedMessage)
  const save = async (): Promise<void> => {
    if (editing === null) return
    const saved = await send({ input: { id: editing.messageId, content: editing.content } })
    if (saved !== null) onChange(null)
  }
  return (
    <Dialog
      title="Edit the waiting message"
      isOpen={editing !== null}
      onClose={() => onChange(null)}
      onSubmit={() => void save()}
      actions={
        <Button kind="main" type="submit" isBusy={isSending}>
          Save
        </Button>
      }
    >
      <TextAreaField
        label="Message"
        rows={8}
        autoFocus
        value={editing?.content ?? ''}
        onChange={(event) => editing !== null && onChange({ ...editing, content: event.target.value })}
      />
    </Dialog>
  )
}
