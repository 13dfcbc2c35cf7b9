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
 * One message for each of a person, and one for all that a turn has said. Left out is what the turn that runs has said,
 * and what was said after the view: a stream brings it.
 */
export function messagesOf({ entries }: HistoryPage, { version, activeTurn }: SessionView): SaidMessage[] {
  const messages: SaidMessage[] = []
  const ofTurns = new Map<string, SaidMessage>()
  for (const entry of entries) {
    const part = { type: 'text', text: entry.content } as const
    if (entry.__typename === 'PersonMessage') {
      messages.push({ id: idOf(entry.message?.idempotencyKey) ?? entry.id, role: 'user', parts: [part] })
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
    messages.push(message)
  }
  return messages
}

/** That of the page which sent it, so that it is known again; not of one that was edited, whose id two have. */
function idOf(key: string | null | undefined): string | null {
  if (key == null || !key.startsWith(KEY_PREFIX)) return null
  const id = key.slice(KEY_PREFIX.length)
  return id.includes(' ') ? null : id
}
