/** Tasks that conversations of the load give to sessions of their own, which leave an id outside the database. */
import pg from 'pg'
import { callOf } from './plugin-load.ts'

/** Few: a turn that delegates waits for another one. */
const EVERY = 9
const READS = 60

/** A line of some messages that has the work done by another session. */
export function delegatedCall(sessionId: string, n: number): string[] {
  if (n % EVERY !== 0) return []
  const task = callOf(`${sessionId}/${n}.delegated`)
  return [`tool: delegation__delegate ${JSON.stringify({ task, expect: 'It says that it is marked.' })}`]
}

/** As its row tells of it. */
export interface FinalDelegation {
  readonly id: string
  readonly status: string
  readonly closed: boolean
  /** Of the task that delegated. */
  readonly task_status: string
  /** Turns of the child: one for each round. */
  readonly turns: number
  readonly round: number
}

/** Of these sessions, once nothing is left to do for them, or after half a minute. */
export async function readFinalDelegations(
  databaseUrl: string,
  sessionIds: readonly string[],
): Promise<FinalDelegation[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    for (let reads = 0; ; reads += 1) {
      const { rows } = await client.query<FinalDelegation>(DELEGATIONS, [sessionIds])
      if (reads >= READS || rows.every(({ closed }) => closed)) return rows
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  } finally {
    await client.end()
  }
}

const DELEGATIONS = `SELECT d.id, d.status, d.closed, d.round, t.status AS task_status,
    (SELECT count(*)::int FROM turns c WHERE c.session_id = d.child_id) AS turns
  FROM delegations d JOIN tasks t ON t.id = d.task_id WHERE d.session_id = ANY($1)`

/** Each has ended with its task, and its child was sent each round once. */
export function judgeDelegations(delegations: readonly FinalDelegation[]): string[] {
  return delegations.flatMap(({ id, status, closed, task_status: task, turns, round }) => [
    ...(closed ? [] : [`delegation ${id} is ${status}, and not closed`]),
    ...(task === 'RUNNING' || task === 'PENDING' ? [`the task of delegation ${id} is ${task}`] : []),
    ...(turns > round ? [`delegation ${id} has ${round} rounds, and its child ${turns} turns`] : []),
  ])
}
