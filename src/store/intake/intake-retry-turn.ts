/** What is known of a turn that is to be tried again, and of its second try. */
import type { SessionMode, TurnStatus } from '../../core/status.ts'
import type { DirectCall } from '../../core/tool/direct-call.ts'
import type { Database } from '../database.ts'
import { sql } from '../sql.ts'
import { ACCESS_INPUT, accessInput, mayReach, type SessionAccess } from './intake-access.ts'
import { intakeStatement } from './intake-statement.ts'

/** The turn with its message. Its final status, once it has one, never changes; nor does its second try. */
export interface TurnToRetry {
  readonly sessionId: string
  readonly status: TurnStatus
  readonly userName: string | null
  readonly trusted: boolean
  readonly mentioned: boolean
  readonly client: string
  readonly content: string
  readonly attachments: readonly string[]
  readonly call: DirectCall | null
  readonly mode: SessionMode
  /** Its second try, if there is one by now. */
  readonly retriedAs: string | null
}

/** Null: there is no such turn that the caller may reach by rows. */
export async function findTurnToRetry(
  database: Database,
  access: SessionAccess,
  turnId: string,
): Promise<TurnToRetry | null> {
  const [row] = await FIND<TurnToRetry>(database, { turn_id: turnId, ...accessInput(access) })
  return row ?? null
}

const FIND = intakeStatement(
  'intake.find-turn-to-retry',
  { turn_id: 'text', ...ACCESS_INPUT },
  sql`turn AS (SELECT t.* FROM input JOIN turns t ON t.id = input.turn_id WHERE ${mayReach(sql`t.session_id`)})
  SELECT turn.session_id AS "sessionId", turn.status, m.user_name AS "userName", m.trusted, m.mentioned, m.client, m.content,
    m.attachments, m.call, turn.mode, retry.id AS "retriedAs"
  FROM turn JOIN messages m ON m.id = turn.message_id LEFT JOIN turns retry ON retry.retry_of = turn.id`,
)
