/** A task that a turn gave to a session of its own. Who may see the session that delegated may see it. */
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { NodeInterface } from '../node.ts'
import { countedConnectionType } from '../paging/counted.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'
import { row } from '../row.ts'
import { inVisibleSession, shownSessions } from '../session/session-visibility.ts'
import type { DelegationStatus } from '../../../core/status.ts'

export const DelegationStatusEnum = builder.enumType('DelegationStatus', {
  description: 'What became of a delegated task.',
  values: {
    PENDING: { description: 'The message of this round is about to be sent.' },
    RUNNING: { description: 'Its session works on it, or its answer is being reviewed.' },
    DONE: { description: 'The answer does: it is the output of the task.' },
    FAILED: { description: 'It could not be done, took too long, or no answer did.' },
    CANCELLED: { description: 'The turn that delegated it has ended before.' },
  } as const satisfies Record<DelegationStatus, { readonly description: string }>,
})

export const DelegationType = builder.prismaObject('Delegation', {
  description: 'A task that a turn gave to a session of its own, which works as the same user with no more rights.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "dlg_".' }),
    session: t.relation('session', { description: 'The session that delegated.' }),
    turn: t.relation('turn', { description: 'The turn that waits for it.' }),
    parentTask: t.relation('parentTask', { description: 'The task whose output is the answer.' }),
    child: t.prismaField({
      type: 'Session',
      nullable: true,
      description: 'The session that works on it; null: not opened yet, deleted, or one that you may not see.',
      select: { childId: true },
      resolve: (query, { childId }, _args, context) =>
        childId === null
          ? null
          : context.database.prisma.session.findFirst({
              ...query,
              where: { AND: [{ id: childId }, shownSessions(context)] },
            }),
    }),
    status: t.expose('status', { type: DelegationStatusEnum, description: 'What became of it.' }),
    task: t.exposeString('task', { description: 'What is to be done.' }),
    expect: t.exposeString('expect', { description: 'What the answer is judged by.' }),
    allowedTools: t.exposeStringList('tools', {
      extensions: ALL_STORED,
      description: 'What the child may call: patterns such as "weather__*", "skills__<skill>", "exec" and "*".',
    }),
    depth: t.exposeInt('depth', { description: '1: the session that delegated is no child itself.' }),
    budgetShare: t.exposeFloat('share', { description: "The part of a session's budget that the child may use." }),
    round: t.exposeInt('round', { description: 'How often the child was asked, from 1; at most 5 times.' }),
    feedback: t.exposeString('feedback', {
      nullable: true,
      description: 'What the review said of the answer before; null in the first round.',
    }),
    answer: t.exposeString('answer', {
      nullable: true,
      description: "The child's last answer; null until it has one.",
    }),
    failure: t.exposeString('failure', {
      nullable: true,
      description: 'Why it failed, for people; null unless it did.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the task was delegated.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Then it is given up.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null until then.',
    }),
  }),
})

export const DelegationRow = row('Delegation', {
  kind: 'delegation',
  table: (prisma) => prisma.delegation,
  visible: ({ viewer }, id) => inVisibleSession(viewer, id),
  connection: countedConnectionType(DelegationType, 'newest first'),
})

builder.prismaObjectField('Task', 'delegation', (t) =>
  t.relation('delegation', {
    nullable: true,
    description: 'What became of it in a session of its own; null when it was not delegated.',
  }),
)
