/** Queries for sessions: one by id, and the list of all that the viewer may see. */
import type { ConversationType, SessionStatus } from '../../core/status.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { AUTHENTICATED } from './access.ts'
import { builder } from './builder.ts'
import { checkSearch, MAX_SEARCH_LENGTH } from './check-search.ts'
import { PAGING } from './connection-type.ts'
import type { Position } from './cursor.ts'
import { ConversationTypeEnum, SessionStatusEnum } from './enums.ts'
import { likeLiteral } from './like-literal.ts'
import { matchable } from './matchable.ts'
import { readPageRequest } from './page-request.ts'
import { toPage } from './page.ts'
import { selectNodes } from './select-nodes.ts'
import { SessionConnection } from './session.ts'
import { visibleSession, visibleSessions } from './session-visibility.ts'
import { tellIfAbsent } from './tell-if-absent.ts'

const SessionFilterInput = builder.inputType('SessionFilter', {
  description: 'Which sessions to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    status: t.field({ type: [SessionStatusEnum], description: 'Only those in one of these states.' }),
    sourceKind: t.stringList({ description: 'Only those from one of these kinds of client, such as "cli".' }),
    conversationType: t.field({ type: ConversationTypeEnum, description: 'Only those of this type.' }),
    participant: t.string({ description: 'Only those in which this user participates.' }),
    search: t.string({
      description: `Only those whose description contains this text, in upper or lower case. At most ${MAX_SEARCH_LENGTH} characters.`,
    }),
    includeInactive: t.boolean({
      description: 'INACTIVE ones too. They are left out unless this or "status" asks for them.',
    }),
  }),
})

interface SessionFilter {
  readonly status?: readonly SessionStatus[] | null | undefined
  readonly sourceKind?: readonly string[] | null | undefined
  readonly conversationType?: ConversationType | null | undefined
  readonly participant?: string | null | undefined
  readonly search?: string | null | undefined
  readonly includeInactive?: boolean | null | undefined
}

builder.queryField('session', (t) =>
  t.prismaField({
    type: 'Session',
    nullable: true,
    authScopes: AUTHENTICATED,
    description: 'The session with this id; null when there is none that you may see.',
    args: { id: t.arg.id({ required: true, description: 'Its id, such as "cli:demo".' }) },
    resolve: (query, _root, { id }, context, info) => {
      const { database, viewer } = context
      const found = database.prisma.session.findFirst({ ...query, where: visibleSession(viewer, id) })
      return tellIfAbsent(found, { id, context, info })
    },
  }),
)

builder.queryField('sessions', (t) =>
  t.field({
    type: SessionConnection,
    authScopes: AUTHENTICATED,
    description: 'The sessions that you may see, newest activity first.',
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      filter: t.arg({
        type: SessionFilterInput,
        description: 'Which of them; all but the INACTIVE ones when left out.',
      }),
    },
    resolve: async (_root, { filter, ...args }, context, info) => {
      const request = readPageRequest('sessions1', args)
      const rows = await context.database.prisma.session.findMany({
        ...selectNodes({ context, info }, 'Session', { id: true, lastActivityAt: true }),
        where: { AND: [visibleSessions(context.viewer), sessionsMatching(filter ?? {}), sessionsAfter(request.after)] },
        orderBy: [{ lastActivityAt: 'desc' }, { id: 'desc' }],
        take: request.size + 1,
      })
      const placed = rows.map((node) => ({
        node,
        position: [node.lastActivityAt.toISOString(), node.id] as [string, string],
      }))
      return toPage('sessions1', request, placed)
    },
  }),
)

function sessionsMatching(filter: SessionFilter): Prisma.SessionWhereInput {
  const { status, sourceKind, conversationType, participant, search, includeInactive } = filter
  const hasStatus = status != null && status.length > 0
  return {
    ...(hasStatus ? { status: { in: [...status] } } : includeInactive === true ? {} : { status: { not: 'INACTIVE' } }),
    ...(sourceKind == null || sourceKind.length === 0 ? {} : { sourceKind: { in: sourceKind.map(matchable) } }),
    ...(conversationType == null ? {} : { sourceType: conversationType }),
    ...(participant == null ? {} : { participants: { some: { userName: matchable(participant) } } }),
    ...(search == null ? {} : { description: { contains: likeLiteral(checkSearch(search)), mode: 'insensitive' } }),
  }
}

/** `lte` stands apart from the OR so that PostgreSQL starts in the index on (lastActivityAt, id) where the last page ended. */
function sessionsAfter(position: Position<'sessions1'> | null): Prisma.SessionWhereInput {
  if (position === null) return {}
  const lastActivityAt = new Date(position[0])
  return {
    lastActivityAt: { lte: lastActivityAt },
    OR: [{ lastActivityAt: { lt: lastActivityAt } }, { id: { lt: position[1] } }],
  }
}
