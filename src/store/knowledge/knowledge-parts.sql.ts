/**
 * The fragments of a turn's commit (../turn/turn-commit.sql.ts) by which the curator, or the planner of an answer,
 * decides about learnings, and by which questions are answered.
 */
import type { Curation, TurnWrite } from '../../core/turn-write.ts'
import { sql, type Sql } from '../sql.ts'
import {
  ANSWERABLE,
  ANSWERABLE_LEARNINGS,
  ANSWERS,
  JOINABLE,
  CURATED,
  FENCE,
  fenced,
  JUDGED,
  MADE,
  REPLACEABLE,
  TURN,
  type Bind,
  type Fenced,
} from '../turn/fenced.ts'
import { withAuditIds } from '../turn/turn-commit-rows.ts'
import { FACT_STATE } from './fact-state.ts'
import { ENTRY_COLUMNS, ENTRY_RECORD, ENTRY_VALUES, MAX_TRIES } from './learning-entry.ts'

/** Of evaluations that could not be used, before a person decides. */
const TRIES = sql`${MAX_TRIES}`

/** Of JUDGED `c`: the question that it is to become, if any, may be joined. */
export const IS_ASKED = sql`c."questionId" IS NULL OR EXISTS (SELECT FROM ${JOINABLE} q WHERE q.id = c."questionId")`

const json = (rows: readonly object[], bind: Bind): Sql => sql`${bind(JSON.stringify(rows))}::jsonb`

/**
 * A learning is decided once: only one that is still pending, and facts and questions come from those alone. One whose
 * fact cannot be made, as the fact that it replaces is another by now or as the same was made at this moment, stays
 * pending and is judged anew, and so does one whose question was answered meanwhile.
 */
