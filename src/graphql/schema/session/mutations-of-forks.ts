/** Copies of sessions, as clients see them. The rules are in src/transfer. */
import { forkSession, type SessionForked } from '../../../transfer/fork-session.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { resultUnion } from '../result-union.ts'
import { SessionRow, SessionType } from './session.ts'
import { shownSessions } from './session-visibility.ts'

const ForkSessionInput = builder.inputType('ForkSessionInput', {
  description: 'What to copy, and under which id.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'A session that you see.' }),
    upTo: t.int({
      description:
        'The seq of the last event of which the copy tells, such as that of a ConversationEntry: what was said later is not in it. All ' +
        'when left out; 0: nothing.',
    }),
    newSessionId: t.id({
      description:
        'Of the copy, in your own name space (Viewer.ownNamespace); generated when left out. A second call with it answers with the copy ' +
        'that the first one made.',
    }),
  }),
})

const ForkSessionPayload = builder.objectRef<SessionForked>('ForkSessionPayload').implement({
  description: 'The copy is there.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    session: SessionRow.field(t, ({ sessionId }) => sessionId, 'The copy as it is now.'),
    created: t.exposeBoolean('created', { description: 'False: an earlier call with this newSessionId made it.' }),
  }),
})

builder.mutationField('forkSession', (t) =>
  t.field({
    type: resultUnion('ForkSession', ForkSessionPayload),
    authScopes: AUTHENTICATED,
    description:
      'Opens a session of your own that begins with what was said in another: messages, turns that had answered by then, their plans and ' +
      'tasks, with ids of their own, and the summary and working memory as far as they tell of nothing later. Messages that were not ' +
      'answered by then are STORED. You alone take part. Learnings, questions, approvals, files, webhook, metadata and costs stay behind. ' +
      'Refused while a turn of what is to be copied runs.',
    args: { input: t.arg({ type: ForkSessionInput, required: true, description: 'Which, and up to where.' }) },
    resolve: (_root, { input }, { intake, viewer }) => forkSession(intake, viewer, input),
  }),
)

builder.prismaObjectFields(SessionType, (t) => ({
  forkedFrom: t.prismaField({
    type: 'Session',
    nullable: true,
    description: 'The session that it began as a copy of; null: none, or one that is gone or that you may not see.',
    select: { forkedFrom: true },
    resolve: (query, { forkedFrom }, _args, context) =>
      forkedFrom === null
        ? null
        : context.database.prisma.session.findFirst({
            ...query,
            where: { AND: [{ id: forkedFrom }, shownSessions(context)] },
          }),
  }),
  forkedSeq: t.exposeInt('forkedSeq', {
    nullable: true,
    description: 'The event of that session up to which it is a copy; null: it is none.',
  }),
}))
