/** All users, by name. What config.toml declares is changed only there, so it has no buttons for that. */
import { useState } from 'react'
import { useChange } from '../../data/use-change.ts'
import { usePages } from '../../data/use-read.ts'
import { PeopleDocument, UnlinkPersonDocument, type PersonRowFragment } from '../../generated/graphql.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Badge } from '../../ui/display/badge.tsx'
import { ListPane } from '../../ui/picking/list-pane.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { LinkDialog } from './link-dialog.tsx'
import { MergeDialog, RemoveDialog } from './end-user.tsx'
import { UserForm } from './user-form.tsx'
import { rightsText } from './rights-text.ts'

type Open = { readonly what: 'new' } | { readonly what: Act; readonly user: PersonRowFragment }
type Act = 'change' | 'link' | 'merge' | 'remove'

export function UserList() {
  const list = usePages(PeopleDocument, { first: 50 }, ({ users }) => users)
  const [open, setOpen] = useState<Open | null>(null)
  const close = (): void => setOpen(null)
  const user = open === null || open.what === 'new' ? null : open.user
  return (
    <>
      <ListPane
        what="users"
        list={list}
        rowHeight={84}
        bar={
          <Button kind="main" icon="plus" onClick={() => setOpen({ what: 'new' })}>
            New user
          </Button>
        }
        empty={
          <EmptyState icon="people" title="Nobody is here yet">
            A user has a role, and a token or an identity at a connector.
          </EmptyState>
        }
      >
        {(row) => <UserRow user={row} act={(what) => setOpen({ what, user: row })} />}
      </ListPane>
      {(open?.what === 'new' || open?.what === 'change') && <UserForm user={user} onClose={close} />}
      {open?.what === 'link' && <LinkDialog user={open.user} onClose={close} />}
      {open?.what === 'merge' && <MergeDialog user={open.user} others={list.rows} onClose={close} />}
      {open?.what === 'remove' && <RemoveDialog user={open.user} onClose={close} />}
    </>
  )
}

interface UserRowProps {
  readonly user: PersonRowFragment
  readonly act: (what: Act) => void
}

function UserRow({ user, act }: UserRowProps) {
  const { name, role, account } = user
  const isDeclared = account?.declared === true
  return (
    <article className="pick-row people-row" aria-label={name}>
      <div className="pick-body">
        <div className="pick-line">
          <strong className="cut foreign">{name}</strong>
          <Badge tone={role === 'ADMIN' ? 'busy' : 'plain'}>{role === 'ADMIN' ? 'admin' : 'user'}</Badge>
          {isDeclared && <Badge>config.toml</Badge>}
          {(account?.formerNames ?? []).length > 0 && (
            <span className="faint small foreign">was {account?.formerNames.join(', ')}</span>
          )}
        </div>
        <p className="soft small">{rightsText(user)}</p>
        <Identities user={user} />
      </div>
      <div className="pick-actions">
        {!isDeclared && (
          <Button small icon="edit" onClick={() => act('change')}>
            Change
          </Button>
        )}
        <Button small icon="link" onClick={() => act('link')}>
          Link
        </Button>
        {!isDeclared && (
          <>
            <Button small icon="fork" onClick={() => act('merge')}>
              Merge
            </Button>
            <Button small icon="trash" kind="danger" onClick={() => act('remove')}>
              Remove
            </Button>
          </>
        )}
      </div>
    </article>
  )
}

/** Under which names connectors know the user. */
function Identities({ user: { name, account } }: { readonly user: PersonRowFragment }) {
  const unlink = useChange(UnlinkPersonDocument, (data) => data.unlinkIdentity, [PeopleDocument])
  const identities = account?.identities ?? []
  if (identities.length === 0) return null
  return (
    <ul className="pick-line" aria-label="Identities">
      {identities.map(({ connector, identity }) => (
        <li key={`${connector} ${identity}`} className="small people-identity">
          <span className="faint">{connector}</span> <span className="mono foreign">{identity}</span>
          <IconButton
            icon="close"
            label={`Unlink ${identity}`}
            onClick={() => void unlink.send({ input: { user: name, connector, identity } })}
          />
        </li>
      ))}
    </ul>
  )
}
