/** The list of proposals, and how it is followed: admins' alone. */
import { builder } from '../builder.ts'
import { BEGINS } from '../list-update.ts'
import { fromFront } from '../paging/connection-type.ts'
import { ProposalRow, ProposalStatusEnum } from './proposal.ts'

const ADMIN = { admin: true } as const

builder.queryField('proposals', (t) =>
  t.field({
    type: ProposalRow.connection,
    nullable: true,
    authScopes: ADMIN,
    description: 'What the summarizer proposes to make of facts that are alike, newest first. For admins.',
    args: {
      ...fromFront(t),
      status: t.arg({
        type: [ProposalStatusEnum],
        description: 'Only those in one of these states; all when left out.',
      }),
    },
    resolve: (_root, { status, ...args }, context, info) =>
      ProposalRow.byId(
        { cursor: 'proposals1', args, context, info },
        status == null || status.length === 0 ? {} : { status: { in: [...status] } },
      ),
  }),
)

ProposalRow.updates('proposalUpdates', {
  authScopes: ADMIN,
  description: `Proposals that are new, decided or undone; at most four times a second each. ${BEGINS} For admins.`,
  follow: ({ rowNotifier }) => rowNotifier.follow('proposal'),
})
