/** A session of years, whose conversation can be read: what long-history.ts leaves out of the log for speed. */
import { fillSession } from '../../test/harness/long-history.ts'
import type { Run } from './scene.ts'

/** With 20 events for each turn. */
const EVENTS_PER_TURN = 20

export async function fillLongSession(run: Run, id: string, turns: number): Promise<void> {
  await fillSession(run, { id, turns })
  await mark(run, id, { at: 1, type: 'MessageReceived', data: `jsonb_build_object('messageId', 'msg_0' || turn)` })
  await mark(run, id, {
    at: EVENTS_PER_TURN - 1,
    type: 'TextCompleted',
    data: `jsonb_build_object('taskId', 'task_0' || turn || '_1', 'content', 'It printed **hi**.', 'attempt', 1, 'final', true)`,
  })
}

interface Mark {
  /** Its place among the events of a turn. */
  readonly at: number
  readonly type: string
  readonly data: string
}

async function mark(run: Run, id: string, { at, type, data }: Mark): Promise<void> {
  await run(
    `UPDATE events e SET type = '${type}', turn_id = 'turn_0' || turn, data = ${data}
     FROM (SELECT seq, lpad((seq / ${EVENTS_PER_TURN} + 1)::text, 9, '0') || '_' || $1 AS turn
       FROM events WHERE session_id = $1 AND seq % ${EVENTS_PER_TURN} = ${at}) said
     WHERE e.session_id = $1 AND e.seq = said.seq`,
    [id],
  )
}
