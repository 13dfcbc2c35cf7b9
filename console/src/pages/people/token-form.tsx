/** A new token. Its secret is shown once, and kept nowhere. */
import { useState } from 'react'
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
import { SelectField, TextAreaField, TextField } from '../../ui/controls/field.tsx'

export function TokenForm({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<TokenKind>('USER')
  const [user, setUser] = useState('')
  const [namespace, setNamespace] = useState('')
  const [secret, setSecret] = useState<string | null>(null)
  const { rows: users } = usePages(PeopleDocument, { first: 100 }, (data) => data.users)
  const create = useChange(CreatePersonsTokenDocument, (data) => data.createToken, [PeoplesTokensDocument])
  const save = async (): Promise<void> => {
    const whose = kind === 'USER' ? { user } : namespace.trim() === '' ? {} : { namespace: namespace.trim() }
    const made = await create.send({ input: { name: name.trim(), kind, ...whose } })
    if (made !== null) setSecret(made.secret)
  }
  if (secret !== null) return <Secret secret={secret} onClose={onClose} />
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

function Secret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(secret)
    setIsCopied(true)
  }
  const actions = (
    <>
      <Button onClick={onClose}>I have kept it</Button>
      <Button kind="main" icon={isCopied ? 'check' : 'copy'} onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </>
  )
  return (
    <Dialog
      title="The new token"
      isOpen
      onClose={onClose}
      actions={actions}
      keptOpen={isCopied ? undefined : 'Copy the token first. It cannot be shown again once this is closed.'}
    >
      <TextAreaField
        label="Token"
        rows={2}
        hint="It is shown only once. Copy it to where it is used."
        readOnly
        value={secret}
        onFocus={(event) => event.target.select()}
        onCopy={() => setIsCopied(true)}
      />
    </Dialog>
  )
}
