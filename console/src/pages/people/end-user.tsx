/** What cannot be taken back: a user becomes a part of another one, or is removed. */
import { useState } from 'react'
import { useChange } from '../../data/use-change.ts'
import {
  MergePeopleDocument,
  PeopleDocument,
  PeoplesTokensDocument,
  RemovePersonDocument,
  type PersonRowFragment,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { SelectField } from '../../ui/controls/field.tsx'

interface EndDialogProps {
  readonly user: PersonRowFragment
  readonly onClose: () => void
}

const LISTS = [PeopleDocument, PeoplesTokensDocument]

export function MergeDialog({
  user,
  others,
  onClose,
}: EndDialogProps & { readonly others: readonly PersonRowFragment[] }) {
  const [into, setInto] = useState('')
  const merge = useChange(MergePeopleDocument, (data) => data.mergeUsers, LISTS)
  const save = async (): Promise<void> => {
    if ((await merge.send({ from: user.name, into })) !== null) onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="danger" disabled={into === ''} isBusy={merge.isSending}>
        Merge
      </Button>
    </>
  )
  return (
    <Dialog
      title={`Merge ${user.name} into another user`}
      isOpen
      onClose={onClose}
      onSubmit={() => void save()}
      actions={actions}
    >
      <p>
        For two users who are one person. All that {user.name} has (sessions, messages, files, schedules, tokens,
        identities) becomes the other user’s, with their rights. It cannot be undone.
      </p>
      <SelectField label="Into" value={into} onChange={(event) => setInto(event.target.value)}>
        <option value="">Choose a user</option>
        {others
          .filter(({ id }) => id !== user.id)
          .map(({ id, name }) => (
            <option key={id} value={name}>
              {name}
            </option>
          ))}
      </SelectField>
    </Dialog>
  )
}

export function RemoveDialog({ user, onClose }: EndDialogProps) {
  const remove = useChange(RemovePersonDocument, (data) => data.removeUser, LISTS)
  const save = async (): Promise<void> => {
    if ((await remove.send({ user: user.name })) !== null) onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="danger" isBusy={remove.isSending}>
        Remove
      </Button>
    </>
  )
  return (
    <Dialog title={`Remove ${user.name}`} isOpen onClose={onClose} onSubmit={() => void save()} actions={actions}>
      <p>
        Tokens and logins of {user.name} end at once, and running turns at their next task. What they wrote stays, and
        the name is given to nobody else.
      </p>
    </Dialog>
  )
}
