/** Which turn a task belongs to, and the trace that its message came from. */
import type { ClientTrace } from '../core/identity.ts'
import type { Database, Statement } from './database.ts'
import { traceOf, type TraceColumns } from './trace-columns.ts'

interface TurnOfTask {
  readonly id: string
  readonly trace: ClientTrace | null
}

const TURN_OF_TASK: Statement = {
  name: 'task.turn',
  plansOnce: true,
  text: `SELECT turns.id, m.trace_parent, m.trace_state FROM tasks t
      JOIN turns ON turns.id = t.turn_id JOIN messages m ON m.id = turns.message_id
    WHERE t.id = $1`,
}

/** Null: the task is gone. */
export async function turnOfTask(database: Database, taskId: string): Promise<TurnOfTask | null> {
  const [row] = await database.query<TraceColumns & { readonly id: string }>(TURN_OF_TASK, [taskId])
  return row === undefined ? null : { id: row.id, trace: traceOf(row) }
}
