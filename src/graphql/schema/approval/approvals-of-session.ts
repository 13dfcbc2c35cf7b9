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
    },
    select: { id: true },
    resolve: async (session, { status }, context, info) => {
      const { database } = context
      const query: { select: { id: true } } = queryFromInfo({
        context,
        info,
        typeName: 'Approval',
        select: { id: true },
      })
      const found = await loadAt({ context, info }, session.id, async (sessionIds) => {
        const keys = await database.query<ChildKey>(KEYS, [sessionIds, statesOf(status), MAX_APPROVALS])
        const ids = keys.map(({ id }) => id)
        const rows =
          ids.length === 0 ? [] : await database.prisma.approval.findMany({ ...query, where: { id: { in: ids } } })
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

function statesOf(status: readonly ApprovalStatus[] | null | undefined): readonly ApprovalStatus[] | null {
  return status == null || status.length === 0 ? null : status
}

function groupByParent(keys: readonly ChildKey[], rows: readonly Row[]): Map<string, Row[]> {
  const rowById = new Map(rows.map((row) => [row.id, row]))
  const found = new Map<string, Row[]>()
  for (const key of keys) {
    const row = rowById.get(key.id)
    if (row !== undefined) found.set(key.parent_id, [...(found.get(key.parent_id) ?? []), row])
  }
  return found
}
