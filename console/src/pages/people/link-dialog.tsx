/** A connector knows a user under a further name. */
import { useState } from 'react'
import { useChange } from '../../data/use-change.ts'
import { LinkPersonDocument, PeopleDocument, type PersonRowFragment } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { TextField } from '../../ui/controls/field.tsx'

interface LinkDialogProps {
  readonly user: PersonRowFragment
  readonly onClose: () => void
}

export function LinkDialog({ user, onClose }: LinkDialogProps) {
  const [connector, setConnector] = useState('')
  const [identity, setIdentity] = useState('')
  const link = useChange(LinkPersonDocument, (data) => data.linkIdentity, [PeopleDocument])
  const save = async (): Promise<void> => {
    const input = { user: user.name, connector: connector.trim(), identity: identity.trim() }
    if ((await link.send({ input })) !== null) onClose()
  }
  const isReady = connector.trim() !== '' && identity.trim() !== ''
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" disabled={!isReady} isBusy={link.isSending}>
        Link
      </Button>
    </>
  )
  return (
    <Dialog
      title={`Link an identity to ${user.name}`}
      isOpen
      onClose={onClose}
      onSubmit={() => void save()}
      actions={actions}
    >
      <p className="soft">Anyone who writes under this identity there has the rights of {user.name} from then on.</p>
      <TextField
        label="Connector"
        hint="The name of its token."
        autoFocus
        value={connector}
        onChange={(event) => setConnector(event.target.value)}
      />
      <TextField
        label="Identity"
        hint="The name that the connector sends for this person, such as anna#1234."
        value={identity}
        onChange={(event) => setIdentity(event.target.value)}
      />
    </Dialog>
  )
}
