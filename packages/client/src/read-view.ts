/** Reads a session's view, once. */
import type { Connection } from './connection.ts'
import { SessionViewDocument, type ViewFieldsFragment } from './generated/graphql.ts'

/** What a page shows of a session besides the conversation, as of one moment: up to event `version`. */
export type SessionView = ViewFieldsFragment

/** Null: there is no such session that the token may see. */
export async function readView(
  connection: Connection,
  sessionId: string,
  signal: AbortSignal,
): Promise<SessionView | null> {
  const { session } = await connection.requestPatiently(SessionViewDocument, { id: sessionId }, signal)
  return session?.view ?? null
}
