/** Notifies of an approval that was settled: subscribers, watchers of approvals, and the worker when there is work. */
import type { SettledNow } from '../store/turn/settle-approval.ts'
import type { ApprovalsContext } from './approvals-context.ts'

export function notifySettled(
  { feed, doorbell }: Pick<ApprovalsContext, 'feed' | 'doorbell'>,
  { id, sessionId }: { readonly id: string; readonly sessionId: string },
  { events, isReady }: SettledNow,
): void {
  feed.published(events)
  doorbell.ring({ kind: 'approval', id, sessionId })
  if (isReady) doorbell.ring({ kind: 'work', sessionId })
}
