/** Session.approvals: what was asked for there, newest first. */
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { ApprovalStatus } from '../../../core/status.ts'
import type { Statement } from '../../../store/database.ts'
import { ApprovalStatusEnum } from './approval-enums.ts'
import { ApprovalType } from './approval.ts'
import { builder } from '../builder.ts'
import { loadAt } from '../paging/load-at.ts'
import type { Row } from '../paging/connection-type.ts'
import type { ChildKey } from '../paging/load-nested-pages.ts'
import { upTo } from '../paging/page-sizes.ts'
import { SessionType } from '../session/session.ts'
import { shownSessions } from '../session/session-visibility.ts'

const MAX_APPROVALS = 100

builder.prismaObjectField(SessionType, 'approvals', (t) =>
  t.field({
    type: [ApprovalType],
    extensions: upTo(MAX_APPROVALS),
    description: `What a person had to decide about in this session, newest first. At most ${MAX_APPROVALS}.`,
    args: {
      status: t.arg({
        type: [ApprovalStatusEnum],
        description: 'Only those in one of these states; all when left out.',
      }),
      delegated: t.arg.boolean({
        defaultValue: false,
        description:
          'Also those of the sessions to which its turns have delegated tasks, and of those below them, as far as you may see these; ' +
          'of those that are PENDING, only what a delegated task waits for. ' +
          'With status PENDING: what must be decided before its turn goes on.',
      }),
    },
    select: { id: true },
    resolve: async (session, { status, delegated }, context, info) => {
      const { database } = context
      const query: { select: { id: true } } = queryFromInfo({
        context,
        info,
        typeName: 'Approval',
        select: { id: true },
      })
      const found = await loadAt({ context, info }, session.id, async (sessionIds) => {
        const parameters = [sessionIds, statesOf(status), MAX_APPROVALS]
        const own = await database.query<ChildKey>(KEYS, parameters)
        const below = delegated === true ? await database.query<ChildKey>(KEYS_BELOW, parameters) : []
        const keys = [...own, ...below].toSorted((one, other) => (one.id < other.id ? 1 : -1))
        const shown = [{ id: { in: idsOf(own) } }, { id: { in: idsOf(below) }, session: shownSessions(context) }]
        const rows =
          keys.length === 0 ? [] : await database.prisma.approval.findMany({ ...query, where: { OR: shown } })
        return groupByParent(keys, rows)
      })
      return found ?? []
    },
  }),
)

const KEYS: Statement = {
  name: 'approvals-of-sessions',
  text: `
    SELECT parent.id AS parent_id, child.id
    FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
      SELECT id FROM approvals WHERE session_id = parent.id AND ($2::approval_status[] IS NULL OR status = ANY ($2))
      ORDER BY id DESC LIMIT $3
    ) child
    ORDER BY child.id DESC`,
}

/**
 * There are two levels of delegation (MAX_DEPTH). Sessions for delegated tasks that have ended are like others: what
 * waits there keeps no turn of these from going on.
 */
const KEYS_BELOW: Statement = {
  name: 'approvals-below-sessions',
  text: `
    SELECT parent.id AS parent_id, below.id
    FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
      SELECT a.id
      FROM (
        SELECT d.child_id, d.status = 'RUNNING' AS works FROM delegations d
        WHERE d.session_id = parent.id AND d.child_id IS NOT NULL
        UNION
        SELECT g.child_id, d.status = 'RUNNING' AND g.status = 'RUNNING'
        FROM delegations d JOIN delegations g ON g.session_id = d.child_id
        WHERE d.session_id = parent.id AND g.child_id IS NOT NULL) child
        JOIN approvals a ON a.session_id = child.child_id
      WHERE (child.works OR a.status <> 'PENDING') AND ($2::approval_status[] IS NULL OR a.status = ANY ($2))
      ORDER BY a.id DESC LIMIT $3
    ) below`,
}

function idsOf(keys: readonly ChildKey[]): string[] {
  return keys.map(({ id }) => id)
}

function statesOf(status: readonly ApprovalStatus[] | null | undefined): readonly ApprovalStatus[] | null {
  return status == null || status.length === 0 ? null : status
}

function groupByParent(keys: readonly ChildKey[], all: readonly Row[]): Map<string, Row[]> {
  const rowById = new Map(all.map((row) => [row.id, row]))
  const found = new Map<string, Row[]>()
  for (const key of keys) {
    const row = rowById.get(key.id)
    const rows = found.get(key.parent_id) ?? []
    if (row !== undefined && rows.length < MAX_APPROVALS) found.set(key.parent_id, [...rows, row])
  }
  return found
}
