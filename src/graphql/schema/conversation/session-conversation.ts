/** Session.conversation, and what a turn knows of its part of it: its answer, and from where to where it reaches. */
import type { GraphQLContext } from '../../context.ts'
import { builder } from '../builder.ts'
import { fromBothEnds } from '../paging/connection-type.ts'
import { loadAt } from '../paging/load-at.ts'
import { readPageRequest, type PageRequest } from '../paging/page-request.ts'
import { toPage, type Page } from '../paging/page.ts'
import { SessionType } from '../session/session.ts'
import { stillThere } from '../still-there.ts'
import { TurnType } from '../turn/turn.ts'
import { AgentTextType, ConversationConnection, entryOf, type Entry } from './conversation-entry.ts'
import { readAnswers, readConversations, readEnds } from './read-conversation.ts'

builder.prismaObjectField(SessionType, 'conversation', (t) =>
  t.field({
    type: ConversationConnection,
    description: 'What was said, in order. "last: 30" is its end, which a page shows first; then "before" leads back.',
    args: fromBothEnds(t),
    select: { id: true },
    resolve: (session, args, context, info) => {
      const request = readPageRequest('conversation1', args, info)
      const page = loadAt({ context, info }, session.id, (ids) => readPages(context, request, ids))
      return stillThere(page.then((found) => found ?? null))
    },
  }),
)

async function readPages(
  { database }: GraphQLContext,
  request: PageRequest<'conversation1'>,
  sessionIds: readonly string[],
): Promise<Map<string, Page<Entry>>> {
  const keys = Map.groupBy(await readConversations(database, request, sessionIds), ({ sessionId }) => sessionId)
  return new Map(
    sessionIds.map((id) => {
      const entries = (keys.get(id) ?? []).map(entryOf)
      const placed = entries.map((node) => ({ node, position: [node.seq] as [number] }))
      return [id, toPage('conversation1', request, placed)]
    }),
  )
}

builder.prismaObjectFields(TurnType, (t) => ({
  answer: t.field({
    type: AgentTextType,
    nullable: true,
    description:
      'What the agent answered: the last text of the plan that ended well. Null until then, and when it said nothing. Of a turn that ' +
      'another one took along: the answer of that one.',
    select: { id: true, sessionId: true, seq: true, joinedIntoId: true },
    resolve: async (turn, _args, context, info) => {
      const answer = await loadAt({ context, info }, turn, (turns) => readAnswers(context.database, turns))
      return answer === undefined ? null : entryOf(answer)
    },
  }),
  firstSeq: t.exposeInt('seq', {
    description:
      'seq of its first event, the arrival of its message: sessionEvents(after: firstSeq - 1) shows all of it.',
  }),
  lastSeq: t.int({
    nullable: true,
    description: 'seq of its last event; null until it has ended, and where retention has removed its events.',
    select: { id: true },
    resolve: async ({ id }, _args, context, info) =>
      (await loadAt({ context, info }, id, (ids) => readEnds(context.database, ids))) ?? null,
  }),
}))
