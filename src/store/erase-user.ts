/**
 * What a user has left in a group is erased: rows, order, seq and times stay, texts and names go (core/text/erased.ts),
 * from the columns that hold what the user said or what the agent made of it. One transaction, under the lock of the
 * session's row, which every writer of the session takes first; the log's event tells every process to forget what it
 * keeps of the log.
 *
 * What must hold: no turn runs meanwhile that was shown those texts, or it would write them again (`EraseOutcome`).
 * What stays is what is not the session's, facts and the audit, and what others said.
 */
import { ERASED } from '../core/text/erased.ts'
import type { ConversationType, TurnStatus } from '../core/status.ts'
import { newId } from '../platform/id.ts'
import { INSERT_AUDIT } from './audit-entries.ts'
import { STATEMENT_TIMEOUT_MS, type Database, type Queryable } from './database.ts'

interface Erasure {
  readonly sessionId: string
  /** The user, or the platform identity of a stranger. */
  readonly userName: string
  /** Which of the two; null: whichever there is. */
  readonly isStranger: boolean | null
  /** Tokens that are bound to the user: their names stand beside messages. */
  readonly ownTokens: readonly string[]
  readonly actor: string | null
  readonly tokenName: string
  readonly at: Date
  /** Removes from the workspaces, before the commit, and on repeat again. */
  readonly removeFiles: (files: ErasedFiles) => void
}

/** What lies in the workspaces of the session, and goes. */
export interface ErasedFiles {
  /** Names of those that the user had sent. */
  readonly uploads: readonly string[]
  /** Their outputs are kept for the tasks behind them. */
  readonly taskIds: readonly string[]
}

/** With any kind but Erased nothing was changed. */
export type EraseOutcome =
  | { readonly kind: 'NoSession' }
  | { readonly kind: 'NotAGroup' }
  /** A turn of the user is open, or a turn of another user runs. */
  | { readonly kind: 'Busy'; readonly status: TurnStatus; readonly ownerName: string }
  /** The user has left nothing in the session. */
  | { readonly kind: 'Nothing' }
  /** A user and a stranger of this name have left something, and which of them is meant was not said. */
  | { readonly kind: 'Two' }
  | {
      readonly kind: 'Erased'
      readonly seq: number
      readonly messageCount: number
      /** Of files that the user's turns had published: their bytes are to be removed. */
      readonly fileIds: readonly string[]
      /** Made of what was learned from the user's turns: they stay. */
      readonly factIds: readonly string[]
    }

/** `E` of these statements is the mark. A column without a value stays without. */
const E = `'${ERASED}'`
const erasedUnlessNull = (column: string): string => `${column} = CASE WHEN ${column} IS NOT NULL THEN ${E} END`

/**
 * Erases in one transaction; on repeat the outcome is Nothing. The caller removes the bytes of `fileIds` after the
 * commit. Rejects with DATABASE_UNAVAILABLE (retry: backoff): it may have been committed even so, and repeating it
 * shows whether it was.
 */
export function storeErasure(database: Database, erasure: Erasure): Promise<EraseOutcome> {
  return database.transaction(async (transaction) => {
    const found = await find(transaction, erasure)
    if ('kind' in found) return found
    const { sessionId, userName } = erasure
    const { isStranger } = found
    // Of strangers there are messages alone; all else that has the name is the user's.
    const ofUser = [sessionId, isStranger ? null : userName] as const
    const ownTokens = isStranger ? [] : erasure.ownTokens
    const [{ ids: turnIds } = { ids: [] }] = await run<{ ids: string[] }>(transaction, 'turns-of', ofUser)
    const uploads = (await run<{ name: string }>(transaction, 'uploads', ofUser)).map(({ name }) => name)
    await run(transaction, 'attachments', [sessionId, uploads])
    const tasks = await run<{ id: string }>(transaction, 'tasks', [sessionId, turnIds])
    // Under the lock that an upload takes: a file of another user that takes this name comes after it.
    erasure.removeFiles({ uploads, taskIds: tasks.map(({ id }) => id) })
    const messages = await run(transaction, 'messages', [sessionId, userName, ownTokens, !isStranger])
    const learnt = await run<{ factId: string | null }>(transaction, 'learnings', [...ofUser, turnIds])
    const files = await run<{ id: string }>(transaction, 'files', [sessionId, turnIds])
    for (const name of OF_TURNS) await run(transaction, name, [sessionId, turnIds])
    for (const name of OF_USER) await run(transaction, name, ofUser)
    for (const name of OF_ALL) await run(transaction, name, [sessionId])
    await run(transaction, 'webhook', [sessionId, ownTokens])
    await run(transaction, 'posts', [sessionId, ownTokens])
    const [session] = await run<{ seq: number }>(transaction, 'session', [sessionId, ownTokens, erasure.at])
    const messageCount = messages.length
    await audit(transaction, erasure, { isStranger, messageCount })
    const factIds = [...new Set(learnt.flatMap(({ factId }) => (factId === null ? [] : [factId])))]
    return {
      kind: 'Erased',
      seq: session?.seq ?? 0,
      messageCount,
      fileIds: files.map(({ id }) => id),
      factIds,
    }
  })
}

