/** An open point. One of a session is visible to all who may see the session; one of all sessions only to admins. */
import type { QuestionSource, QuestionStatus } from '../../../core/status.ts'
import { row } from '../row.ts'
import { visibleQuestion } from '../session/session-visibility.ts'
import { AUTHENTICATED } from '../access.ts'
import { ActorInterface } from '../people/actor.ts'
import { actorNamed } from '../people/to-actor.ts'
import { builder } from '../builder.ts'
import { countedConnectionType } from '../paging/counted.ts'
import { NodeInterface } from '../node.ts'

const QuestionSourceEnum = builder.enumType('QuestionSource', {
  description: 'Who wants to know.',
  values: {
    CURATOR: { description: 'The curator, about a learning.' },
    ADMIN: { description: 'An admin.' },
    DISPUTE: { description: 'A user, who says that a fact is wrong (disputeFact). It is put to admins alone.' },
  } as const satisfies Record<QuestionSource, { readonly description: string }>,
})

export const QuestionStatusEnum = builder.enumType('QuestionStatus', {
  description: 'Whether a question is still open.',
  values: {
    OPEN: { description: 'The planner raises it.' },
    RESOLVED: { description: "It was answered, by a user's message or by an admin, or closed without an answer." },
  } as const satisfies Record<QuestionStatus, { readonly description: string }>,
})

export const QuestionType = builder.prismaObject('Question', {
  description: 'An open point that the planner raises in its next answer, until it is resolved.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "q_".' }),
    content: t.exposeString('content', { description: 'What is asked, 1 to 2000 characters.' }),
    session: t.relation('session', {
      nullable: true,
      description: 'The session in which it is asked; null when it is asked in all.',
    }),
    source: t.expose('source', { type: QuestionSourceEnum, description: 'Who wants to know.' }),
    status: t.expose('status', { type: QuestionStatusEnum, description: 'Whether it is still open.' }),
    answer: t.exposeString('answer', { nullable: true, description: 'The answer; null when there is none.' }),
    resolvedBy: t.field({
      type: ActorInterface,
      nullable: true,
      description: 'The user whose message answered it, or the admin who resolved it; null while OPEN.',
      select: { resolvedBy: true },
      resolve: ({ resolvedBy }, _args, { config }) =>
        resolvedBy === null ? null : actorNamed(config.current(), resolvedBy),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first asked.' }),
    resolvedAt: t.expose('resolvedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was resolved; null while OPEN.',
    }),
  }),
})

export const QuestionRow = row('Question', {
  kind: 'question',
  table: (prisma) => prisma.question,
  visible: ({ viewer }, id) => visibleQuestion(viewer, id),
  connection: countedConnectionType(QuestionType, 'newest first'),
})
