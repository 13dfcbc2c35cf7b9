/** What was said in a session, as messages of the AI SDK that a page begins with. */
import type { SessionView } from '../read-view.ts'
import type { HistoryPage } from '../session-client.ts'
import { KEY_PREFIX } from './message-key.ts'

/** A `UIMessage` of texts: name that type where `useChat` is given them, which else takes all messages for texts. */
export interface SaidMessage {
  id: string
  readonly role: 'user' | 'assistant'
  readonly parts: { type: 'text'; text: string }[]
}

/**
 * One message for each of a person, and one for all that a turn has said, which stands below the message of its turn.
 * Left out is what the turn that runs has said, and what was said after the view: a stream brings it.
 */
export function messagesOf({ entries }: HistoryPage, { version, activeTurn }: SessionView): SaidMessage[] {
  const messages: SaidMessage[] = []
  const ofTurns = new Map<string, SaidMessage>()
  const askedBy = new Map<string, SaidMessage>()
  for (const entry of entries) {
    const part = { type: 'text', text: entry.content } as const
    if (entry.__typename === 'PersonMessage') {
      const asked: SaidMessage = { id: idOf(entry.message?.idempotencyKey) ?? entry.id, role: 'user', parts: [part] }
      messages.push(asked)
      if (entry.turn !== null) askedBy.set(entry.turn.id, asked)
      continue
    }
    const turnId = entry.turn?.id ?? entry.id
    if (turnId === activeTurn?.turn.id || entry.seq > version) continue
    const known = ofTurns.get(turnId)
    if (known !== undefined) {
      known.parts.push(part)
      continue
    }
    const message: SaidMessage = { id: turnId, role: 'assistant', parts: [part] }
    ofTurns.set(turnId, message)
    moveDown(messages, askedBy.get(turnId))
    messages.push(message)
  }
  if (activeTurn !== null) moveDown(messages, askedBy.get(activeTurn.turn.id))
  return messages
}

/** What waited while other turns spoke is read below what they said, as it was on the page that sent it. */
function moveDown(messages: SaidMessage[], asked: SaidMessage | undefined): void {
  const from = messages.findIndex((message) => message === asked)
  const answer = messages.findIndex(({ role }, index) => index > from && role === 'assistant')
  if (from >= 0 && answer >= 0) messages.push(...messages.splice(from, answer - from))
}

/** The turn whose texts are left out although the view has none that runs: it began after that. */
export function turnSince({ entries }: HistoryPage, { version }: SessionView): string | undefined {
  return entries.findLast(({ __typename, seq }) => __typename !== 'PersonMessage' && seq > version)?.turn?.id
}

/** That of the page which sent it, so that it is known again; not of one that was edited, whose id two have. */
function idOf(key: string | null | undefined): string | null {
  if (key == null || !key.startsWith(KEY_PREFIX)) return null
  const id = key.slice(KEY_PREFIX.length)
  return id.includes(' ') ? null : id
}
