/** A session: the conversation, and beside it what the agent does, the raw log and the details. */
import { sessionStore } from '@factotum/client'
import { useSession } from '@factotum/client/react'
import { useState, type DragEvent } from 'react'
import { useSearchParams } from 'wouter'
import { decodePart } from '../../app/hash-location.ts'
import { client } from '../../data/client.ts'
import { beginRead } from '../../data/use-read.ts'
import { useViewer } from '../../data/use-viewer.ts'
import { SessionPageDocument } from '../../generated/graphql.ts'
import { Tabs } from '../../ui/controls/tabs.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Pending } from '../../ui/feedback/pending.tsx'
import { Approvals } from './approval/approvals.tsx'
import { Composer } from './composer/composer.tsx'
import { Queue } from './composer/queue.tsx'
import { restoreUnsent, useUnsent } from './composer/use-unsent.ts'
import { useUploads } from './composer/use-uploads.ts'
import { Conversation } from './conversation/conversation.tsx'
import { DetailsPanel } from './details/details-panel.tsx'
import { LogPanel } from './log/log-panel.tsx'
import { Questions } from './question/questions.tsx'
import { SessionHeader } from './session-header.tsx'
import { ChildTurn } from './turn/child-turn.ts'
import { Paused } from './turn/paused.tsx'
import { TurnPanel } from './turn/turn-panel.tsx'
import { useSessionPage } from './use-session-page.ts'
import { useSessionTrouble } from './use-session-trouble.ts'
import './session.css'

export default function SessionPage({ id }: { readonly id: string }) {
  const viewer = useViewer()
  useUnsent(id)
  const status = useSession(id, (state) => state.status)
  const state = useSession(id, ({ session }) => session?.status)
  const trouble = useSessionTrouble(id)
  const [search, setSearch] = useSearchParams()
  const page = useSessionPage(id)
  const isOwn = id.startsWith(`${viewer.ownNamespace}:`) || viewer.isAdmin
  if (trouble !== null)
    return <Unavailable problem={trouble.message} isGone={trouble.code !== 'INTERNAL_SERVER_ERROR'} />
  if (status === 'absent' && !isOwn)
    return <Unavailable problem={`There is no session "${id}" that you may see.`} isGone />
  const turnId = search.get('turn')
  const tab = search.get('tab') ?? 'talk'
  const at = search.get('at')
  const show = (next: string, turn: string | null): void =>
    setSearch({ ...(next === 'talk' ? {} : { tab: next }), ...(turn === null ? {} : { turn }) }, { replace: true })
  return (
    <div className="page session" data-tab={tab} data-status={state}>
      <SessionHeader id={id} page={page} />
      <div className="session-body">
        <Talk
          id={id}
          isLoading={status === 'loading' || (status === 'failed' && state === undefined)}
          can={{ send: page?.viewerCan.send ?? isOwn, update: page?.viewerCan.update ?? false }}
          at={at === null ? null : Number(at)}
          onShowTurn={(turn) => show('turn', turn)}
        />
        <aside className="session-side" aria-label="What the agent does">
          <Tabs
            label="Beside the conversation"
            value={tab === 'talk' ? 'turn' : tab}
            onChange={(next) => show(next, turnId)}
            tabs={[
              {
                id: 'turn',
                label: turnId === null ? 'Turn' : 'Chosen turn',
                content: (
                  <ChildTurn value={TurnPanel}>
                    <TurnPanel id={id} turnId={turnId} />
                  </ChildTurn>
                ),
              },
              { id: 'log', label: 'Log', content: <LogPanel id={id} /> },
              { id: 'details', label: 'Details', content: <DetailsPanel id={id} /> },
            ]}
          />
        </aside>
      </div>
      <nav className="session-switch" aria-label="Parts of the session">
        {PARTS.map(([part, label]) => (
          <button key={part} type="button" aria-pressed={tab === part} onClick={() => show(part, turnId)}>
            {label}
          </button>
        ))}
      </nav>
    </div>
  )
}

/** On a phone one of them is shown. */
const PARTS = [
  ['talk', 'Conversation'],
  ['turn', 'Turn'],
  ['log', 'Log'],
  ['details', 'Details'],
] as const

interface TalkProps {
  readonly id: string
  readonly isLoading: boolean
  readonly can: { readonly send: boolean; readonly update: boolean }
  /** The place of an entry, to begin there. */
  readonly at: number | null
  readonly onShowTurn: (turnId: string) => void
}

/** The session is read, and followed for a while: long enough to be shown. */
export function begin(path: string): void {
  const id = decodePart(path.split('/')[2] ?? '')
  beginRead(SessionPageDocument, { id })
  const store = sessionStore(client, id)
  restoreUnsent(store)
  const leave = store.subscribe(() => {})
  leave()
}

/** Files may be dropped anywhere on it. */
function Talk({ id, isLoading, can, at, onShowTurn }: TalkProps) {
  const uploads = useUploads(id)
  const [isDropping, setIsDropping] = useState(false)
  const isEmpty = useSession(id, ({ entries }) => entries.length === 0)
  const over = (event: DragEvent): void => {
    if (!can.send || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setIsDropping(true)
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setIsDropping(false)
    if (can.send) uploads.add(event.dataTransfer.files)
  }
  return (
    <section
      className="session-talk"
      aria-label="Conversation"
      onDragOver={over}
      onDragLeave={() => setIsDropping(false)}
      onDrop={drop}
    >
      {isLoading ? (
        <div className="talk">
          <Pending what="the session" />
        </div>
      ) : isEmpty ? (
        <div className="talk">
          <EmptyState icon="sessions" title="Nothing was said yet">
            Write below what is to be done. What the agent plans and does is shown beside the conversation, live.
          </EmptyState>
        </div>
      ) : (
        <Conversation id={id} at={at} onShowTurn={onShowTurn} />
      )}
      <Paused id={id} />
      <Approvals id={id} />
      <Questions id={id} />
      <Queue id={id} />
      <Composer id={id} uploads={uploads} canSend={can.send} canUpdate={can.update} isFirst={isEmpty && !isLoading} />
      {isDropping && <div className="drop-here">Drop files to attach them</div>}
    </section>
  )
}

function Unavailable({ problem, isGone }: { readonly problem: string; readonly isGone: boolean }) {
  return (
    <EmptyState
      icon="warning"
      title={isGone ? 'This session is not here' : 'This session cannot be shown'}
      action={
        <a className="button" href="#/sessions">
          All sessions
        </a>
      }
    >
      <span className="foreign">{problem}</span>{' '}
      {isGone ? 'It may have been deleted, or others take part in it.' : 'It is tried again by itself.'}
    </EmptyState>
  )
}
