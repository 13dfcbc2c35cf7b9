/**
 * `redeliver`: an admin has deliveries posted again that were delivered or given up, or has those posted now that pause
 * for long after they failed. Called by the GraphQL door.
 */
import type { Viewer } from '../core/identity.ts'
import { conflict, notFound, type Refusal } from '../core/refusal.ts'
import { idKind } from '../platform/id.ts'
import type { Database } from '../store/database.ts'
import { reopenDelivery, reopenDeliveries } from '../store/delivery.ts'
import type { Outbox, OutboxOptions } from './outbox.ts'
import type { DeliveryStatus } from '../core/status.ts'

export interface RedeliverContext {
  readonly database: Database
  readonly outbox: Pick<Outbox, 'wake'>
  readonly doorbell: OutboxOptions['doorbell']
}

export interface Redelivered {
  readonly kind: 'Redelivered'
  readonly deliveryId: string
}

/** Under the same id, its attempts counted anew, to where the session's webhook is now. */
export async function redeliver(
  { database, outbox, doorbell }: RedeliverContext,
  viewer: Viewer,
  id: string,
): Promise<Redelivered | Refusal> {
  if (idKind(id) !== 'delivery') return notFound('delivery', id)
  const userName = viewer.user?.name ?? null
  const result = await reopenDelivery(database, id, { userName, tokenName: viewer.tokenName })
  switch (result.kind) {
    case 'NoDelivery':
      return notFound('delivery', id)
    case 'StillPending':
      return conflict(
        'BUSY',
        `Delivery "${id}" is still being attempted; it can be redelivered when it is DELIVERED or DEAD, or ` +
          'pauses for more than 20 s.',
        id,
      )
    case 'NoWebhook':
      return conflict(
        'NO_WEBHOOK',
        `Session "${result.sessionId}" has no webhook any more; set one with updateSession first.`,
        result.sessionId,
      )
    case 'Reopened':
      doorbell.ring({ kind: 'row', id })
      outbox.wake(result.sessionId)
      return { kind: 'Redelivered', deliveryId: id }
  }
}

/** At most so many in one call: each gets an entry in the audit. */
const MAX_REDELIVERED = 1000

/** Absent or null: any session; without states those that were given up. */
interface RedeliverFilter {
  readonly status?: readonly DeliveryStatus[] | null | undefined
  readonly sessionId?: string | null | undefined
}

export interface AllRedelivered {
  readonly kind: 'AllRedelivered'
  readonly count: number
}

/**
 * `redeliverAll`: an admin has all deliveries posted again that match, such as those of an outage. Called by the door.
 * Those that are attempted or soon will be, and those of sessions without a webhook, stay as they are. For what is left
 * it is called again.
 */
export async function redeliverAll(
  { database, outbox, doorbell }: RedeliverContext,
  viewer: Viewer,
  { status, sessionId }: RedeliverFilter,
): Promise<AllRedelivered> {
  const wanted = status == null || status.length === 0 ? (['DEAD'] as const) : status
  const by = { userName: viewer.user?.name ?? null, tokenName: viewer.tokenName, max: MAX_REDELIVERED }
  const reopened = await reopenDeliveries(database, { status: wanted, sessionId: sessionId ?? null }, by)
  for (const { sessionId: wakened, ids } of reopened) {
    for (const id of ids) doorbell.ring({ kind: 'row', id })
    outbox.wake(wakened)
  }
  return { kind: 'AllRedelivered', count: reopened.reduce((sum, { ids }) => sum + ids.length, 0) }
}
