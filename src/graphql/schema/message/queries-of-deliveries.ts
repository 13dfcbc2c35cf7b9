/** The query for the deliveries of all sessions, and the subscription to what becomes of them: admins' alone. */
import { builder } from '../builder.ts'
import { BEGINS, ENTRY, listUpdate } from '../list-update.ts'
import { PAGING } from '../paging/connection-type.ts'
import { MAX_COUNTED } from '../paging/counted.ts'
import { DeliveryConnection, DeliveryStatusEnum } from './delivery.ts'
import { matchable } from '../values/matchable.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { PAGES } from '../paging/page-sizes.ts'
import { toPage } from '../paging/page.ts'
import { selectNodes } from '../paging/select-nodes.ts'

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
    type: DeliveryConnection,
    nullable: true,
    authScopes: { admin: true },
    description: 'The deliveries to webhooks, newest first. With status DEAD: what was given up. For admins.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      filter: t.arg({ type: DeliveryFilterInput, description: 'Which of them; all when left out.' }),
    },
    resolve: async (_root, { filter, ...args }, context, info) => {
      const request = readPageRequest('deliveries1', args, info)
      const { status, sessionId } = filter ?? {}
      const { delivery } = context.database.prisma
      const where = {
        ...(status == null || status.length === 0 ? {} : { status: { in: [...status] } }),
        ...(sessionId == null ? {} : { sessionId: matchable(sessionId) }),
      }
      const rows = await delivery.findMany({
        ...selectNodes({ context, info }, 'Delivery', { id: true }),
        where: { ...where, ...(request.after === null ? {} : { id: { lt: request.after[0] } }) },
        orderBy: { id: 'desc' },
        take: request.size + 1,
      })
      const placed = rows.map((node) => ({ node, position: [node.id] as [string] }))
      const totalCount = () => delivery.count({ where, take: MAX_COUNTED })
      return { ...toPage('deliveries1', request, placed), totalCount }
    },
  }),
)

const DeliveryUpdate = listUpdate('Delivery', { admin: true })
builder.objectField(DeliveryUpdate, 'delivery', (t) =>
  t.prismaField({
    type: 'Delivery',
    nullable: true,
    description: ENTRY,
    resolve: (query, { id }, _args, { database }) =>
      id === null ? null : database.prisma.delivery.findUnique({ ...query, where: { id } }),
  }),
)

builder.subscriptionField('deliveryUpdates', (t) =>
  t.field({
    type: DeliveryUpdate,
    authScopes: { admin: true },
    description: `Deliveries that are new, were attempted, or are posted again; at most four times a second each. ${BEGINS} For admins.`,
    subscribe: (_root, _args, context) => context.rowNotifier.follow('delivery'),
    resolve: (change) => change,
  }),
)