const OF_TURNS = ['plans', 'deliveries', 'requests', 'delegations', 'events'] as const
const OF_USER = [
  'instructions',
  'opener',
  'quota',
  'decisions',
  'judgements',
  'questions',
  'turns',
  'participants',
] as const
const OF_ALL = ['paraphrases', 'checkpoints', 'leftQuestions', 'pluginEvents', 'prompts'] as const

interface Found {
  readonly type: ConversationType
  /** A user of the name, or a stranger, has left something. */
  readonly leftByUser: boolean
  readonly leftByStranger: boolean
  readonly status: TurnStatus | null
  readonly owner: string | null
}

/** Who it is, or a refusal. Locks the session's row; then reads, in a statement that sees what was committed before. */
async function find(
  transaction: Queryable,
  { sessionId, userName, isStranger }: Erasure,
): Promise<EraseOutcome | { readonly isStranger: boolean }> {
  const locked = await run(transaction, 'lock', [sessionId])
  if (locked.length === 0) return { kind: 'NoSession' }
  const [found] = await run<Found>(transaction, 'find', [sessionId, userName, isStranger === true])
  if (found === undefined) return { kind: 'NoSession' }
  if (found.type !== 'GROUP') return { kind: 'NotAGroup' }
  const { leftByUser, leftByStranger } = found
  if (isStranger === null && leftByUser && leftByStranger) return { kind: 'Two' }
  if (found.status !== null) return { kind: 'Busy', status: found.status, ownerName: found.owner ?? '' }
  const isOfStranger = isStranger ?? !leftByUser
  return (isOfStranger ? leftByStranger : leftByUser) ? { isStranger: isOfStranger } : { kind: 'Nothing' }
}

async function audit(
  transaction: Queryable,
  { at, sessionId, actor, tokenName, userName }: Erasure,
  { isStranger, messageCount }: { readonly isStranger: boolean; readonly messageCount: number },
): Promise<void> {
  const who = isStranger ? `the stranger ${userName}` : userName
  const data = { change: 'USER_ERASED', detail: `${who}: ${messageCount} messages` }
  await run(transaction, 'audit', [newId('audit'), at, sessionId, actor, tokenName, JSON.stringify(data)])
}

/** Fields of events that never hold a person's words; every other text field is erased, also of new event types. */
const WORDLESS = ['status', 'step', 'verdict', 'stream', 'until']

