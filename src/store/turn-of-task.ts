/** Which turn a task belongs to, and what its message came with. */
import type { Database, Statement } from './database.ts'

interface TurnOfTask {
  readonly id: string
  readonly traceParent: string | null
}

const TURN_OF_TASK: Statement = {
  name: 'task.turn',
  text: `SELECT turns.id, m.trace_parent AS "traceParent" FROM tasks t
      JOIN turns ON turns.id = t.turn_id JOIN messages m ON m.id = turns.message_id
    WHERE t.id = $1`,
}

/** Null: the task is gone. */
export async function turnOfTask(database: Database, taskId: string): Promise<TurnOfTask | null> {
  const [row] = await database.query<TurnOfTask>(TURN_OF_TASK, [taskId])
  return row ?? null
}
