/** The list of proposals, and how it is followed: admins' alone. */
import { builder } from '../builder.ts'
import { BEGINS, ENTRY, listUpdate } from '../list-update.ts'
import { PAGING, type Row } from '../paging/connection-type.ts'
import { MAX_COUNTED } from '../paging/counted.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { PAGES } from '../paging/page-sizes.ts'
import { toPage } from '../paging/page.ts'
import { selectNodes } from '../paging/select-nodes.ts'
import { ProposalConnection, ProposalStatusEnum } from './proposal.ts'

const ADMIN = { admin: true } as const

builder.queryField('proposals', (t) =>
  t.field({
    type: ProposalConnection,
    nullable: true,
    authScopes: ADMIN,
    description: 'What the summarizer proposes to make of facts that are alike, newest first. For admins.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      status: t.arg({
        type: [ProposalStatusEnum],
        description: 'Only those in one of these states; all when left out.',
      }),
    },
    resolve: async (_root, { status, ...args }, context, info) => {
      const request = readPageRequest('proposals1', args, info)
      const { proposal } = context.database.prisma
      const where = status == null || status.length === 0 ? {} : { status: { in: [...status] } }
      const older = request.after === null ? {} : { id: { lt: request.after[0] } }
      const rows: Row[] = await proposal.findMany({
        ...selectNodes({ context, info }, 'Proposal', { id: true }),
        where: { AND: [where, older] },
        orderBy: { id: 'desc' },
        take: request.size + 1,
      })
      const placed = rows.map((node) => ({ node, position: [node.id] as [string] }))
      const totalCount = () => proposal.count({ where, take: MAX_COUNTED })
      return { ...toPage('proposals1', request, placed), totalCount }
    },
  }),
)

const ProposalUpdate = listUpdate('Proposal', ADMIN)
builder.objectField(ProposalUpdate, 'proposal', (t) =>
  t.prismaField({
    type: 'Proposal',
    nullable: true,
    description: ENTRY,
    resolve: (query, { id }, _args, { database }) =>
      id === null ? null : database.prisma.proposal.findUnique({ ...query, where: { id } }),
  }),
)

builder.subscriptionField('proposalUpdates', (t) =>
  t.field({
    type: ProposalUpdate,
    authScopes: ADMIN,
    description: `Proposals that are new, decided or undone; at most four times a second each. ${BEGINS} For admins.`,
    subscribe: (_root, _args, context) => context.rowNotifier.follow('proposal'),
    resolve: (change) => change,
  }),
)
