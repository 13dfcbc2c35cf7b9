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
import { keep } from '../keep.ts'
import { LiveList, type ListSource } from './live-list.ts'

/**
 * Sessions that the token may see, the one with the newest activity first; the same list for the same filter, so it is
 * read once for all of a page. Beyond 50 lists and stores of a client, those to which nothing listens are given up.
 */
export const sessionList = /*#__PURE__*/ listOf<ListedSessionFragment, SessionFilter>({
  list: ListSessionsDocument,
  updates: ListedSessionsDocument,
})

/** Approvals that the token may see; the same list for the same filter. */
export const approvalList = /*#__PURE__*/ listOf<ListedApprovalFragment, ApprovalFilter>({
  list: ListApprovalsDocument,
  updates: ListedApprovalsDocument,
})

/** For admins. */
export const factList = /*#__PURE__*/ listOf<ListedFactFragment, FactFilter>({
  list: ListFactsDocument,
  updates: ListedFactsDocument,
})

/** For admins. */
export const learningList = /*#__PURE__*/ listOf<ListedLearningFragment, LearningFilter>({
  list: ListLearningsDocument,
  updates: ListedLearningsDocument,
})

function listOf<Item extends { readonly id: string }, Filter>(source: ListSource<Item, Filter>) {
  return (client: ReadingClient, filter: Filter | null = null): LiveList<Item, Filter> => {
    // The text of its subscription says which list it is.
    const key = source.updates.toString() + JSON.stringify(filter)
    return keep(client, key, () => new LiveList(client, source, filter))
  }
}
