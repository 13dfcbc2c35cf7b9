/**
 * Fragments of the write that ends a turn: what becomes of its session, and of the turns whose messages it took along.
 */
import type { JoinedEnd, TurnWrite } from '../../core/turn-write.ts'
import { FENCE, fenced, type Bind, type Fenced } from './turn-commit-bind.ts'

type Finish = NonNullable<TurnWrite['finish']>

/**
 * `, column = …` for the session's row `x`. The session stays with its node while a message waits that may begin now;
 * one that is still collected (`collect_window_ms`) makes the session ready later.
 */
export function finishedSessionSql({ at, joined = [] }: Finish, bind: Bind): string {
  const released = joined.filter(({ status }) => status === 'QUEUED').length
  const queued = released === 0 ? 'x.queue_length' : `x.queue_length + ${bind(released)}::int`
  const goesOn = `${queued} > 0 AND coalesce(x.ready_at <= now(), true)`
  return `, turn_count = x.turn_count + 1, last_activity_at = ${bind(at)}::timestamptz,
    status = CASE WHEN ${goesOn} THEN 'RUNNING' ELSE 'IDLE' END::session_status,
    owner = CASE WHEN ${goesOn} THEN x.owner END, turn_user = CASE WHEN ${goesOn} THEN x.turn_user END,
    ready_at = CASE WHEN ${queued} > 0 THEN coalesce(x.ready_at, now()) END${released === 0 ? '' : `, queue_length = ${queued}`}`
}

/** A turn that waits again is as it was before it joined. */
export function joinedEndsSql({ at, failure }: Finish, joined: readonly JoinedEnd[], bind: Bind): Fenced {
  const rows = joined.map(({ turnId, status }) => ({ id: turnId, status }))
  const unless = (column: string, ended: string): string =>
    `${column} = CASE WHEN j.status <> 'QUEUED' THEN ${ended} END`
  return fenced`UPDATE turns x SET status = j.status, ${unless('step', `'COMPLETE'::pipeline_step`)},
      ${unless('joined_into', 'x.joined_into')}, ${unless('joined_attempt', 'x.joined_attempt')},
      ${unless('failure', `${bind(failure)}::text`)},
      ${unless('started_at', 'x.started_at')}, ${unless('finished_at', `${bind(at)}::timestamptz`)}
    FROM ${FENCE}, jsonb_to_recordset(${bind(JSON.stringify(rows))}::jsonb) AS j (id text, status turn_status)
    WHERE x.id = j.id AND x.joined_into = $4 AND x.status = 'JOINED'`
}
