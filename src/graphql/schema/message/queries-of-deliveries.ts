/** The query for the deliveries of all sessions, and the subscription to what becomes of them: admins' alone. */
import { builder } from '../builder.ts'
import { BEGINS } from '../list-update.ts'
import { fromFront } from '../paging/connection-type.ts'
import { DeliveryRow, DeliveryStatusEnum } from './delivery.ts'
import { matchable } from '../values/matchable.ts'

/** Which deliveries are meant. */
export const DeliveryFilterInput = builder.inputType('DeliveryFilter', {
  description: 'Which deliveries to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    status: t.field({ type: [DeliveryStatusEnum], description: 'Only those in one of these states.' }),
    sessionId: t.id({ description: 'Only those of this session.' }),
  }),
})

builder.queryField('deliveries', (t) =>
  t.field({
    type: DeliveryRow.connection,
    nullable: true,
    authScopes: { admin: true },
    description: 'The deliveries to webhooks, newest first. With status DEAD: what was given up. For admins.',
    args: {
      ...fromFront(t),
      filter: t.arg({ type: DeliveryFilterInput, description: 'Which of them; all when left out.' }),
    },
    resolve: (_root, { filter, ...args }, context, info) => {
      const { status, sessionId } = filter ?? {}
      return DeliveryRow.byId(
        { cursor: 'deliveries1', args, context, info },
        {
          ...(status == null || status.length === 0 ? {} : { status: { in: [...status] } }),
          ...(sessionId == null ? {} : { sessionId: matchable(sessionId) }),
        },
      )
    },
  }),
)

DeliveryRow.updates('deliveryUpdates', {
  authScopes: { admin: true },
  description: `Deliveries that are new, were attempted, or are posted again; at most four times a second each. ${BEGINS} For admins.`,
  follow: ({ rowNotifier }) => rowNotifier.follow('delivery'),
})
