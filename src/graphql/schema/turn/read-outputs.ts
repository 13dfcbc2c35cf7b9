/**
 * What tasks have written so far, put together from the pieces in the logs of their sessions: a page that is opened
 * while a text is being written, or a command runs, shows what those see who were there from the beginning.
 */
import type { Database, Statement } from '../../../store/database.ts'

/** Whose pieces, and between which events: after `from`, up to `to`. */
export interface OutputPlace {
  readonly sessionId: string
  readonly taskId: string
  readonly from: number
  readonly to: number
}

/** The end of what is longer. */
export const MAX_OUTPUT_CHARS = 65_536

/** A text that is begun anew, after a takeover, counts from there. */
const OUTPUTS: Statement = {
  name: 'outputs-so-far',
  text: `
    SELECT place.n::int - 1 AS index, right(string_agg(piece.text, '' ORDER BY piece.seq), $5) AS text
    FROM unnest($1::text[], $2::text[], $3::int[], $4::int[])
      WITH ORDINALITY AS place (session_id, task_id, after, up_to, n)
    CROSS JOIN LATERAL (
      SELECT coalesce(max(seq), place.after) AS seq FROM events
      WHERE session_id = place.session_id AND seq > place.after AND seq <= place.up_to
        AND type = 'TaskUpdate' AND data->>'taskId' = place.task_id AND data->>'status' = 'RUNNING'
    ) begun
    CROSS JOIN LATERAL (
      SELECT seq, coalesce(data->>'delta', data->>'content', data->>'text') AS text FROM events
      WHERE session_id = place.session_id AND seq > begun.seq AND seq <= place.up_to
        AND type IN ('TaskOutput', 'TextDelta', 'TextCompleted') AND data->>'taskId' = place.task_id
    ) piece
    GROUP BY place.n`,
}

/** Tasks that have written nothing are left out. */
export async function readOutputs(
  database: Database,
  places: readonly OutputPlace[],
): Promise<Map<OutputPlace, string>> {
  const rows = await database.query<{ index: number; text: string }>(OUTPUTS, [
    places.map(({ sessionId }) => sessionId),
    places.map(({ taskId }) => taskId),
    places.map(({ from }) => from),
    places.map(({ to }) => to),
    MAX_OUTPUT_CHARS,
  ])
  return new Map(
    rows.flatMap(({ index, text }) => {
      const place = places[index]
      return place === undefined ? [] : [[place, text] as const]
    }),
  )
}
