/**
 * An open point. One of a session is visible to all who may see the session; one of all sessions to admins, and to
 * those to whom it was put: of them only who answered it is shown the answer, which others said in their own sessions.
 */
import type { Viewer } from '../../../core/identity.ts'
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

const OF_ANSWER = { sessionId: true, resolvedBy: true } as const

function maySeeAnswer(
  viewer: Viewer,
  { sessionId, resolvedBy }: { readonly sessionId: string | null; readonly resolvedBy: string | null },
): boolean {
  return sessionId !== null || viewer.role === 'ADMIN' || (viewer.user !== null && viewer.user.name === resolvedBy)
}

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
    answer: t.string({
      nullable: true,
      description:
        'The answer; null when there is none, and, of a question of all sessions, for others than admins and who gave it.',
      select: { answer: true, ...OF_ANSWER },
      resolve: ({ answer, ...of }, _args, { viewer }) => (maySeeAnswer(viewer, of) ? answer : null),
    }),
    resolvedBy: t.field({
      type: ActorInterface,
      nullable: true,
      description:
        'The user whose message answered it, or the admin who resolved it; null while OPEN, and where `answer` is kept back.',
      select: OF_ANSWER,
      resolve: ({ resolvedBy, sessionId }, _args, { config, viewer }) =>
        resolvedBy === null || !maySeeAnswer(viewer, { resolvedBy, sessionId })
          ? null
          : actorNamed(config.current(), resolvedBy),
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
