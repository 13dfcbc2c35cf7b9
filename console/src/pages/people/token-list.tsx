/** All tokens, with when they were used last. The secret of a new one is shown once. */
import { useState } from 'react'
import { useChange } from '../../data/use-change.ts'
import { usePages } from '../../data/use-read.ts'
import { PeoplesTokensDocument, RevokePersonsTokenDocument, type TokenRowFragment } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { Badge } from '../../ui/display/badge.tsx'
import { Time } from '../../ui/display/time.tsx'
import { ListPane } from '../../ui/picking/list-pane.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { TokenForm } from './token-form.tsx'

export function TokenList() {
  const list = usePages(PeoplesTokensDocument, { first: 50 }, ({ tokens }) => tokens)
  const [isNew, setIsNew] = useState(false)
  const [revoked, setRevoked] = useState<TokenRowFragment | null>(null)
  return (
    <>
      <ListPane
        what="tokens"
        list={list}
        rowHeight={64}
        bar={
          <Button kind="main" icon="plus" onClick={() => setIsNew(true)}>
            New token
          </Button>
        }
        empty={
          <EmptyState icon="people" title="No tokens">
            A token is how a program of a user, or a connector, says who it is.
          </EmptyState>
        }
      >
        {(row) => <TokenRow token={row} revoke={() => setRevoked(row)} />}
      </ListPane>
      {isNew && <TokenForm onClose={() => setIsNew(false)} />}
      {revoked !== null && <RevokeDialog token={revoked} onClose={() => setRevoked(null)} />}
    </>
  )
}

function TokenRow({ token, revoke }: { readonly token: TokenRowFragment; readonly revoke: () => void }) {
  const { name, kind, user, namespace, declared, lastUsedAt, expiresAt, createdAt } = token
  return (
    <article className="pick-row people-row" aria-label={name}>
      <div className="pick-body">
        <div className="pick-line">
          <strong className="cut foreign">{name}</strong>
          <span className="soft small foreign">
            {kind === 'USER' ? `of ${user?.name ?? 'nobody'}` : `connector, ${namespace ?? 'every name space'}`}
          </span>
          {declared && <Badge>config.toml</Badge>}
        </div>
        <p className="soft small">
          {lastUsedAt === null ? (
            'never used'
          ) : (
            <>
              used <Time at={lastUsedAt} />
            </>
          )}
          {createdAt !== null && (
            <>
              , made <Time at={createdAt} />
            </>
          )}
          {expiresAt !== null && (
            <>
              , ends <Time at={expiresAt} />
            </>
          )}
        </p>
      </div>
      {!declared && (
        <div className="pick-actions">
          <Button small kind="danger" icon="trash" onClick={revoke}>
            Revoke
          </Button>
        </div>
      )}
    </article>
  )
}

function RevokeDialog({ token, onClose }: { readonly token: TokenRowFragment; readonly onClose: () => void }) {
  const revoke = useChange(RevokePersonsTokenDocument, (data) => data.revokeToken, [PeoplesTokensDocument])
  const save = async (): Promise<void> => {
    if ((await revoke.send({ name: token.name })) !== null) onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="danger" isBusy={revoke.isSending}>
        Revoke
      </Button>
    </>
  )
  return (
    <Dialog
      title={`Revoke the token “${token.name}”`}
      isOpen
      onClose={onClose}
      onSubmit={() => void save()}
      actions={actions}
    >
      <p>Requests with it are rejected at once, and everyone who logged in to the console with it is logged out.</p>
    </Dialog>
  )
}