const STATEMENTS = {
  lock: 'SELECT id FROM sessions WHERE id = $1 FOR UPDATE',
  find: `SELECT s.source_type AS type, t.status, t.user_name AS owner,
      EXISTS (SELECT 1 FROM messages WHERE session_id = $1 AND user_name = $2 AND NOT trusted) AS "leftByStranger",
      EXISTS (SELECT 1 FROM messages WHERE session_id = $1 AND user_name = $2 AND trusted)
      OR EXISTS (SELECT 1 FROM participants WHERE session_id = $1 AND user_name = $2)
      OR EXISTS (SELECT 1 FROM uploaded_files WHERE session_id = $1 AND user_name = $2)
      OR EXISTS (SELECT 1 FROM turns WHERE session_id = $1 AND user_name = $2)
      OR EXISTS (SELECT 1 FROM learnings WHERE session_id = $1 AND (user_name = $2 OR decided_by = $2))
      OR EXISTS (SELECT 1 FROM questions WHERE session_id = $1 AND resolved_by = $2)
      OR EXISTS (SELECT 1 FROM approvals WHERE session_id = $1 AND (user_name = $2 OR decided_by = $2))
      OR coalesce(s.instructions_by = $2, false) OR coalesce(s.opened_by = '@' || $2, false) AS "leftByUser"
    FROM sessions s LEFT JOIN LATERAL (
      SELECT status, user_name FROM turns WHERE session_id = $1 AND status IN ('QUEUED', 'JOINED', 'RUNNING', 'AWAITING_APPROVAL')
        AND (user_name = $2 AND NOT $3::boolean OR (status = 'RUNNING' AND paused_at IS NULL)) ORDER BY user_name = $2 DESC, seq LIMIT 1) t ON true
    WHERE s.id = $1`,
  'turns-of': `SELECT array_agg(id) AS ids FROM turns WHERE session_id = $1 AND user_name = $2 HAVING count(*) > 0`,
  // The key of a message that a connector brought stays, so that bringing it again does not store it again.
  messages: `UPDATE messages SET content = ${E}, user_name = ${E}, mentioned = false, call = NULL, attachments = '{}',
      paraphrase = CASE WHEN NOT trusted THEN ${E} END, trace_parent = NULL, trace_state = NULL,
      client = CASE WHEN client = ANY ($3::text[]) THEN ${E} ELSE client END,
      idempotency_key = CASE WHEN client = ANY ($3::text[]) THEN NULL ELSE idempotency_key END
    WHERE session_id = $1 AND user_name = $2 AND trusted = $4 RETURNING id`,
  // Those of other strangers may quote; they are made again when they are due.
  paraphrases: `UPDATE messages SET paraphrase = NULL WHERE session_id = $1 AND NOT trusted AND paraphrase <> ${E}`,
  turns: `UPDATE turns SET user_name = ${E}, ${erasedUnlessNull('failure')}, ${erasedUnlessNull('failure_detail')} WHERE session_id = $1 AND user_name = $2`,
  plans: `UPDATE plans SET goal = ${E}, ${erasedUnlessNull('replan_reason')}, secret_names = '{}'
    WHERE session_id = $1 AND turn_id = ANY ($2::text[])`,
  tasks: `UPDATE tasks SET detail = ${E}, args = CASE WHEN args IS NOT NULL THEN '{}'::jsonb END,
      ${['expect', 'output', 'stderr', 'review_reason'].map(erasedUnlessNull).join(', ')}
    WHERE session_id = $1 AND turn_id = ANY ($2::text[]) RETURNING id`,
  deliveries: `UPDATE deliveries d SET ${erasedUnlessNull('last_error')}, next_attempt_at = NULL,
      status = CASE d.status WHEN 'PENDING' THEN 'DEAD' ELSE d.status END
    FROM tasks t WHERE t.id = d.task_id AND d.session_id = $1 AND t.turn_id = ANY ($2::text[])`,
  events: `UPDATE events SET data = (
      SELECT coalesce(jsonb_object_agg(f.key, CASE
        WHEN jsonb_typeof(f.value) = 'string' AND f.key !~ 'Id$' AND NOT f.key = ANY ('{${WORDLESS.join(',')}}') THEN to_jsonb(${E}::text)
        ELSE f.value END), '{}')
      FROM jsonb_each(data) f)
    WHERE session_id = $1 AND turn_id = ANY ($2::text[])`,
  requests: `UPDATE approvals SET user_name = ${E}, reason = ${E}, remembered = NULL, ${erasedUnlessNull('note')}
    WHERE session_id = $1 AND turn_id = ANY ($2::text[])`,
  // Their sessions are the user's own, and stay.
  delegations: `UPDATE delegations SET user_name = ${E}, task = ${E}, expect = ${E}, tools = '{}',
      ${['feedback', 'answer', 'failure'].map(erasedUnlessNull).join(', ')}
    WHERE session_id = $1 AND turn_id = ANY ($2::text[])`,
  decisions: `UPDATE approvals SET decided_by = ${E}, ${erasedUnlessNull('note')} WHERE session_id = $1 AND decided_by = $2`,
  // What the user has decided about learnings of others, which stay.
  judgements: `UPDATE learnings SET decided_by = ${E}, ${erasedUnlessNull('reason')} WHERE session_id = $1 AND decided_by = $2`,
  // A checkpoint's learnings (without a task) belong to no turn and may quote any participant, so all are erased. What
  // others taught and was asked about is judged anew: a trigger sees that the question is resolved.
  learnings: `WITH learnt AS (
      UPDATE learnings SET content = ${E}, norm = '', scope = NULL, scope_of = '', ${['user_name', 'reason'].map(erasedUnlessNull).join(', ')},
        decided_by = CASE WHEN decided_by = $2 THEN ${E} ELSE decided_by END,
        decided_at = coalesce(decided_at, now()), status = CASE WHEN status IN ('PENDING', 'ASKED') THEN 'DISCARDED' ELSE status END
      WHERE session_id = $1 AND (turn_id = ANY ($3::text[]) OR user_name = $2 OR task_id IS NULL)
      RETURNING id, fact_id, question_id),
    asked AS (
      UPDATE questions q SET content = ${E}, norm = '', answer = CASE WHEN answer IS NOT NULL THEN ${E} END, status = 'RESOLVED',
        resolved_at = coalesce(resolved_at, now())
      FROM learnt WHERE q.id = learnt.question_id AND q.session_id = $1)
    SELECT fact_id AS "factId" FROM learnt`,
  instructions:
    'UPDATE sessions SET instructions = NULL, instructions_by = NULL WHERE id = $1 AND instructions_by = $2',
  opener: `UPDATE sessions SET opened_by = '@' || ${E} WHERE id = $1 AND opened_by = '@' || $2`,
  // As an imported session, it counts in no quota.
  quota: `DELETE FROM opened_sessions WHERE session_id = $1 AND opener = '@' || $2`,
  // An address that is the user's own: nothing more may be posted there, and others set another.
  webhook:
    'UPDATE sessions SET webhook = NULL, webhook_token = NULL WHERE id = $1 AND webhook_token = ANY ($2::text[])',
  posts: `UPDATE deliveries SET url = ${E}, token_name = ${E}, next_attempt_at = NULL,
      status = CASE status WHEN 'PENDING' THEN 'DEAD' ELSE status END
    WHERE session_id = $1 AND token_name = ANY ($2::text[])`,
  questions: `UPDATE questions SET ${erasedUnlessNull('answer')}, resolved_by = ${E} WHERE session_id = $1 AND resolved_by = $2`,
  files: `DELETE FROM published_files f USING tasks t
    WHERE t.id = f.task_id AND f.session_id = $1 AND t.turn_id = ANY ($2::text[]) RETURNING f.id`,
  uploads: 'DELETE FROM uploaded_files WHERE session_id = $1 AND user_name = $2 RETURNING name',
  attachments: `UPDATE messages SET attachments = ARRAY(SELECT a FROM unnest(attachments) a WHERE a <> ALL ($2::text[]))
    WHERE session_id = $1 AND attachments && $2::text[]`,
  participants: 'DELETE FROM participants WHERE session_id = $1 AND user_name = $2',
  // One that is being made has read what is gone now: without its claim it writes nothing, and is made again.
  checkpoints: 'UPDATE checkpoints SET run_id = NULL, leased_until = NULL WHERE session_id = $1',
  // Whose learnings they were about is not known any more, once something else became of these.
  leftQuestions: `UPDATE questions q SET content = ${E}, norm = '', ${erasedUnlessNull('answer')}
    WHERE session_id = $1 AND status = 'RESOLVED' AND source <> 'ADMIN'
      AND NOT EXISTS (SELECT FROM learnings l WHERE l.question_id = q.id)`,
  // What plugins say may quote anybody. The names of these events are plugins' own words.
  pluginEvents: `UPDATE events SET data = data || '{"json": "null"}' WHERE session_id = $1 AND type = 'Plugin'`,
  // Each quotes what was said before it.
  prompts: 'DELETE FROM model_call_texts WHERE session_id = $1',
  // What was made of all that was said is made anew: the summary from the first message on.
  session: `WITH session AS (
      UPDATE sessions s SET last_seq = s.last_seq + 1, summary = '', summary_seq = 0, working_memory = '',
        provider_state = NULL,
        description = CASE WHEN s.description_source = 'INTROSPECTION' THEN NULL ELSE s.description END,
        description_source = CASE WHEN s.description_source = 'INTROSPECTION' THEN NULL ELSE s.description_source END,
        connector = CASE WHEN s.connector = ANY ($2::text[]) THEN ${E} ELSE s.connector END,
        last_message_preview = CASE WHEN last.content = ${E} THEN ${E} ELSE s.last_message_preview END
      FROM (SELECT (SELECT coalesce(m.content, e.data->>'content') FROM events e LEFT JOIN messages m ON m.id = e.data->>'messageId'
        WHERE e.session_id = $1 AND e.type IN ('MessageReceived', 'TextCompleted') ORDER BY e.seq DESC LIMIT 1) AS content) last
      WHERE s.id = $1 RETURNING s.id, s.last_seq)
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT id, last_seq, $3, NULL, 'SessionUpdated', '{"erased": true}' FROM session RETURNING seq`,
  audit: `${INSERT_AUDIT} VALUES ($1, $2, 'SESSION', $3, NULL, $4, $5, $6)`,
} as const

function run<Row extends object>(
  transaction: Queryable,
  name: keyof typeof STATEMENTS,
  values: readonly unknown[],
): Promise<Row[]> {
  return transaction.query<Row>(
    { name: `erase.${name}`, text: STATEMENTS[name], timeoutMs: STATEMENT_TIMEOUT_MS },
    values,
  )
}
