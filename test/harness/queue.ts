/** The queue of a session as stories read it: its messages with their turns, and its busy policy. */
import {
  OpenSessionDocument,
  SessionQueueDocument,
  type BusyPolicy,
  type OpenSessionInput,
  type SessionQueueQuery,
} from '../generated/graphql.ts'
import type { ApiClient } from './api-client.ts'
import { must } from '../../src/platform/must.ts'

type QueueSession = NonNullable<SessionQueueQuery['session']>
type QueueMessage = QueueSession['messages']['edges'][number]['node']

export async function openBusy(
  client: ApiClient,
  busyPolicy: BusyPolicy,
  input: Partial<OpenSessionInput> & { readonly id: string },
): Promise<void> {
  const { openSession } = await client.run(OpenSessionDocument, { input: { busyPolicy, ...input } })
  if (openSession.__typename !== 'OpenSessionPayload') throw new Error(JSON.stringify(openSession))
}

export async function queueOf(client: ApiClient, id: string): Promise<QueueSession> {
  return must((await client.run(SessionQueueDocument, { id })).session, 'there is the session')
}

/** Its messages in order. */
export async function messagesIn(client: ApiClient, id: string): Promise<QueueMessage[]> {
  return (await queueOf(client, id)).messages.edges.map(({ node }) => node)
}
