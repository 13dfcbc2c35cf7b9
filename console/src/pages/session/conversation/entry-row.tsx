/** One entry of the conversation. */
import type { AgentEntry, Entry, NoticeEntry, PersonEntry } from '@factotum/client'
import { useSessionStore } from '@factotum/client/react'
import { memo } from 'react'
import { useViewer } from '../../../data/use-viewer.ts'
import { Button, IconButton } from '../../../ui/controls/button.tsx'
import { Badge } from '../../../ui/display/badge.tsx'
import { Icon } from '../../../ui/display/icon.tsx'
import { Time } from '../../../ui/display/time.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { StreamedMarkdown } from '../../../ui/markdown/streamed-markdown.tsx'
import { Thought } from './thought.tsx'

interface EntryRowProps {
  readonly sessionId: string
  readonly entry: Entry
  readonly onShowTurn: (turnId: string) => void
}

export const EntryRow = memo(function EntryRow({ sessionId, entry, onShowTurn }: EntryRowProps) {
  switch (entry.kind) {
    case 'thinking':
      return <Thought entry={entry} />
    case 'notice':
      return <NoticeRow entry={entry} />
    case 'agent':
      return <AgentRow entry={entry} onShowTurn={onShowTurn} />
    case 'person':
      return <PersonRow sessionId={sessionId} entry={entry} onShowTurn={onShowTurn} />
  }
})

function AgentRow({ entry, onShowTurn }: { readonly entry: AgentEntry } & Pick<EntryRowProps, 'onShowTurn'>) {
  const { turnId } = entry
  return (
    <article className="entry entry-agent" aria-busy={entry.isStreaming}>
      <header className="entry-head">
        <strong>Agent</strong>
        <span className="faint small">
          <Time at={entry.at} />
        </span>
        {turnId !== null && !entry.isStreaming && <TurnButton onClick={() => onShowTurn(turnId)} />}
      </header>
      {entry.isStreaming ? <StreamedMarkdown text={entry.content} /> : <Markdown text={entry.content} />}
    </article>
  )
}

function TurnButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <span className="entry-actions">
      <IconButton icon="eye" label="What the agent did" onClick={onClick} />
    </span>
  )
}

function NoticeRow({ entry }: { readonly entry: NoticeEntry }) {
  return (
    <div className="entry entry-notice small">
      <span className="foreign">{entry.content}</span>{' '}
      <span className="faint">
        <Time at={entry.at} />
      </span>
    </div>
  )
}

function PersonRow({ sessionId, entry, onShowTurn }: EntryRowProps & { readonly entry: PersonEntry }) {
  const viewer = useViewer()
  const name = entry.author?.name ?? viewer.user?.name ?? 'You'
  const { turnId, message } = entry
  return (
    <article className="entry entry-person">
      <header className="entry-head">
        <strong className="foreign">{name}</strong>
        {entry.author?.trusted === false && <Badge tone="warn">not known here</Badge>}
        <span className="faint small">
          <Time at={entry.at} />
        </span>
        {message !== null && <MessageState status={message.status} />}
        {turnId !== null && <TurnButton onClick={() => onShowTurn(turnId)} />}
      </header>
      <div className="entry-said foreign" dir="auto">
        {entry.content}
      </div>
      <Files names={entry.files} />
      {entry.sending !== null && <Sending sessionId={sessionId} entry={entry} />}
    </article>
  )
}

function Files({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <ul className="chips" aria-label="Files">
      {names.map((name) => (
        <li key={name} className="chip">
          <Icon name="file" />
          <span className="cut foreign">{name}</span>
        </li>
      ))}
    </ul>
  )
}

const STATES: Readonly<Record<string, { readonly tone: 'plain' | 'bad'; readonly text: string }>> = {
  QUEUED: { tone: 'plain', text: 'waits' },
  CANCELLED: { tone: 'plain', text: 'cancelled' },
  FAILED: { tone: 'bad', text: 'failed' },
}

function MessageState({ status }: { readonly status: string }) {
  const state = STATES[status]
  return state === undefined ? null : <Badge tone={state.tone}>{state.text}</Badge>
}

/** On its way, or why it did not arrive. */
function Sending({ sessionId, entry }: { readonly sessionId: string; readonly entry: PersonEntry }) {
  const store = useSessionStore(sessionId)
  if (entry.sending === null) return null
  const { status, problem } = entry.sending
  if (status === 'SENDING') return <p className="faint small">Sending …</p>
  return (
    <p className="entry-unsent small">
      <span className="foreign">{problem}</span>
      {status === 'FAILED' && (
        <Button small icon="retry" onClick={() => void store.retry(entry.key)}>
          Send again
        </Button>
      )}
      <Button small kind="quiet" onClick={() => store.discard(entry.key)}>
        Discard
      </Button>
    </p>
  )
}
