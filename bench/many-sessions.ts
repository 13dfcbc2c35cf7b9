/**
 * A database as a busy company would have it, for part (k): sessions by the hundred thousand, each with 50 participants
 * and a turn. What is rare stands at the old end of the list, where a search from the new end finds it last.
 */
import pg from 'pg'

export const PARTICIPANTS = 50
/** People who take part in sessions beside those with a token; each in about as many. */
const OTHERS = 2000

export const TOKENS = {
  /** Takes part in every session. */
  everywhere: 'token-of-eve-0123456789abcdef',
  /** Takes part in ten. */
  seldom: 'token-of-sam-0123456789abcdef',
  /** Takes part in a hundredth of them, all of them old. */
  before: 'token-of-bob-0123456789abcdef',
  /** A connector whose prefix all sessions but the old ones have. */
  wide: 'token-of-wide-0123456789abcde',
  /** A connector with a hundredth of them, all of them old. */
  narrow: 'token-of-narrow-0123456789abc',
} as const

/** What the stage's configuration needs besides. */
export function peopleToml(): string {
  const others = Array.from({ length: OTHERS }, (_, n) => user(`p${n}`))
  return [
    ...['eve', 'sam', 'bob'].map(user),
    ...others,
    token('eve', 'kind = "user"\nuser = "eve"', TOKENS.everywhere),
    token('sam', 'kind = "user"\nuser = "sam"', TOKENS.seldom),
    token('bob', 'kind = "user"\nuser = "bob"', TOKENS.before),
    token('many', 'kind = "connector"\nnamespace = "many"', TOKENS.wide),
    token('old', 'kind = "connector"\nnamespace = "old"', TOKENS.narrow),
  ].join('')
}

function user(name: string): string {
  return `[users.${name}]\nrole = "user"\nskills = []\n`
}

function token(name: string, whose: string, secret: string): string {
  return `[tokens.${name}]\n${whose}\ntoken = "${secret}"\n`
}

export interface ManySessions {
  readonly sessions: number
  /** Of each; default 50. */
  readonly participants?: number
  /** Of each, as long as those of a turn; default none. */
  readonly events?: number
}

/** Fills an empty database. */
export async function fillManySessions(databaseUrl: string, many: ManySessions): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  // Rows that are made to fit need no foreign keys checked, which would take most of the time.
  await client.query('SET session_replication_role = replica')
  for (const statement of statementsFor(many)) await client.query(statement)
  await client.query('VACUUM ANALYZE')
  await client.end()
}

/** Session n was active n seconds ago; the last hundredth is "old". `rare`: ten of those. */
function statementsFor({ sessions, participants = PARTICIPANTS, events = 0 }: ManySessions): readonly string[] {
  const old = Math.floor(sessions * 0.99)
  const rare = `n >= ${old} AND n % ${Math.ceil(sessions / 1000)} = 0`
  const numbers = `generate_series(0, ${sessions - 1}) n`
  const id = `CASE WHEN n >= ${old} THEN 'old:' ELSE 'many:' END || n`
  const at = `now() - n * interval '1 second'`
  const padded = `lpad(n::text, 8, '0')`
  return [
    `INSERT INTO sessions (id, source_kind, source_interactive, source_type, status, description, message_count, turn_count,
        last_message_preview, last_seq, created_at, last_activity_at, open_approvals)
      SELECT ${id}, CASE WHEN ${rare} THEN 'rare' WHEN n % 3 = 0 THEN 'telegram' ELSE 'web' END, true,
        (CASE WHEN n % 10 = 0 THEN 'GROUP' ELSE 'DIRECT' END)::conversation_type,
        (CASE WHEN ${rare} THEN 'AWAITING_APPROVAL' WHEN n % 20 = 7 THEN 'INACTIVE' ELSE 'IDLE' END)::session_status,
        'Session ' || n || CASE WHEN ${rare} THEN ' with the needle' ELSE ' about something' END,
        2, 1, 'What was said last in ' || n, 9, ${at}, ${at}, CASE WHEN ${rare} THEN 1 ELSE 0 END FROM ${numbers}`,
    `INSERT INTO participants (session_id, user_name, joined_at)
      SELECT ${id}, CASE k WHEN 0 THEN 'eve' WHEN 1 THEN CASE WHEN ${rare} THEN 'sam' WHEN n >= ${old} THEN 'bob' ELSE 'p' || (n * 47 + k) % ${OTHERS} END
        ELSE 'p' || (n * 47 + k) % ${OTHERS} END, ${at}
      FROM ${numbers} CROSS JOIN generate_series(0, ${participants - 1}) k`,
    `INSERT INTO messages (id, session_id, seq, role, user_name, content, trusted, status, client, created_at)
      SELECT 'msg_' || ${padded}, ${id}, 1, 'USER', 'eve', 'Say hi', true, CASE WHEN ${rare} THEN 'PROCESSING' ELSE 'DONE' END::message_status, 'eve', ${at} FROM ${numbers}`,
    `INSERT INTO turns (id, session_id, seq, message_id, user_name, status, paused_at, created_at, started_at)
      SELECT 'turn_' || ${padded}, ${id}, 1, 'msg_' || ${padded}, 'eve', (CASE WHEN ${rare} THEN 'AWAITING_APPROVAL' ELSE 'DONE' END)::turn_status,
        CASE WHEN ${rare} THEN now() END, ${at}, ${at} FROM ${numbers}`,
    `INSERT INTO plans (id, session_id, turn_id, attempt, goal, created_at)
      SELECT 'plan_' || ${padded}, ${id}, 'turn_' || ${padded}, 1, 'Say hi', ${at} FROM ${numbers}`,
    `INSERT INTO tasks (id, session_id, turn_id, plan_id, index, type, detail, status)
      SELECT 'task_' || ${padded} || k, ${id}, 'turn_' || ${padded}, 'plan_' || ${padded}, k, (CASE k WHEN 0 THEN 'EXEC' ELSE 'MSG' END)::task_type,
        'echo hi', (CASE WHEN k = 0 AND ${rare} THEN 'AWAITING_APPROVAL' WHEN ${rare} THEN 'PENDING' ELSE 'DONE' END)::task_status
      FROM ${numbers} CROSS JOIN generate_series(0, 1) k`,
    `INSERT INTO approvals (id, session_id, turn_id, task_id, user_name, kind, status, reason, created_at, expires_at)
      SELECT 'appr_' || ${padded}, ${id}, 'turn_' || ${padded}, 'task_' || ${padded} || 0, 'eve', 'TASK',
        (CASE WHEN ${rare} THEN 'PENDING' ELSE 'APPROVED' END)::approval_status, 'A rule says so.', ${at}, now() + interval '1 day'
      FROM ${numbers}`,
    `INSERT INTO events (session_id, seq, at, turn_id, type, data)
      SELECT ${id}, k, ${at}, 'turn_' || ${padded}, 'PipelineStep',
        '{"step": "PLANNED", "detail": "1830 input tokens, 142 output tokens"}'
      FROM ${numbers} CROSS JOIN generate_series(1, ${events}) k`,
  ]
}
