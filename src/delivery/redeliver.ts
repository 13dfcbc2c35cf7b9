/** `redeliver`: an admin has a delivery posted again that was delivered or given up. Called by the GraphQL door. */
import type { Viewer } from '../core/identity.ts'
import { conflict, notFound, type Refusal } from '../core/refusal.ts'
import { idKind } from '../platform/id.ts'
import type { Database } from '../store/database.ts'
import { reopenDelivery } from '../store/delivery.ts'
import type { Outbox, OutboxOptions } from './outbox.ts'

export interface RedeliverContext {
  readonly database: Database
  readonly outbox: Pick<Outbox, 'wake'>
  readonly doorbell: OutboxOptions['doorbell']
}

export interface Redelivered {
  readonly kind: 'Redelivered'
  readonly deliveryId: string
}

/** Under the same id, with all its attempts, to where the session's webhook is now. */
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
        `Delivery "${id}" is still being attempted; it can be redelivered when it is DELIVERED or DEAD.`,
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
