/** What a person must decide before a session goes on, also in the sessions to which it has delegated. */
import type { FactotumClient } from '../../packages/client/src/connect.ts'
import { TerminalPendingDocument, type TerminalPendingQuery } from '../generated/remote/graphql.ts'

export type PendingApproval = NonNullable<TerminalPendingQuery['session']>['approvals'][number]

/** Oldest first; none where the session is not there. */
export async function readPending(client: FactotumClient, sessionId: string): Promise<readonly PendingApproval[]> {
  const { session } = await client.read(TerminalPendingDocument, { id: sessionId })
  return session?.approvals.toReversed() ?? []
}
