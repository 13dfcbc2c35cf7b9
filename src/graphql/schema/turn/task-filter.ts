/** Which tasks a list shows: for the list of all visible tasks, and for those of sessions (many at once). */
import type { TaskStatus, TaskType } from '../../../core/status.ts'
import type { Database } from '../../../store/database.ts'
import { builder } from '../builder.ts'
import { TaskStatusEnum, TaskTypeEnum } from '../enums.ts'
import { matchable } from '../values/matchable.ts'
import type { ChildKey } from '../paging/load-nested-pages.ts'
import type { PageRequest } from '../paging/page-request.ts'
import type { Bind } from '../paging/read-newest-page.ts'

export interface TaskFilter {
  readonly sessionId?: string | null | undefined
  readonly turnId?: string | null | undefined
  readonly type?: readonly TaskType[] | null | undefined
  readonly status?: readonly TaskStatus[] | null | undefined
}

export const TaskFilterInput = builder.inputType('TaskFilter', {
  description: 'Which tasks to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    sessionId: t.id({ description: 'Only those of this session.' }),
    turnId: t.id({ description: 'Only those of this turn.' }),
    type: t.field({ type: [TaskTypeEnum], description: 'Only those of one of these types.' }),
    status: t.field({ type: [TaskStatusEnum], description: 'Only those in one of these states.' }),
  }),
})

/** In SQL, of a row `c`. */
export function taskConditions(filter: TaskFilter | null | undefined, bind: Bind): string[] {
  const { sessionId, turnId, type, status } = filter ?? {}
  const conditions: string[] = []
  if (sessionId != null) conditions.push(`c.session_id = ${bind(matchable(sessionId))}::text`)
  if (turnId != null) conditions.push(`c.turn_id = ${bind(matchable(turnId))}::text`)
  if (type != null && type.length > 0) conditions.push(`c.type = ANY (${bind(type)}::task_type[])`)
  if (status != null && status.length > 0) conditions.push(`c.status = ANY (${bind(status)}::task_status[])`)
  if (status != null && status.length > 0 && status.every((one) => OPEN.has(one))) conditions.push(IN_OPEN_TURN)
  return conditions
}

/** A turn that has ended has no open task. Of open turns there are few, and an index holds them. */
const OPEN: ReadonlySet<TaskStatus> = new Set(['PENDING', 'RUNNING', 'AWAITING_APPROVAL'])
const IN_OPEN_TURN = `c.turn_id IN (SELECT id FROM turns WHERE status IN ('QUEUED', 'RUNNING', 'AWAITING_APPROVAL'))`

/** The ids of a page of each session's matching tasks, newest first. */
export function readTaskPages(
  database: Database,
  page: { readonly request: PageRequest<'tasks1'>; readonly filter: TaskFilter | null | undefined },
  sessionIds: readonly string[],
): Promise<ChildKey[]> {
  const { request } = page
  const { sessionId, turnId, type, status } = page.filter ?? {}
  const after = request.after?.[0] ?? null
  const statement = {
    name: after === null ? 'page-of-tasks' : 'page-of-tasks-after',
    text: `
      SELECT parent.id AS parent_id, child.id
      FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
        SELECT id FROM tasks
        WHERE session_id = parent.id
          AND ($3::text IS NULL OR session_id = $3)
          AND ($4::text IS NULL OR turn_id = $4)
          AND ($5::text[] IS NULL OR type::text = ANY ($5))
          AND ($6::text[] IS NULL OR status::text = ANY ($6))
          ${after === null ? '' : 'AND id < $7::text'}
        ORDER BY id DESC LIMIT $2
      ) child
      ORDER BY child.id DESC`,
  }
  const ids = [sessionId, turnId].map((id) => (id == null ? null : matchable(id)))
  const lists = [type, status].map((list) => (list == null || list.length === 0 ? null : list))
  const values = [sessionIds, request.size + 1, ...ids, ...lists]
  return database.query<ChildKey>(statement, after === null ? values : [...values, after])
}
