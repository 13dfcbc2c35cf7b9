/**
 * The fragments of a turn's commit that write knowledge. Each hangs on `w_fence` or `w_turn`
 * (src/store/turn/turn-commit.ts). A learning is decided once: a curation changes only one that is still pending, and
 * facts and questions come from those alone.
 */
import type { Curation, MessageText, NewLearning, TurnWrite } from '../../core/turn-write.ts'
import type { FinalTurnStatus } from '../../core/status.ts'
import { newId } from '../../platform/id.ts'
import { ANSWERS, CURATED, FENCE, TURN, fenced, type Bind, type Fenced } from './turn-commit-bind.ts'

/** Who the history names for what the curator did. */
const CURATOR = 'curator'

/** Stores learnings, one for each task: a review that is made again after a takeover adds none. */
export function learningsSql(learnings: readonly NewLearning[], bind: Bind): Fenced {
  return fenced`INSERT INTO learnings (id, session_id, turn_id, task_id, user_name, content, norm, created_at)
    SELECT l.id, $1, $4, l."taskId", t.user_name, l.content, l.norm, l."createdAt"
    FROM ${TURN} t, jsonb_to_recordset(${bind(JSON.stringify(learnings))}::jsonb)
      AS l (id text, "taskId" text, content text, norm text, "createdAt" timestamptz)
    ON CONFLICT (task_id) DO NOTHING`
}

/** Decides learnings of this session that are still pending; returns those, as `w_curated`, for the fragments below. */
export function curatedSql(curations: readonly Curation[], bind: Bind): Fenced {
  return fenced`UPDATE learnings x SET status = c.status, reason = c.reason, decided_by = '${CURATOR}', decided_at = c.at,
      fact_id = c.fact->>'id', question_id = c.question->>'id'
    FROM ${FENCE}, jsonb_to_recordset(${bind(JSON.stringify(curations.map(withAuditIds)))}::jsonb)
      AS c ("learningId" text, status learning_status, reason text, at timestamptz, fact jsonb, question jsonb, "auditIds" text[])
    WHERE x.id = c."learningId" AND x.session_id = $1 AND x.status = 'PENDING'
    RETURNING x.id, x.status, x.reason, c.at, c.fact, c.question, c."auditIds"`
}

/** One entry for the learning, and one for the fact or question that comes of it. */
function withAuditIds<T extends object>(change: T): T & { auditIds: string[] } {
  return { ...change, auditIds: [newId('audit'), newId('audit')] }
}

/** What came about is audited, and nothing else: a learning that an admin decided first is not the curator's. */
export function curatedAuditSql(): Fenced {
  return fenced`INSERT INTO audit_entries (id, at, kind, session_id, turn_id, actor, data)
    SELECT a.id, c.at, 'KNOWLEDGE', $1, $4, '${CURATOR}', jsonb_build_object('subjectId', a.subject, 'change', a.change, 'reason', c.reason)
    FROM ${CURATED} c, LATERAL (VALUES
      (c."auditIds"[1], c.id, c.status::text),
      (c."auditIds"[2], c.fact->>'id', 'CREATED'),
      (c."auditIds"[2], c.question->>'id', 'OPEN')) AS a (id, subject, change)
    WHERE a.subject IS NOT NULL`
}

/** Stores the facts that come of `w_curated`. */
export function factsSql(): Fenced {
  return fenced`INSERT INTO facts (id, content, norm, source, session_id, created_at, updated_at)
    SELECT c.fact->>'id', c.fact->>'content', c.fact->>'norm', 'CURATOR', $1, c.at, c.at
    FROM ${CURATED} c WHERE jsonb_typeof(c.fact) = 'object'`
}

/** Stores version 1 of the facts that come of `w_curated`. */
export function factVersionsSql(): Fenced {
  return fenced`INSERT INTO fact_versions (fact_id, version, content, change, changed_by, at)
    SELECT c.fact->>'id', 1, c.fact->>'content', 'CREATED', '${CURATOR}', c.at
    FROM ${CURATED} c WHERE jsonb_typeof(c.fact) = 'object'`
}

/** Opens the questions that come of `w_curated`, in this session. */
export function questionsSql(): Fenced {
  return fenced`INSERT INTO questions (id, content, norm, session_id, source, created_at)
    SELECT c.question->>'id', c.question->>'content', c.question->>'norm', $1, 'CURATOR', c.at
    FROM ${CURATED} c WHERE jsonb_typeof(c.question) = 'object'`
}

/** A fact that was removed from the database meanwhile is left out. */
export function factsUsedSql(factIds: readonly string[], bind: Bind): Fenced {
  return fenced`INSERT INTO turn_facts AS x (turn_id, session_id, fact_ids)
    SELECT $4, $1, array_agg(f.id ORDER BY f.id) FROM ${FENCE}, facts f WHERE f.id = ANY(${bind(factIds)}::text[])
    HAVING count(*) > 0
    ON CONFLICT (turn_id) DO UPDATE
      SET fact_ids = ARRAY(SELECT DISTINCT id FROM unnest(x.fact_ids || excluded.fact_ids) id ORDER BY id)
      WHERE NOT x.fact_ids @> excluded.fact_ids`
}

/** Only questions that this session may answer: its own and those of every session. */
export function answersSql(answers: NonNullable<TurnWrite['answers']>, bind: Bind): Fenced {
  return fenced`UPDATE questions x SET status = 'RESOLVED', answer = a.answer, resolved_by = t.user_name, resolved_at = a.at
    FROM ${TURN} t, jsonb_to_recordset(${bind(JSON.stringify(answers.map(withAuditIds)))}::jsonb)
      AS a ("questionId" text, answer text, at timestamptz, "auditIds" text[])
    WHERE x.id = a."questionId" AND x.status = 'OPEN' AND (x.session_id = $1 OR x.session_id IS NULL)
    RETURNING x.id, a.at, a."auditIds", t.user_name`
}

/** Hangs on `w_answers`: only a question that this commit resolved is audited, under the name of the turn's user. */
export function answersAuditSql(): Fenced {
  return fenced`INSERT INTO audit_entries (id, at, kind, session_id, turn_id, actor, data)
    SELECT q."auditIds"[1], q.at, 'KNOWLEDGE', $1, $4, q.user_name,
      jsonb_build_object('subjectId', q.id, 'change', 'RESOLVED', 'reason', NULL)
    FROM ${ANSWERS} q`
}

/**
 * New texts of messages, and the status of the one that `ended`. All of it is one update: of two updates of a row in
 * one statement PostgreSQL makes only one. A paraphrase is written once.
 */
export function messageTextsSql(texts: readonly MessageText[], ended: readonly EndedMessage[], bind: Bind): Fenced {
  const rows = new Map<string, object>()
  for (const change of [...texts, ...ended]) rows.set(change.id, { ...rows.get(change.id), ...change })
  return fenced`UPDATE messages x SET status = coalesce(m.status, x.status), content = coalesce(m.content, x.content),
      paraphrase = coalesce(x.paraphrase, m.paraphrase)
    FROM ${FENCE}, jsonb_to_recordset(${bind(JSON.stringify([...rows.values()]))}::jsonb)
      AS m (id text, status message_status, content text, paraphrase text)
    WHERE x.id = m.id AND x.id = ANY(${bind([...rows.keys()])}::text[]) AND x.session_id = $1`
}

/** The message of a turn that ends, or one that it took along. */
export interface EndedMessage {
  readonly id: string
  readonly status: FinalTurnStatus | 'QUEUED'
}
