/**
 * The claim: which of the sessions that have work this node runs next. First those whose users have the fewest turns
 * running, in any process; among these the session that has waited longest. No user gets more than their share
 * (user-share.ts). Sessions that wait for a place in their user's share hold up no other user's: they are found by
 * user, so the claim costs the same however many there are.
 */
import type { Database } from '../database.ts'
import { isListed } from '../nodes.ts'
import type { Lease } from './lease.ts'
import { sql } from '../sql.ts'

/** What one claim may take. */
export interface Claiming {
  /** Sessions at most. */
  readonly limit: number
  /** The sessions that the node knows to be its own. */
  readonly held: readonly string[]
  /** Turns of one user that may run at a time, in all processes. */
  readonly share: number
}

interface Claimed {
  readonly leases: readonly Lease[]
  /** Sessions are ready that were not claimed: `limit` was reached, or their users' shares are full. */
  readonly left: boolean
}

/**
 * Users with a free place in their share that one statement reads. With more of them waiting, the next one goes on from
 * there.
 */
const USERS = 100
/** Candidates beyond `limit`, for those that another node claims at this moment. */
const SPARE = 4

/**
 * Takes users in the order of their names, as many at a time as one statement reads, beginning where the last claim
 * ended: so every user is reached, however many wait.
 */
