/**
 * `redeliverAll`: an admin has all deliveries posted again that match, such as those of an outage. Called by the door.
 */
import type { Viewer } from '../core/identity.ts'
import type { DeliveryStatus } from '../core/status.ts'
import { reopenDeliveries } from '../store/delivery.ts'
import type { RedeliverContext } from './redeliver.ts'

/** At most so many in one call: each gets an entry in the audit. */
export const MAX_REDELIVERED = 1000

/** Absent or null: any session; without states those that were given up. */
export interface RedeliverFilter {
  readonly status?: readonly DeliveryStatus[] | null | undefined
  readonly sessionId?: string | null | undefined
}

export interface AllRedelivered {
  readonly kind: 'AllRedelivered'
  readonly count: number
}

/**
 * Those that wait, and those of sessions without a webhook, stay as they are. Again for what is left: call it again.
 */
export async function redeliverAll(
  { database, outbox, doorbell }: RedeliverContext,
  viewer: Viewer,
  { status, sessionId }: RedeliverFilter,
): Promise<AllRedelivered> {
  const wanted = status == null || status.length === 0 ? (['DEAD'] as const) : status.filter(isOver)
  const by = { userName: viewer.user?.name ?? null, tokenName: viewer.tokenName, max: MAX_REDELIVERED }
  const reopened = await reopenDeliveries(database, { status: wanted, sessionId: sessionId ?? null }, by)
  for (const { sessionId: wakened, ids } of reopened) {
    for (const id of ids) doorbell.ring({ kind: 'row', id })
    outbox.wake(wakened)
  }
  return { kind: 'AllRedelivered', count: reopened.reduce((sum, { ids }) => sum + ids.length, 0) }
}

function isOver(status: DeliveryStatus): status is Exclude<DeliveryStatus, 'PENDING'> {
  return status !== 'PENDING'
}
