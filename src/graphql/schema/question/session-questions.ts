/** Session.questions: what the planner is to raise there, and what was resolved. */
import type { GraphQLResolveInfo } from 'graphql'
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { Statement } from '../../../store/database.ts'
import type { GraphQLContext } from '../../context.ts'
import { builder } from '../builder.ts'
import type { Row } from '../paging/connection-type.ts'
import { loadAt } from '../paging/load-at.ts'
import type { ChildKey } from '../paging/load-nested-pages.ts'
import { upTo } from '../paging/page-sizes.ts'
import { QuestionType } from './question.ts'
import { SessionType } from '../session/session.ts'

const MAX_QUESTIONS = 100

builder.prismaObjectField(SessionType, 'questions', (t) =>
  t.field({
    type: [QuestionType],
    extensions: upTo(MAX_QUESTIONS),
    description: `What is asked in this session, and those of all sessions that were put there: first what is open, then what is resolved, each newest first. At most ${MAX_QUESTIONS}.`,
    select: { id: true },
    resolve: async (session, _args, context, info) =>
      (await loadAt({ context, info }, session.id, (ids) => loadQuestions({ context, info }, ids))) ?? [],
  }),
)

const QUESTION_KEYS: Statement = {
  name: 'questions-of-sessions',
  text: `
    SELECT parent.id AS parent_id, child.id
    FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
      (SELECT id, status FROM questions WHERE session_id = parent.id ORDER BY status, id DESC LIMIT $2)
      UNION ALL (SELECT q.id, q.status FROM question_askings a JOIN questions q ON q.id = a.question_id
        WHERE a.session_id = parent.id ORDER BY q.status, q.id DESC LIMIT $2)
      ORDER BY status, id DESC LIMIT $2
    ) child
    ORDER BY child.status, child.id DESC`,
}

async function loadQuestions(
  { context, info }: { readonly context: GraphQLContext; readonly info: GraphQLResolveInfo },
  sessionIds: readonly string[],
): Promise<Map<string, Row[]>> {
  const { database } = context
  const keys = await database.query<ChildKey>(QUESTION_KEYS, [sessionIds, MAX_QUESTIONS])
  if (keys.length === 0) return new Map()
  const query: { select: { id: true } } = queryFromInfo({ context, info, typeName: 'Question', select: { id: true } })
  const rows = await database.prisma.question.findMany({ ...query, where: { id: { in: keys.map(({ id }) => id) } } })
  const rowById = new Map(rows.map((row) => [row.id, row]))
  const found = new Map<string, Row[]>()
  for (const key of keys) {
    const row = rowById.get(key.id)
    if (row !== undefined) found.set(key.parent_id, [...(found.get(key.parent_id) ?? []), row])
  }
  return found
}
