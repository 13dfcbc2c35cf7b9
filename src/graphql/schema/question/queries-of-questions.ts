/** The query for the questions of all sessions, and the subscription to what becomes of them: admins' alone. */
import { builder } from '../builder.ts'
import { BEGINS, OFTEN } from '../list-update.ts'
import { fromFront } from '../paging/connection-type.ts'
import { matchable } from '../values/matchable.ts'
import { QuestionRow, QuestionStatusEnum } from './question.ts'

const ADMIN = { admin: true } as const

const QuestionFilterInput = builder.inputType('QuestionFilter', {
  description: 'Which questions to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    status: t.field({ type: [QuestionStatusEnum], description: 'Only those in one of these states.' }),
    sessionId: t.id({ description: 'Only those of this session; those of all sessions are not among them.' }),
  }),
})

builder.queryField('questions', (t) =>
  t.field({
    type: QuestionRow.connection,
    nullable: true,
    authScopes: ADMIN,
    description: 'The questions of all sessions, newest first. For admins.',
    args: {
      ...fromFront(t),
      filter: t.arg({ type: QuestionFilterInput, description: 'Which of them; all when left out.' }),
    },
    resolve: (_root, { filter, ...args }, context, info) => {
      const { status, sessionId } = filter ?? {}
      return QuestionRow.byId(
        { cursor: 'questions1', args, context, info },
        {
          ...(status == null || status.length === 0 ? {} : { status: { in: [...status] } }),
          ...(sessionId == null ? {} : { sessionId: matchable(sessionId) }),
        },
      )
    },
  }),
)

QuestionRow.updates('questionUpdates', {
  authScopes: ADMIN,
  description: `Questions that are new, or that were answered or dismissed; ${OFTEN}. ${BEGINS} For admins.`,
  follow: ({ rowNotifier }) => rowNotifier.follow('question'),
})
