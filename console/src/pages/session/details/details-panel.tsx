/** What a session is set up as, who takes part, what it keeps in mind, and what it has cost. */
import { useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../../data/use-read.ts'
import { SessionDetailsDocument } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Status } from '../../../ui/display/badge.tsx'
import { CopyId } from '../../../ui/display/copy-id.tsx'
import { moneyText } from '../../../ui/display/money-text.ts'
import { Time } from '../../../ui/display/time.tsx'
import { countOf, sizeText } from '../../../ui/display/time-text.ts'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { Pending } from '../../../ui/feedback/pending.tsx'
import type { Details } from './details.ts'
import { Fact, Part } from './part.tsx'
import { Participants } from './participants.tsx'
import { SetUp } from './set-up.tsx'
import './details.css'

export function DetailsPanel({ id }: { readonly id: string }) {
  const { data } = useRead(SessionDetailsDocument, { id })
  const [isEditing, setIsEditing] = useState(false)
  if (data === undefined) return <Pending what="the details" />
  const { session } = data
  if (session === null || session === undefined) return null
  return (
    <div className="details">
      <Part
        title="Set up"
        action={
          session.viewerCan.update && (
            <Button small icon="edit" onClick={() => setIsEditing(true)}>
              Change
            </Button>
          )
        }
      >
        <SetUpFacts session={session} />
      </Part>
      <Participants session={session} />
      <Cost session={session} />
      {session.workingMemory !== null && session.workingMemory !== undefined && (
        <Part title="Working memory">
          <Markdown text={session.workingMemory} />
        </Part>
      )}
      {session.summary !== '' && (
        <Part title="Summary of what was said before">
          <Markdown text={session.summary} />
        </Part>
      )}
      <Files session={session} />
      <Children session={session} />
      {session.viewerCan.update && <SetUp session={session} isOpen={isEditing} onClose={() => setIsEditing(false)} />}
    </div>
  )
}

function SetUpFacts({ session }: { readonly session: Details }) {
  const keys = Object.keys(session.metadata ?? {})
  return (
    <dl className="facts">
      <Fact name="Id">
        <CopyId id={session.id} />
      </Fact>
      <Fact name="Mode">{session.mode === 'CHAT' ? 'chat' : 'plan'}</Fact>
      <Fact name="Model">{session.model ?? 'as the server is set up'}</Fact>
      <Fact name="Time zone">{session.timeZone}</Fact>
      <Fact name="Opened">
        <Time at={session.createdAt} />{' '}
        {session.openedBy !== null && session.openedBy !== undefined && `by ${session.openedBy.name}`}
      </Fact>
      {session.instructions !== null && session.instructions !== undefined && (
        <Fact name="Instructions">
          <span className="details-text">{session.instructions}</span>
        </Fact>
      )}
      {session.webhook !== null && session.webhook !== undefined && <Fact name="Webhook">{session.webhook}</Fact>}
      {keys.length > 0 && (
        <Fact name="Metadata">
          <pre className="mono details-text">{JSON.stringify(session.metadata, null, 2)}</pre>
        </Fact>
      )}
    </dl>
  )
}

function Cost({ session: { usage, messageCount, turnCount } }: { readonly session: Details }) {
  return (
    <Part title="Usage">
      <dl className="facts">
        <Fact name="Said and done">
          {countOf(messageCount, 'message')}, {countOf(turnCount, 'turn')} ended
        </Fact>
        <Fact name="Model calls">{usage.calls}</Fact>
        <Fact name="Tokens">
          {usage.inputTokens.toLocaleString()} read, {usage.outputTokens.toLocaleString()} written
        </Fact>
        {usage.cost !== null && usage.cost !== undefined && (
          <Fact name="Cost">{moneyText(Number(usage.cost.amount), usage.cost.currency)}</Fact>
        )}
      </dl>
    </Part>
  )
}

function Files({ session }: { readonly session: Details }) {
  const files = session.files.edges.map(({ node }) => node)
  if (files.length === 0) return null
  return (
    <Part title="Files">
      <ul className="details-list">
        {files.map(({ name, size, url, user, createdAt }) => (
          <li key={`${name} ${createdAt}`}>
            {url === null || url === undefined ? (
              <span className="foreign">{name}</span>
            ) : (
              <a href={url} target="_blank" rel="noopener noreferrer" className="foreign">
                {name}
              </a>
            )}{' '}
            <span className="faint small">
              {sizeText(size)} · {user ?? 'the agent'} · <Time at={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Children({ session: { children } }: { readonly session: Details }) {
  if (children.length === 0) return null
  return (
    <Part title="Delegated to">
      <ul className="details-list">
        {children.map(({ id, title, status }) => (
          <li key={id}>
            <Link href={`/sessions/${encodeURIComponent(id)}`} className="foreign">
              {title}
            </Link>{' '}
            <Status status={status} />
          </li>
        ))}
      </ul>
    </Part>
  )
}
