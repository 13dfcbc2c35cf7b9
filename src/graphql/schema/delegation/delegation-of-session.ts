/** Session.parent, Session.delegation and Session.children: where a delegated task came from, and where tasks went. */
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { Prisma } from '../../../generated/prisma/client.ts'
import { builder } from '../builder.ts'
import { loadAt } from '../paging/load-at.ts'
import { upTo } from '../paging/page-sizes.ts'
import { SessionType } from '../session/session.ts'
import { shownSessions } from '../session/session-visibility.ts'

const MAX_CHILDREN = 100

const FROM = 'null: it is none, or you may not see the session that delegated.'

builder.prismaObjectFields(SessionType, (t) => ({
  parent: t.prismaField({
    type: 'Session',
    nullable: true,
    description: `The session that delegated the task for which this one was opened; ${FROM}`,
    resolve: (query, { id }, _args, context) =>
      context.database.prisma.session.findFirst({
        ...query,
        where: { AND: [{ delegations: { some: { childId: id } } }, shownSessions(context)] },
      }),
  }),
  delegation: t.prismaField({
    type: 'Delegation',
    nullable: true,
    description: `The delegated task for which it was opened; ${FROM}`,
    resolve: (query, { id }, _args, context) =>
      context.database.prisma.delegation.findFirst({
        ...query,
        where: { childId: id, session: shownSessions(context) },
      }),
  }),
  children: t.field({
    type: [SessionType],
    extensions: upTo(MAX_CHILDREN),
    description: `The sessions to which its turns have delegated tasks, and that you may see, newest first. At most ${MAX_CHILDREN}.`,
    select: { id: true },
    resolve: async (session, _args, context, info) => {
      const query: { select: Prisma.SessionSelect } = queryFromInfo({
        context,
        info,
        typeName: 'Session',
        select: { id: true },
      })
      const found = await loadAt({ context, info }, session.id, async (sessionIds) => {
        const { prisma } = context.database
        const keys = await context.database.query<ChildKey>(KEYS, [sessionIds, MAX_CHILDREN])
        const ids = keys.map(({ childId }) => childId)
        const where = { AND: [{ id: { in: ids } }, shownSessions(context)] }
        const rows =
          ids.length === 0 ? [] : await prisma.session.findMany({ select: { ...query.select, id: true }, where })
        const rowById = new Map(rows.map((row) => [row.id, row]))
        const ofParent = (parentId: string) =>
          keys.flatMap((key) => (key.parentId === parentId ? (rowById.get(key.childId) ?? []) : []))
        return new Map(sessionIds.map((id) => [id, ofParent(id)]))
      })
      return found ?? []
    },
  }),
}))

interface ChildKey {
  readonly parentId: string
  readonly childId: string
}

const KEYS = {
  name: 'children-of-sessions',
  text: `SELECT parent.id AS "parentId", child.child_id AS "childId"
    FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
      SELECT id, child_id FROM delegations WHERE session_id = parent.id AND child_id IS NOT NULL ORDER BY id DESC LIMIT $2) child
    ORDER BY child.id DESC`,
}
