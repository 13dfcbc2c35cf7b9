/** What stories about approvals do again and again: waiting until a session waits, and deciding. */
import type { ApiClient, Watch } from './api-client.ts'
import { eventsOf } from './story.ts'
import type { DecideResult } from '../../packages/client/src/connect.ts'
import type { ApprovalFieldsFragment, DecideApprovalInput, WatchSessionSubscription } from '../generated/graphql.ts'

/** `[approvals]` with rules, one string of TOML each. */
export function approvalRules(...rules: readonly string[]): string {
  return rules.map((rule) => `[[approvals.rules]]\n${rule}\n`).join('')
}

/**
 * Waits until `count` approvals were asked for in the session (from its start) and the turn waits for them; newest
 * last.
 */
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

/** The id of an approval is enough: it may be of any session. */
export function decide(client: ApiClient, { id, approve, ...options }: DecideApprovalInput): Promise<DecideResult> {
  const session = client.session('')
  return approve ? session.approve(id, options) : session.deny(id, options)
}

/** How the approvals of a session stand, by what the events show last of each. */
export function statesIn(watch: Watch<WatchSessionSubscription>): string[] {
  const states = new Map(eventsOf(watch, 'ApprovalEvent').map(({ approval }) => [approval.id, approval.approvalStatus]))
  return [...states.values()]
}
