/** What admins can do about deliveries. The rules are in src/delivery. */
import { redeliver, type Redelivered } from '../../../delivery/redeliver.ts'
import { builder } from '../builder.ts'
import { resultUnion } from '../result-union.ts'
import { stillThere } from '../still-there.ts'

const RedeliverPayload = builder.objectRef<Redelivered>('RedeliverPayload').implement({
  description: 'The delivery is posted again.',
  authScopes: { admin: true },
  fields: (t) => ({
    delivery: t.prismaField({
      type: 'Delivery',
      description: 'The delivery as it is now.',
      resolve: (query, { deliveryId: id }, _args, { database }) =>
        stillThere(database.prisma.delivery.findUnique({ ...query, where: { id } })),
    }),
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
      "Posts a delivery again that is DEAD or DELIVERED, under the same id and to the session's present webhook. For admins.",
    args: { input: t.arg({ type: RedeliverInput, required: true, description: 'The delivery.' }) },
    resolve: (_root, { input: { id } }, { database, outbox, viewer }) => redeliver({ database, outbox }, viewer, id),
  }),
)
