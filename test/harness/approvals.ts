/** What stories about approvals do again and again: waiting until a session waits, and deciding. */
import type { ApiClient, Watch } from './api-client.ts'
import { eventsOf } from './story.ts'
import {
  DecideApprovalDocument,
  type ApprovalFieldsFragment,
  type DecideApprovalInput,
  type DecideApprovalMutation,
  type WatchSessionSubscription,
} from '../generated/graphql.ts'

/** `[approvals]` with rules, one string of TOML each. */
export function approvalRules(...rules: readonly string[]): string {
  return rules.map((rule) => `[[approvals.rules]]\n${rule}\n`).join('')
}

/** Waits until `count` approvals were asked for in the session (from its start) and the turn waits for them; newest last. */
export async function untilAsked(
  watch: Watch<WatchSessionSubscription>,
  count = 1,
): Promise<readonly ApprovalFieldsFragment[]> {
  const asked = new Map<string, ApprovalFieldsFragment>()
  await watch.until(({ sessionEvents: event }) => {
    if (event.__typename === 'ApprovalEvent' && !asked.has(event.approval.id))
      asked.set(event.approval.id, event.approval)
    return event.__typename === 'TurnPausedEvent' && asked.size >= count
  })
  return [...asked.values()]
}

export async function decide(
  client: ApiClient,
  input: DecideApprovalInput,
): Promise<DecideApprovalMutation['decideApproval']> {
  return (await client.run(DecideApprovalDocument, { input })).decideApproval
}

/** How the approvals of a session stand, by what the events show last of each. */
export function statesIn(watch: Watch<WatchSessionSubscription>): string[] {
  const states = new Map(eventsOf(watch, 'ApprovalEvent').map(({ approval }) => [approval.id, approval.approvalStatus]))
  return [...states.values()]
}