export class Claimer {
  readonly #database: Database
  /** The last user that was read; empty: begin with the first. */
  #after = ''

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Claims sessions for `node`; none when it was evicted. Any that has it as owner and is not `held` was claimed by a
   * statement whose answer got lost; no other node would ever free it, so it is claimed again, under a new epoch. One
   * claim at a time: what another one has just taken is not in `held` yet. What was claimed before a failure is found
   * so, too.
   */
  async claim(node: number, { limit, held, share }: Claiming): Promise<Claimed> {
    const leases: Lease[] = []
    let left = false
    let passes = this.#after === '' ? 1 : 2
    while (passes > 0 && leases.length < limit) {
      const known = [...held, ...leases.map(({ sessionId }) => sessionId)]
      const values = [node, limit - leases.length, known, share, this.#after, USERS, SPARE]
      const [row] = await this.#database.query<Row>(CLAIM, values)
      for (const [sessionId, epoch] of row?.claimed ?? []) leases.push({ sessionId, node, epoch })
      left ||= row?.left ?? false
      this.#after = row?.last ?? ''
      if (this.#after === '') passes -= 1
    }
    return { leases, left }
  }
}

interface Row {
  readonly claimed: readonly (readonly [string, number])[]
  readonly left: boolean
  /** The last user that was read; null: there is none behind. */
  readonly last: string | null
}

/**
 * The steps: `waiting` goes from one user's name to the next in an index; `ready` has the oldest sessions of each, as
 * many as their share still allows and one more, which shows that some are left, and `unsorted`, of which it is not
 * known yet whose turn is next (it is looked up once, and noted unless they are claimed). Of these, `chosen` are the
 * first by what their users have running. `place` counts again under the lock of each user. Claims take these locks in
 * one order, and before the rows of sessions, so that none deadlocks. A cancelled turn needs no place.
 */
const CLAIM = {
  name: 'queue.claim',
  plansOnce: true,
  text: `WITH RECURSIVE running AS MATERIALIZED (
      SELECT turn_user, count(*)::int AS turns FROM sessions WHERE owner IS NOT NULL AND turn_user IS NOT NULL GROUP BY turn_user),
    waiting (user_name, n) AS (
      SELECT $5::text, 0
      UNION ALL
      SELECT (SELECT s.turn_user FROM sessions s
          WHERE s.turn_user > w.user_name AND s.owner IS NULL AND s.ready_at IS NOT NULL ORDER BY s.turn_user LIMIT 1), w.n + 1
        FROM waiting w WHERE w.user_name IS NOT NULL AND w.n < $6 + (SELECT count(*) FROM running WHERE turns >= $4)),
    unsorted AS MATERIALIZED (
      SELECT s.id, s.ready_at, head.user_name FROM (
          SELECT id, ready_at FROM sessions WHERE ready_at <= now() AND owner IS NULL AND turn_user IS NULL
          ORDER BY ready_at LIMIT $2::int + $6::int) s
        LEFT JOIN LATERAL (
          SELECT CASE WHEN NOT t.cancel_requested THEN t.user_name END AS user_name FROM turns t
          WHERE t.session_id = s.id AND t.status IN ('QUEUED', 'RUNNING', 'AWAITING_APPROVAL') ORDER BY t.seq LIMIT 1) head ON true),
    ready AS MATERIALIZED (
      SELECT s.id, s.ready_at, w.user_name FROM waiting w LEFT JOIN running r ON r.turn_user = w.user_name
        CROSS JOIN LATERAL (
          SELECT s.id, s.ready_at FROM sessions s WHERE s.turn_user = w.user_name AND s.owner IS NULL AND s.ready_at <= now()
          ORDER BY s.ready_at LIMIT greatest(least($2::int + $7::int, $4::int - coalesce(r.turns, 0)), 0) + 1) s
        WHERE w.n > 0
      UNION ALL SELECT id, ready_at, user_name FROM unsorted),
    ranked AS (
      SELECT r.id, r.ready_at, r.user_name, row_number() OVER mine AS nth,
        CASE WHEN r.user_name IS NULL THEN 0 ELSE coalesce(running.turns, 0) + row_number() OVER mine END AS turns
      FROM ready r LEFT JOIN running ON running.turn_user = r.user_name
      WINDOW mine AS (PARTITION BY r.user_name ORDER BY r.ready_at)),
    chosen AS MATERIALIZED (
      SELECT id, ready_at, user_name, nth, turns FROM ranked WHERE turns <= $4 ORDER BY turns, ready_at LIMIT $2::int + $7::int),
    place AS MATERIALIZED (
      SELECT u.user_name, free_turns(u.user_name, $4, true) AS free FROM (
        SELECT user_name FROM chosen WHERE user_name IS NOT NULL GROUP BY user_name ORDER BY hashtext(user_name)) u),
    taken AS MATERIALIZED (
      SELECT s.id, c.user_name FROM chosen c JOIN sessions s ON s.id = c.id LEFT JOIN place p ON p.user_name = c.user_name
      WHERE s.owner IS NULL AND s.ready_at <= now() AND (c.user_name IS NULL OR c.nth <= p.free)
      ORDER BY c.turns, c.ready_at LIMIT $2 FOR UPDATE OF s SKIP LOCKED),
    sorting AS MATERIALIZED (
      SELECT s.id, u.user_name FROM unsorted u JOIN sessions s ON s.id = u.id
      WHERE u.user_name IS NOT NULL AND s.owner IS NULL AND s.turn_user IS NULL AND u.id NOT IN (SELECT id FROM taken)
      FOR UPDATE OF s SKIP LOCKED),
    sorted AS (UPDATE sessions s SET turn_user = sorting.user_name FROM sorting WHERE s.id = sorting.id),
    forgotten AS MATERIALIZED (
      SELECT id FROM sessions WHERE owner = $1 AND id <> ALL ($3::text[]) LIMIT $2 FOR UPDATE SKIP LOCKED),
    claimed AS (
      UPDATE sessions s SET owner = $1, epoch = s.epoch + 1, turn_user = coalesce(c.user_name, s.turn_user)
      FROM (SELECT id, NULL AS user_name FROM forgotten UNION ALL SELECT id, user_name FROM taken LIMIT $2) c
      WHERE s.id = c.id AND ${isListed(sql`$1`)} RETURNING s.id, s.epoch)
    SELECT coalesce((SELECT jsonb_agg(jsonb_build_array(id, epoch)) FROM claimed), '[]') AS claimed,
      (SELECT count(*) FROM ready) > (SELECT count(*) FROM taken) AS "left",
      (SELECT user_name FROM waiting ORDER BY n DESC LIMIT 1) AS last`,
}
