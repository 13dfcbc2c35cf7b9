/** A text on its way to a webhook; what a session's webhook is, and what became of a task's text. */
import { row } from '../row.ts'
import { inVisibleSession } from '../session/session-visibility.ts'
import { withoutReason } from '../../../delivery/post.ts'
import { maskUrl } from '../../../delivery/mask-url.ts'
import type { DeliveryStatus } from '../../../core/status.ts'
import type { Viewer } from '../../../core/identity.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { countedConnectionType } from '../paging/counted.ts'
import { NodeInterface } from '../node.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'

export const DeliveryStatusEnum = builder.enumType('DeliveryStatus', {
  description: 'How far a delivery has come.',
  values: {
    PENDING: { description: 'Waits for its next attempt, or for deliveries of the session before it.' },
    DELIVERED: { description: 'The webhook has taken it.' },
    DEAD: { description: 'Given up; later deliveries of the session go on. An admin can redeliver it.' },
  } as const satisfies Record<DeliveryStatus, { readonly description: string }>,
})

export const DeliveryType = builder.prismaObject('Delivery', {
  description: 'A text of the agent on its way to the webhook of its session. A session has its texts posted in order.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Begins with "dlv_". The post carries it as "webhook-id", the same at each attempt.',
    }),
    session: t.relation('session', { description: 'The session it belongs to.' }),
    task: t.relation('task', { description: 'The task whose text it is.' }),
    url: t.string({
      description:
        'Where it was posted last, or will be. Its path is shown to admins and to the token that set the webhook alone.',
      select: { url: true, tokenName: true },
      resolve: ({ url, tokenName }, _args, { viewer }) => (knowsWebhook(viewer, tokenName) ? url : maskUrl(url)),
    }),
    status: t.expose('status', { type: DeliveryStatusEnum, description: 'How far it has come.' }),
    attempts: t.exposeInt('attempts', { description: 'How often it was posted, the attempt under way included.' }),
    lastStatusCode: t.exposeInt('lastStatusCode', {
      nullable: true,
      description: 'The HTTP status of the last attempt; null when there was no answer.',
    }),
    lastError: t.string({
      nullable: true,
      description:
        'What was wrong with the last attempt; null when nothing was. Why the webhook could not be reached is for admins.',
      select: { lastError: true },
      resolve: ({ lastError }, _args, { viewer }) =>
        lastError === null || viewer.role === 'ADMIN' ? lastError : withoutReason(lastError),
    }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTime',
      nullable: true,
      description: 'PENDING: no earlier than then it is posted again.',
    }),
    deliveredAt: t.expose('deliveredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the webhook took it; null until then.',
    }),
  }),
})

builder.prismaObjectField('Task', 'deliveries', (t) =>
  t.relation('deliveries', {
    extensions: ALL_STORED,
    description: 'MSG: the deliveries of its text; none in a session without a webhook.',
    query: { orderBy: { id: 'asc' } },
  }),
)

builder.prismaObjectField('Session', 'webhook', (t) =>
  t.string({
    nullable: true,
    description:
      "Where the agent's texts are posted. Shown to admins and to the token that set it; null for everybody else, and where there is none.",
    select: { webhook: true, webhookToken: true },
    resolve: ({ webhook, webhookToken }, _args, { viewer }) => (knowsWebhook(viewer, webhookToken) ? webhook : null),
  }),
)

/** A webhook's path can be all that protects it. */
function knowsWebhook(viewer: Viewer, tokenName: string | null): boolean {
  return viewer.role === 'ADMIN' || viewer.tokenName === tokenName
}

export const DeliveryRow = row('Delivery', {
  kind: 'delivery',
  table: (prisma) => prisma.delivery,
  visible: ({ viewer }, id) => inVisibleSession(viewer, id),
  connection: countedConnectionType(DeliveryType, 'newest first'),
})
