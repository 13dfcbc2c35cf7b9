/** Finds the pages of lists that are ordered by `seq` within a session: messages and turns. */
import type { Database } from '../../../store/database.ts'
import type { ChildKey } from './load-nested-pages.ts'
import type { PageRequest } from './page-request.ts'

export interface SeqKey extends ChildKey {
  readonly seq: number
}

/** Greater than any seq, which has 31 bits. */
const NO_END = 2 ** 31

export function readSeqPages<K extends 'messages1' | 'turns1'>(
  database: Database,
  page: { readonly table: 'messages' | 'turns'; readonly request: PageRequest<K> },
  sessionIds: readonly string[],
): Promise<SeqKey[]> {
  const { table, request } = page
  const order = request.fromEnd ? 'DESC' : 'ASC'
  const statement = {
    name: `page-of-${table}-${order.toLowerCase()}`,
    text: `
      SELECT parent.id AS parent_id, child.id, child.seq
      FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
        SELECT id, seq FROM ${table}
        WHERE session_id = parent.id AND seq > $2::int AND seq < $3::bigint
        ORDER BY seq ${order} LIMIT $4
      ) child
      ORDER BY child.seq ${order}`,
  }
  const [after, before] = [request.after?.[0] ?? -1, request.before?.[0] ?? NO_END]
  return database.query<SeqKey>(statement, [sessionIds, after, before, request.size + 1])
}