export function curationParts(curations: readonly Curation[], bind: Bind): Record<string, Fenced> {
  const judged = fenced`
    SELECT x.id AS learning_id, coalesce(x.scope, 'SESSION') AS scope,
      CASE WHEN x.scope IS NULL THEN x.session_id ELSE x.scope_of END AS scope_of, c.* FROM ${FENCE}, learnings x, jsonb_to_recordset(${json(curations.map(withAuditIds), bind)})
      AS c ("learningId" text, by text, status learning_status, reason text, at timestamptz, fact jsonb, question jsonb,
        "isRetry" boolean, flags learning_flag[], "repeatsFactId" text, "repeatsLearningId" text, "questionId" text, replaces jsonb, "changeId" text,
        "auditIds" text[])
    WHERE x.id = c."learningId" AND x.session_id = $1 AND x.status = 'PENDING' AND NOT x.held
    ORDER BY x.id FOR UPDATE OF x`
  const replaceable = fenced`
    SELECT f.id, f.version, f.content, f.norm, ${FACT_STATE} AS state FROM ${JUDGED} c, facts f
    WHERE f.id = c.replaces->>'factId' AND f.version = (c.replaces->>'version')::int AND f.invalidated_at IS NULL AND NOT f.pinned
      AND c.status = 'PROMOTED' ORDER BY f.id FOR UPDATE OF f`
  const made = fenced`
    INSERT INTO facts (id, content, norm, source, scope, scope_of, session_id, valid_from, created_at, updated_at)
    SELECT c.fact->>'id', c.fact->>'content', c.fact->>'norm', 'CURATOR', c.scope, c.scope_of, $1,
      CASE WHEN jsonb_typeof(c.replaces) = 'object' THEN c.at END, c.at, c.at
    FROM ${JUDGED} c WHERE jsonb_typeof(c.fact) = 'object' AND (jsonb_typeof(c.replaces) IS DISTINCT FROM 'object'
      OR EXISTS (SELECT FROM ${REPLACEABLE} r WHERE r.id = c.replaces->>'factId'))
    ORDER BY c.fact->>'norm' ON CONFLICT DO NOTHING
    RETURNING id`
  const joinable = fenced`
    SELECT o.id FROM (SELECT q.id FROM ${JUDGED} c, questions q
      WHERE q.id = c."questionId" AND q.status = 'OPEN' ORDER BY q.id FOR SHARE OF q) o
    UNION ALL SELECT c.question->>'id' FROM ${JUDGED} c WHERE jsonb_typeof(c.question) = 'object'`
  const curated = fenced`
    UPDATE learnings x SET status = c.status, reason = c.reason, held = c.status = 'PENDING' AND (NOT c."isRetry" OR x.tries + 1 >= ${TRIES}),
      tries = x.tries + c."isRetry"::int, flags = CASE WHEN c."isRetry" AND x.tries + 1 < ${TRIES} THEN x.flags ELSE x.flags || c.flags END,
      decided_by = CASE WHEN c.status <> 'PENDING' THEN c.by END, decided_at = CASE WHEN c.status <> 'PENDING' THEN c.at END,
      change_id = c."changeId", fact_id = c.fact->>'id', question_id = coalesce(c."questionId", c.question->>'id'),
      repeats_fact_id = (SELECT f.id FROM facts f WHERE f.id = c."repeatsFactId"),
      repeats_learning_id = (SELECT o.id FROM learnings o WHERE o.id = c."repeatsLearningId"),
      replaces_fact_id = (SELECT f.id FROM facts f WHERE f.id = c.replaces->>'factId')
    FROM ${JUDGED} c WHERE x.id = c.learning_id AND (jsonb_typeof(c.fact) IS DISTINCT FROM 'object'
      OR EXISTS (SELECT FROM ${MADE} m WHERE m.id = c.fact->>'id')) AND (${IS_ASKED})
    RETURNING x.id, x.status, x.held, x.reason, c.at, c.by, c.fact, c.question, c.replaces, c."changeId", c."auditIds"`
  const replaced = fenced`
    UPDATE facts f SET version = f.version + 1, invalidated_at = c.at, valid_to = c.at, replaced_by_id = c.fact->>'id',
      updated_at = c.at
    FROM ${CURATED} c WHERE f.id = c.replaces->>'factId' AND jsonb_typeof(c.fact) = 'object'`
  const history = fenced`
    INSERT INTO fact_versions (fact_id, version, content, norm, change, changed_by, reason, at, change_id, before)
    SELECT c.fact->>'id', 1, c.fact->>'content', c.fact->>'norm', 'CREATED'::fact_change, c.by, NULL, c.at, c."changeId", NULL
    FROM ${CURATED} c WHERE jsonb_typeof(c.fact) = 'object'
    UNION ALL
    SELECT r.id, r.version + 1, r.content, r.norm, 'REPLACED', c.by, 'replaced by ' || (c.fact->>'id'), c.at, c."changeId", r.state
    FROM ${CURATED} c, ${REPLACEABLE} r WHERE r.id = c.replaces->>'factId' AND jsonb_typeof(c.fact) = 'object'`
  const questions = fenced`
    INSERT INTO questions (id, content, norm, session_id, source, fact_ids, created_at)
    SELECT c.question->>'id', c.question->>'content', c.question->>'norm', $1, 'CURATOR',
      ARRAY(SELECT jsonb_array_elements_text(c.question->'factIds')), c.at
    FROM ${CURATED} c WHERE jsonb_typeof(c.question) = 'object'`
  // What came about is audited, and nothing else: a learning that an admin decided first is not the curator's.
  const audit = fenced`
    INSERT INTO audit_entries (id, at, kind, session_id, turn_id, actor, data)
    SELECT a.id, c.at, 'KNOWLEDGE', $1, $4, c.by,
      jsonb_build_object('subjectId', a.subject, 'change', a.change, 'reason', c.reason)
    FROM ${CURATED} c, LATERAL (VALUES
      (c."auditIds"[1], CASE WHEN c.status <> 'PENDING' OR c.held THEN c.id END, CASE c.status WHEN 'PENDING' THEN 'HELD' ELSE c.status::text END),
      (c."auditIds"[2], c.fact->>'id', 'CREATED'),
      (c."auditIds"[2], c.question->>'id', 'OPEN'),
      (c."auditIds"[3], CASE WHEN jsonb_typeof(c.fact) = 'object' THEN c.replaces->>'factId' END, 'REPLACED')) AS a (id, subject, change)
    WHERE a.subject IS NOT NULL`
  return {
    judged,
    replaceable,
    made,
    joinable,
    curated,
    replaced,
    fact_versions: history,
    questions,
    curated_audit: audit,
  }
}

