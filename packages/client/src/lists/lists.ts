/** The lists of the server that stay live, one for each client and filter. */
import type { ReadingClient } from '../reading-client.ts'
import {
  ListApprovalsDocument,
  ListedApprovalsDocument,
  ListedFactsDocument,
  ListedLearningsDocument,
  ListedSessionsDocument,
  ListFactsDocument,
  ListLearningsDocument,
  ListSessionsDocument,
  type ApprovalFilter,
  type FactFilter,
  type LearningFilter,
  type ListedApprovalFragment,
  type ListedFactFragment,
  type ListedLearningFragment,
  type ListedSessionFragment,
  type SessionFilter,
} from '../generated/graphql.ts'
import { LiveList, type ListSource } from './live-list.ts'

/**
 * Sessions that the token may see, the one with the newest activity first; the same list for the same filter, so it is
 * read once for all of a page.
 */
export function sessionList(client: ReadingClient, filter: SessionFilter | null = null) {
  return listOf<ListedSessionFragment, SessionFilter>(client, SESSIONS, filter)
}

/** Approvals that the token may see; the same list for the same filter. */
export function approvalList(client: ReadingClient, filter: ApprovalFilter | null = null) {
  return listOf<ListedApprovalFragment, ApprovalFilter>(client, APPROVALS, filter)
}

/** For admins. */
export function factList(client: ReadingClient, filter: FactFilter | null = null) {
  return listOf<ListedFactFragment, FactFilter>(client, FACTS, filter)
}

/** For admins. */
export function learningList(client: ReadingClient, filter: LearningFilter | null = null) {
  return listOf<ListedLearningFragment, LearningFilter>(client, LEARNINGS, filter)
}

const SESSIONS = { list: ListSessionsDocument, updates: ListedSessionsDocument }
const APPROVALS = { list: ListApprovalsDocument, updates: ListedApprovalsDocument }
const FACTS = { list: ListFactsDocument, updates: ListedFactsDocument }
const LEARNINGS = { list: ListLearningsDocument, updates: ListedLearningsDocument }

const lists = new WeakMap<ReadingClient, Map<unknown, Map<string, LiveList<never, never>>>>()

function listOf<Item extends { readonly id: string }, Filter>(
  client: ReadingClient,
  source: ListSource<Item, Filter>,
  filter: Filter | null,
): LiveList<Item, Filter> {
  const ofClient = lists.get(client) ?? new Map<unknown, Map<string, LiveList<never, never>>>()
  lists.set(client, ofClient)
  const ofSource = ofClient.get(source) ?? new Map<string, LiveList<never, never>>()
  ofClient.set(source, ofSource)
  const key = JSON.stringify(filter)
  const known = ofSource.get(key) as LiveList<Item, Filter> | undefined
  if (known !== undefined) return known
  const list = new LiveList<Item, Filter>(client, source, filter)
  ofSource.set(key, list as unknown as LiveList<never, never>)
  return list
}
