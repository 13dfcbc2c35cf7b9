/** What admins can do about deliveries. The rules are in src/delivery. */
import { redeliver, type Redelivered, redeliverAll, type AllRedelivered } from '../../../delivery/redeliver.ts'
import { builder } from '../builder.ts'
import { DeliveryFilterInput } from './queries-of-deliveries.ts'
import { resultUnion } from '../result-union.ts'
import { DeliveryRow } from './delivery.ts'
import { matchable } from '../values/matchable.ts'

const RedeliverPayload = builder.objectRef<Redelivered>('RedeliverPayload').implement({
  description: 'The delivery is posted again.',
  authScopes: { admin: true },
  fields: (t) => ({
    delivery: DeliveryRow.field(t, ({ deliveryId }) => deliveryId, 'The delivery as it is now.'),
  }),
})

const RedeliverInput = builder.inputType('RedeliverInput', {
  description: 'The delivery to post again.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The delivery.' }) }),
})

builder.mutationField('redeliver', (t) =>
  t.field({
    type: resultUnion('Redeliver', RedeliverPayload),
    authScopes: { admin: true },
    description:
      'Posts a delivery again that is DEAD or DELIVERED, or now that is PENDING and pauses for more than 20 s, under the same id, ' +
      "its attempts counted anew, to the session's present webhook. For admins.",
    args: { input: t.arg({ type: RedeliverInput, required: true, description: 'The delivery.' }) },
    resolve: (_root, { input: { id } }, { deliveries, viewer }) => redeliver(deliveries, viewer, id),
  }),
)

const RedeliverAllPayload = builder.objectRef<AllRedelivered>('RedeliverAllPayload').implement({
  description: 'The deliveries are posted again.',
  authScopes: { admin: true },
  fields: (t) => ({
    redelivered: t.exposeInt('count', { description: 'How many; with 1000 there may be more: call it again.' }),
  }),
})

const RedeliverAllInput = builder.inputType('RedeliverAllInput', {
  description: 'Which deliveries to post again.',
  fields: (t) => ({
    filter: t.field({
      type: DeliveryFilterInput,
      description:
        'Only those that match; without states those that are DEAD. With PENDING those that pause for more than 20 s.',
    }),
  }),
})

builder.mutationField('redeliverAll', (t) =>
  t.field({
    type: resultUnion('RedeliverAll', RedeliverAllPayload),
    authScopes: { admin: true },
    description:
      "Posts the oldest 1000 deliveries that match again, under the same ids and to their sessions' present webhooks; those of sessions " +
      'without a webhook are left out. For admins.',
    args: { input: t.arg({ type: RedeliverAllInput, required: true, description: 'Which deliveries.' }) },
    resolve: (_root, { input: { filter } }, { deliveries, viewer }) => {
      const { status, sessionId } = filter ?? {}
      const of = { status, sessionId: sessionId == null ? null : matchable(sessionId) }
      return redeliverAll(deliveries, viewer, of)
    },
  }),
)