/**
 * Only questions that this session may answer: its own, and those of all sessions by an admin, or where they were put
 * before. With each, the learning is settled that became the question, and the answer is learned from its user. What
 * follows for facts is a curation of that learning in the same commit, where the plan said it and the rules let it. In
 * any other case the curator, or a person, says it in a commit of its own, which cannot be missed: the answer waits as
 * a row, with a job of its session.
 */
export function answerParts(answers: NonNullable<TurnWrite['answers']>, bind: Bind): Record<string, Fenced> {
  const ids = bind(answers.map(({ questionId }) => questionId))
  // Learnings before questions, each in order of id, as all who lock both: a question of all sessions is settled in
  // several at a time. Counting has the locks taken before what reads it goes on.
  const asked = fenced`
    SELECT x.id FROM ${FENCE}, learnings x WHERE x.question_id = ANY(${ids}::text[]) AND x.status = 'ASKED'
    ORDER BY x.id FOR UPDATE OF x`
  const answerable = fenced`
    SELECT x.id FROM ${FENCE}, questions x WHERE x.id = ANY(${ids}::text[])
      AND (SELECT count(*) FROM ${ANSWERABLE_LEARNINGS}) >= 0 ORDER BY x.id FOR UPDATE OF x`
  const resolved = fenced`
    UPDATE questions x SET status = 'RESOLVED', answer = a.answer, resolved_by = t.user_name, resolved_at = a.at
    FROM ${TURN} t, ${ANSWERABLE} o, jsonb_to_recordset(${json(answers.map(withAuditIds), bind)})
      AS a ("questionId" text, answer text, "byAdmin" boolean, learning jsonb, at timestamptz, "changeId" text, "auditIds" text[])
    WHERE x.id = a."questionId" AND o.id = x.id AND (SELECT count(*) FROM ${ANSWERABLE}) > 0 AND x.status = 'OPEN' AND (x.session_id = $1 OR (x.session_id IS NULL AND (a."byAdmin"
      OR EXISTS (SELECT FROM question_askings p WHERE p.question_id = x.id AND p.session_id = $1))))
    RETURNING x.id, a.at, a."changeId", a."auditIds", a.learning, t.user_name`
  const settled = fenced`
    UPDATE learnings x SET status = 'ANSWERED', held = false, decided_by = q.user_name, decided_at = q.at, change_id = q."changeId"
    FROM ${ANSWERS} q WHERE x.question_id = q.id AND x.status = 'ASKED'`
  const learned = fenced`
    INSERT INTO learnings (id, session_id, turn_id, user_name, content, norm, created_at, ${ENTRY_COLUMNS})
    SELECT l.id, $1, $4, q.user_name, l.content, l.norm, q.at, ${ENTRY_VALUES}
    FROM ${ANSWERS} q, jsonb_to_record(q.learning) AS l (id text, content text, norm text, entry jsonb), ${ENTRY_RECORD}
    WHERE jsonb_typeof(q.learning) = 'object'`
  // Only a question that this commit resolved, under the name of the turn's user.
  const audit = fenced`
    INSERT INTO audit_entries (id, at, kind, session_id, turn_id, actor, data)
    SELECT q."auditIds"[1], q.at, 'KNOWLEDGE', $1, $4, q.user_name,
      jsonb_build_object('subjectId', q.id, 'change', 'RESOLVED', 'reason', NULL)
    FROM ${ANSWERS} q`
  return {
    answerable_learnings: asked,
    answerable,
    answers: resolved,
    answered_learnings: settled,
    answer_learnings: learned,
    answers_audit: audit,
  }
}

/** A question of one session is its people's in any case. */
export function askingParts(questionIds: readonly string[], bind: Bind): Record<string, Fenced> {
  const askings = fenced`
    INSERT INTO question_askings (question_id, session_id)
    SELECT q.id, $1 FROM ${FENCE}, questions q WHERE q.id = ANY(${bind(questionIds)}::text[]) AND q.session_id IS NULL
    ON CONFLICT DO NOTHING`
  return { askings }
}
