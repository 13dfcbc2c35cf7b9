/** A new token. Its secret is shown once, whatever becomes of the page meanwhile. */
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { useChange } from '../../data/use-change.ts'
import { usePages } from '../../data/use-read.ts'
import {
  CreatePersonsTokenDocument,
  PeopleDocument,
  PeoplesTokensDocument,
  type TokenKind,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { SelectField, TextField } from '../../ui/controls/field.tsx'
import { showSecret } from '../../ui/feedback/new-secret.ts'

export function TokenForm({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<TokenKind>('USER')
  const [user, setUser] = useState('')
  const [namespace, setNamespace] = useState('')
  const { rows: users } = usePages(PeopleDocument, { first: 100 }, (data) => data.users)
  const create = useChange(CreatePersonsTokenDocument, (data) => data.createToken, [PeoplesTokensDocument])
  const save = async (): Promise<void> => {
    const whose = kind === 'USER' ? { user } : namespace.trim() === '' ? {} : { namespace: namespace.trim() }
    const made = await create.send({ input: { name: name.trim(), kind, ...whose } })
    if (made === null) return
    // The focus is back where it was before the next dialog takes it.
    flushSync(onClose)
    showSecret(made.secret)
  }
  const isReady = name.trim() !== '' && (kind === 'CONNECTOR' || user !== '')
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" disabled={!isReady} isBusy={create.isSending}>
        Create
      </Button>
    </>
  )
  return (
    <Dialog title="New token" isOpen onClose={onClose} onSubmit={() => void save()} actions={actions}>
      <TextField
        label="Name"
        autoFocus
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField label="For" value={kind} onChange={(event) => setKind(event.target.value as TokenKind)}>
        <option value="USER">One user</option>
        <option value="CONNECTOR">A connector, which speaks for many</option>
      </SelectField>
      {kind === 'USER' ? (
        <SelectField label="User" value={user} onChange={(event) => setUser(event.target.value)}>
          <option value="">Choose a user</option>
          {users.map(({ id, name: userName }) => (
            <option key={id} value={userName}>
              {userName}
            </option>
          ))}
        </SelectField>
      ) : (
        <TextField
          label="Name space"
          hint="Its session ids begin with this and a colon. If empty, its own name is used."
          value={namespace}
          onChange={(event) => setNamespace(event.target.value)}
        />
      )}
    </Dialog>
  )
}
