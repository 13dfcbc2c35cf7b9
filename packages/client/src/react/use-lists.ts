import { useSyncExternalStore } from 'react'
import type {
  ApprovalFilter,
  FactFilter,
  LearningFilter,
  ListedApprovalFragment,
  ListedFactFragment,
  ListedLearningFragment,
  ListedSessionFragment,
  SessionFilter,
} from '../generated/graphql.ts'
import type { ListState, LiveList } from '../lists/live-list.ts'
import { approvalList, factList, learningList, sessionList } from '../lists/lists.ts'
import { useClient } from './factotum-provider.ts'

/** A list, live, with `loadMore`. */
export interface UsedList<Item> extends ListState<Item> {
  loadMore(): void
}

/** The sessions that you see, newest first. */
export function useSessions(filter?: SessionFilter): UsedList<ListedSessionFragment> {
  return useList(sessionList(useClient(), filter))
}

/** Approvals, newest first: `useApprovals({ status: ['PENDING'] })` are those that wait. */
export function useApprovals(filter?: ApprovalFilter): UsedList<ListedApprovalFragment> {
  return useList(approvalList(useClient(), filter))
}

/** Facts, for admins; others are given a FORBIDDEN error. */
export function useFacts(filter?: FactFilter): UsedList<ListedFactFragment> {
  return useList(factList(useClient(), filter))
}

/** Learnings, for admins; others are given a FORBIDDEN error. */
export function useLearnings(filter?: LearningFilter): UsedList<ListedLearningFragment> {
  return useList(learningList(useClient(), filter))
}

function useList<Item extends { readonly id: string }, Filter>(list: LiveList<Item, Filter>): UsedList<Item> {
  const state = useSyncExternalStore(list.subscribe, list.getSnapshot, list.getSnapshot)
  return { ...state, loadMore: list.loadMore }
}
