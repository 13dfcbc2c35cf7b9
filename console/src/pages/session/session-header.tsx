/** The head of a session's page: what it is, how it stands, and what else can be done with it. */
import { useSession } from '@factotum/client/react'
import { useState, type MouseEvent } from 'react'
import { Link } from 'wouter'
import { goBackTo, goTo } from '../../app/hash-location.ts'
import { plainRequest } from '../../data/plain-request.ts'
import { useChange } from '../../data/use-change.ts'
import { useViewer } from '../../data/use-viewer.ts'
import {
  DeleteSessionDocument,
  ForkSessionDocument,
  SessionsDocument,
  UpdateSessionDocument,
  type SessionPageQuery,
} from '../../generated/graphql.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { Menu, type MenuItem } from '../../ui/controls/menu.tsx'
import { Badge, Status } from '../../ui/display/badge.tsx'
import { copyOrShow } from '../../ui/display/copy-text.ts'
import { Icon } from '../../ui/display/icon.tsx'
import { saveFile } from '../../ui/display/save-file.ts'
import { notify } from '../../ui/feedback/toasts.ts'

type Page = NonNullable<SessionPageQuery['session']>

export function SessionHeader({ id, page }: { readonly id: string; readonly page: Page | null }) {
  const session = useSession(id, (state) => state.session)
  const [isDeleting, setIsDeleting] = useState(false)
  return (
    <header className="page-head session-head">
      <Link href="/sessions" className="button button-quiet button-icon" aria-label="All sessions" onClick={goBack}>
        <Icon name="left" />
      </Link>
      <h1 className="cut foreign">{session?.title ?? id}</h1>
      {session !== null && (
        <>
          <Badge>{session.mode === 'CHAT' ? 'chat' : 'plan'}</Badge>
          <Status status={session.status} />
        </>
      )}
      {page?.parent !== null && page?.parent !== undefined && (
        <Link href={`/sessions/${encodeURIComponent(page.parent.id)}`} className="small cut foreign">
          for {page.parent.title}
        </Link>
      )}
      <Actions id={id} page={page} onDelete={() => setIsDeleting(true)} />
      <DeleteDialog id={id} isOpen={isDeleting} onClose={() => setIsDeleting(false)} />
    </header>
  )
}

/** To the list as it was left: what it was searched for, and how far it was scrolled. */
function goBack(event: MouseEvent): void {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey
  if (isPlain && goBackTo((path) => path === '/sessions')) event.preventDefault()
}

interface ActionsProps {
  readonly id: string
  readonly page: Page | null
  readonly onDelete: () => void
}

function Actions({ id, page, onDelete }: ActionsProps) {
  const viewer = useViewer()
  const fork = useChange(ForkSessionDocument, ({ forkSession }) => forkSession, [SessionsDocument])
  const update = useChange(UpdateSessionDocument, ({ updateSession }) => updateSession, [SessionsDocument])
  const copy = async (): Promise<void> => {
    const forked = await fork.send({ input: { sessionId: id } })
    if (forked !== null) goTo(`/sessions/${encodeURIComponent(forked.session.id)}`)
  }
  const isAside = useSession(id, (state) => state.session?.status === 'INACTIVE')
  const bringBack = (): void => void update.send({ input: { id, inactive: false } })
  const putAside = async (): Promise<void> => {
    if ((await update.send({ input: { id, inactive: true } })) === null) return
    goTo('/sessions')
    const text = 'The session is put aside. The list shows it when you choose “Put aside” above it.'
    notify({ tone: 'good', text, action: { label: 'Undo', run: bringBack } })
  }
  const share = async (): Promise<void> => {
    if (await copyOrShow(location.href)) notify({ tone: 'good', text: 'The address is copied.' })
  }
  const items: (MenuItem | null)[] = [
    { label: 'Copy the address', icon: 'link', run: () => void share() },
    { label: 'Copy of the session', icon: 'fork', run: () => void copy() },
  ]
  if (viewer.isAdmin) items.push({ label: 'Export', icon: 'download', run: () => void saveSession(id) })
  if (isAside && page?.viewerCan.update === true) items.push({ label: 'Bring back', icon: 'eye', run: bringBack })
  else if (page?.viewerCan.hide === true) items.push({ label: 'Put aside', icon: 'eye', run: () => void putAside() })
  if (page?.viewerCan.delete === true)
    items.push(null, { label: 'Delete', icon: 'trash', isDangerous: true, run: onDelete })
  return (
    <Menu items={items}>
      <IconButton icon="more" label="More" />
    </Menu>
  )
}

/** Not by a link: for a link with `download` Safari does not say whose page it is on, so its cookie does not count. */
async function saveSession(id: string): Promise<void> {
  const answer = await plainRequest(`sessions/${encodeURIComponent(id)}/export`)
  const content = typeof answer === 'string' ? null : await answer.blob().catch(() => null)
  if (content !== null) return saveFile(`${id.replaceAll(/[/:]/g, '-')}.jsonl`, content)
  notify({ tone: 'bad', text: typeof answer === 'string' ? answer : 'The export broke off. Try again.' })
}

function DeleteDialog({
  id,
  isOpen,
  onClose,
}: {
  readonly id: string
  readonly isOpen: boolean
  readonly onClose: () => void
}) {
  const { send, isSending } = useChange(DeleteSessionDocument, ({ deleteSession }) => deleteSession, [SessionsDocument])
  const remove = async (): Promise<void> => {
    if ((await send({ input: { id } })) === null) return
    onClose()
    goTo('/sessions')
  }
  return (
    <Dialog
      title="Delete this session?"
      isOpen={isOpen}
      onClose={onClose}
      onSubmit={() => void remove()}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button kind="danger" icon="trash" type="submit" isBusy={isSending}>
            Delete for good
          </Button>
        </>
      }
    >
      <p>
        Messages, turns, files and the log of <strong className="foreign">{id}</strong> are removed for everybody who
        takes part. What was learned and the audit stay. This cannot be taken back; an export can be imported again.
      </p>
    </Dialog>
  )
}
