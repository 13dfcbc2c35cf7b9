/** How many learnings a turn has left so far, without refused ones; by way of its tasks, of which there are few. */
import type { Database } from '../store/database.ts'

export async function countLearnings(database: Database, turnId: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(COUNT, [turnId])
  return row?.count ?? 0
}

const COUNT = {
  name: 'knowledge.count-learnings',
  text: "SELECT count(*)::int AS count FROM tasks t JOIN learnings l ON l.task_id = t.id WHERE t.turn_id = $1 AND l.status <> 'REFUSED'",
}
