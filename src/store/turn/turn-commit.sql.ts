/**
 * The statement of a turn's commit (turn-commit.ts), from top to bottom; some renderings of it stand in rendered/. Each
 * part of a write that is there adds its fragments, and each fragment hangs on the fence, or on one that does
 * (fenced.ts). Values are bound, so the texts are few, and each is prepared: $1 is the session, $2 the node, $3 the
 * epoch of its lease, $4 the turn.
 */
import { messagePreview } from '../../core/text/message-preview.ts'
import type { TurnWrite } from '../../core/turn-write.ts'
import { AUDIT_RECORD, auditRows, INSERT_AUDIT } from '../audit-entries.ts'
import { CALL_TEXTS_RECORD, callTextsRows, INSERT_CALL_TEXTS } from './model-call-texts.ts'
import { concat, given, identifier, sql, when, type Sql } from '../sql.ts'
import { dueCurationPart } from '../knowledge/due-curation.sql.ts'
import { answerParts, askingParts, curationParts } from '../knowledge/knowledge-parts.sql.ts'
import { FENCE, fenced, SETTLED_APPROVALS, TURN, type Bind, type Fenced } from './fenced.ts'
import {
  endedMessages,
  eventRows,
  joinedRows,
  messageRows,
  patchRows,
  taskRows,
  usageOf,
  withAuditIds,
} from './turn-commit-rows.ts'
import { INSERT_PROMPTS, ON_PROMPT_KEPT, PROMPTS_RECORD, type SharedPrompts } from './system-prompts.ts'
import { ENTRY_COLUMNS, ENTRY_RECORD, ENTRY_VALUES } from '../knowledge/learning-entry.ts'
import type { TurnRef } from './lease.ts'

/** A write with the system prompts that its model calls name and that are not known to be kept (system-prompts.ts). */
export interface ReadyWrite extends TurnWrite {
  readonly prompts: SharedPrompts['due']
}

/**
 * `bind` takes all values but the first four. The owner is compared as no index can: while the table was young,
 * PostgreSQL took all sessions of a node for fewer than the one of that id, and kept reading them all.
 */
export function commitSql(turn: TurnRef, write: ReadyWrite, bind: Bind): Sql {
  const count = sql`${bind(write.events.length)}::int`
  const usage = usageColumns(write, bind)
  return sql`WITH w_fence AS (
    UPDATE sessions x SET last_seq = x.last_seq + ${count}${usage}${sessionColumns(write, bind)}
    WHERE x.id = $1 AND x.owner IS NOT DISTINCT FROM $2::int AND x.epoch = $3
    RETURNING x.last_seq - ${count} AS base, x.turn_count - x.checkpoint_turns AS turns_since, x.owner, x.busy_policy,
      x.webhook, x.webhook_token),
  w_turn AS (${fenced`
    UPDATE turns x SET step = coalesce(${bind(write.step ?? null)}::pipeline_step, x.step)${usage}${turnColumns(write, bind)}
    FROM ${FENCE} WHERE x.id = $4 RETURNING x.cancel_requested, x.user_name`})${concat(
    Object.entries(partsOf(turn, write, bind)).map(
      ([name, part]) => sql`,
  ${identifier(`w_${name}`)} AS (${part})`,
    ),
  )}
  SELECT f.base, f.turns_since,${settledIds(write)} f.owner IS NULL AS released, f.busy_policy, f.webhook IS NOT NULL AS has_webhook,
    t.cancel_requested,
    EXISTS (SELECT 1 FROM participants p WHERE p.session_id = $1 AND p.user_name = t.user_name) AS participates
  FROM ${FENCE} f, ${TURN} t`
}

/** The approvals that this commit has settled, of those that it wanted to. */
function settledIds({ settledApprovals }: TurnWrite): Sql {
  return when(isFilled(settledApprovals), sql` ARRAY(SELECT a.id FROM ${SETTLED_APPROVALS} a) AS settled,`)
}

/** What the model calls of the write have cost, for the session and the turn. */
function usageColumns(write: TurnWrite, bind: Bind): Sql {
  return given(usageOf(write.modelCalls), ({ calls, inputTokens, outputTokens, cachedTokens, ...paid }) => {
    const cost = sql`${bind(paid.cost)}::float8`
    return sql`,
      model_calls = x.model_calls + ${bind(calls)}::int, input_tokens = x.input_tokens + ${bind(inputTokens)}::bigint,
      output_tokens = x.output_tokens + ${bind(outputTokens)}::bigint,
      cached_tokens = x.cached_tokens + ${bind(cachedTokens)}::bigint, cost = coalesce(x.cost + ${cost}, x.cost, ${cost})`
  })
}

function sessionColumns(write: TurnWrite, bind: Bind): Sql {
  const { finish, pause, settledApprovals, summary, preview, providerState } = write
  const said = saidIn(write)
  const columns = [
    // The session stays with its node while a message waits that may begin now; one that is still collected
    // (`collect_window_ms`) makes the session ready later.
    given(finish, ({ at, joined = [] }) => {
      const released = joined.filter(({ status }) => status === 'QUEUED').length
      const queued = released === 0 ? sql`x.queue_length` : sql`x.queue_length + ${bind(released)}::int`
      const goesOn = sql`${queued} > 0 AND coalesce(x.ready_at <= now(), true)`
      return sql`,
      turn_count = x.turn_count + 1, last_activity_at = ${bind(at)}::timestamptz,
      status = CASE WHEN ${goesOn} THEN 'RUNNING' ELSE 'IDLE' END::session_status,
      owner = CASE WHEN ${goesOn} THEN x.owner END, turn_user = CASE WHEN ${goesOn} THEN x.turn_user END,
      ready_at = CASE WHEN ${queued} > 0 THEN coalesce(x.ready_at, now()) END${when(released > 0, sql`, queue_length = ${queued}`)}`
    }),
    // Whether approvals are still open is asked of the row as it is once its lock is held: a decision made a moment
    // before is seen.
    given(pause, ({ until, forApproval }) => {
      const later = sql`${bind(until)}::timestamptz`
      if (forApproval !== true) return sql`, owner = NULL, turn_user = NULL, ready_at = ${later}`
      const open = sql`x.open_approvals + ${bind(write.approvals?.length ?? 0)}::int`
      return sql`,
      owner = NULL, turn_user = NULL, status = 'AWAITING_APPROVAL', open_approvals = ${open},
      ready_at = CASE WHEN ${open} > 0 THEN ${later} ELSE now() END`
    }),
    when(isFilled(settledApprovals), sql`, open_approvals = 0`),
    providerState === undefined ? sql`` : sql`, provider_state = ${bind(providerState)}::jsonb`,
    // A summary that another one has overtaken is dropped.
    given(summary, ({ text, fromSeq, toSeq }) => {
      const isNext = sql`x.summary_seq = ${bind(fromSeq)}::int`
      return sql`,
      summary = CASE WHEN ${isNext} THEN ${bind(text)}::text ELSE x.summary END,
      summary_seq = CASE WHEN ${isNext} THEN ${bind(toSeq)}::int ELSE x.summary_seq END`
    }),
    given(said, (text) => sql`, last_message_preview = ${bind(text)}::text`),
    // Compared by its hash: what must go from the row must not come along as a parameter, which servers may log.
    given(said === undefined ? preview : undefined, ({ wasSha256, now }) => {
      const hash = sql`encode(sha256(convert_to(x.last_message_preview, 'UTF8')), 'hex')`
      return sql`,
      last_message_preview = CASE WHEN ${hash} = ANY(${bind(wasSha256)}::text[]) THEN ${bind(now)}::text
        ELSE x.last_message_preview END`
    }),
  ]
  return concat(columns)
}

/** The beginning of the newest text of the write, of the agent or of the server: it is what was said last. */
function saidIn({ events }: TurnWrite): string | undefined {
  const text = events.findLast(({ body }) => body.type === 'TextCompleted')?.body
  return text?.type === 'TextCompleted' ? messagePreview(text.content) : undefined
}

function turnColumns({ finish, pause, failure, hostDied, pluginWork }: TurnWrite, bind: Bind): Sql {
  return concat([
    given(
      pluginWork,
      (work) => sql`, plugin_work = ${finish === undefined ? sql`${bind(JSON.stringify(work))}::jsonb` : sql`NULL`}`,
    ),
    given(finish?.commandsHandled, (names) => sql`, commands_handled = ${bind(names)}::text[]`),
    given(finish?.hooksDue, (plugins) => sql`, hooks_due = ${bind(plugins)}::text[]`),
    when(hostDied === true, sql`, takeovers = x.takeovers + 1`),
    given(
      finish,
      (end) => sql`,
      status = ${bind(end.status)}::turn_status, failure = ${bind(end.failure)}::text,
      failure_detail = ${bind(end.failureDetail ?? null)}::text, finished_at = ${bind(end.at)}::timestamptz`,
    ),
    given(
      finish === undefined ? failure : undefined,
      ({ text, detail }) => sql`, failure = ${bind(text)}::text, failure_detail = ${bind(detail)}::text`,
    ),
    given(
      pause,
      ({ at, reason, forApproval }) => sql`,
      paused_at = ${bind(at)}::timestamptz, paused_reason = ${bind(reason)}::text${when(
        forApproval === true,
        sql`, status = 'AWAITING_APPROVAL'`,
      )}`,
    ),
  ])
}

/** The columns of a TaskPatch, and their types, as jsonb_to_recordset wants them. */
const PATCH_COLUMNS = sql`status task_status, output text, stderr text, truncated boolean, "exitCode" int, final boolean,
        suppressed boolean, "reviewVerdict" review_verdict, "reviewReason" text, "startedAt" timestamptz,
        "finishedAt" timestamptz`

/** Each number of ids is a statement of its own, which is prepared. */
const MAX_NAMED_IDS = 4

/**
 * A few ids are named one by one. Of an array PostgreSQL takes ten for granted, for which it reads a small table whole;
 * and it keeps that plan while the table grows, until the next ANALYZE: after two thousand turns that had doubled the
 * time of a commit.
 */
function isOneOf(column: Sql, ids: readonly string[], bind: Bind): Sql {
  if (ids.length > MAX_NAMED_IDS) return sql`${column} = ANY(${bind(ids)}::text[])`
  return sql`${column} IN (${concat(ids.map((id, index) => sql`${when(index > 0, sql`, `)}${bind(id)}`))})`
}

/**
 * By the name of its fragment, which those behind it may read.
 */
function partsOf(turn: TurnRef, write: ReadyWrite, bind: Bind): Record<string, Fenced> {
  const { events, plans, tasks, taskPatches, dropDeltasOf, learnings, curations, factsShown, factsUsed, answers } =
    write
  const { deliveries, files, audit, approvals, settledApprovals, delegations, delegationSteps, finish } = write
  const json = (rows: readonly object[]): Sql => sql`${bind(JSON.stringify(rows))}::jsonb`
  const parts: Record<string, Fenced> = {}

  // A decision that was committed while this waited for the session's lock stands: the row is read again once it is
  // free. Before the events, which tell of what was settled here alone.
  if (isFilled(settledApprovals))
    parts['settled_approvals'] = fenced`
    UPDATE approvals x SET status = a.status, decided_at = a.at
    FROM ${FENCE}, jsonb_to_recordset(${json(settledApprovals.map(withAuditIds))})
      AS a (id text, status approval_status, at timestamptz, "auditIds" text[])
    WHERE x.id = a.id AND x.id = ANY(${bind(settledApprovals.map(({ id }) => id))}::text[]) AND x.status = 'PENDING'
    RETURNING x.id, x.task_id, x.status, a.at, a."auditIds"[1] AS audit_id`

  if (isFilled(events))
    parts['events'] = fenced`
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT $1, f.base + e.n, e.at, e.turn_id, e.type, e.data
    FROM ${FENCE} f, ROWS FROM (
      jsonb_to_recordset(${json(eventRows(events))}) AS (at timestamptz, turn_id text, type text, data jsonb)
    ) WITH ORDINALITY AS e (at, turn_id, type, data, n)${given(
      isFilled(settledApprovals) ? settledApprovals.map(({ id }) => id) : undefined,
      (ids) => sql`
    WHERE e.data->>'approvalId' IS NULL OR e.data->>'approvalId' <> ALL (${bind(ids)}::text[])
      OR EXISTS (SELECT 1 FROM ${SETTLED_APPROVALS} a WHERE a.id = e.data->>'approvalId')`,
    )}`

  // An id, or an attempt of the turn, that is there already fails the whole commit.
  if (isFilled(plans))
    parts['plans'] = fenced`
    INSERT INTO plans (id, session_id, turn_id, attempt, goal, replan_reason, rights, secret_names, created_at)
    SELECT p.id, $1, $4, p.attempt, p.goal, p."replanReason", p.rights, p."secretNames", p."createdAt"
    FROM ${FENCE}, jsonb_to_recordset(${json(plans)})
      AS p (id text, attempt int, goal text, "replanReason" text, rights text, "secretNames" text[], "createdAt" timestamptz)`

  // With what is known of them so far; their plans are there, or come with the same commit.
  if (isFilled(tasks))
    parts['tasks'] = fenced`
    INSERT INTO tasks (id, session_id, turn_id, plan_id, index, type, detail, skill, tool, args, expect, round, call_id, status, output, stderr,
      truncated, exit_code, final, suppressed, review_verdict, review_reason, started_at, finished_at)
    SELECT p.id, $1, $4, p."planId", p.index, p.type, p.detail, p.skill, p.tool, p.args, p.expect, p.round, p."callId", coalesce(p.status, 'PENDING'),
      p.output, p.stderr, coalesce(p.truncated, false), p."exitCode", coalesce(p.final, false),
      coalesce(p.suppressed, false), p."reviewVerdict", p."reviewReason", p."startedAt", p."finishedAt"
    FROM ${FENCE}, jsonb_to_recordset(${json(taskRows(tasks))})
      AS p (id text, "planId" text, index int, type task_type, detail text, skill text, tool text, args jsonb, expect text, round int, "callId" text,
        ${PATCH_COLUMNS})`

  // A field that is absent or null leaves its column as it is, so nothing can be set back to null.
  if (taskPatches !== undefined && taskPatches.size > 0)
    parts['patches'] = fenced`
    UPDATE tasks x SET status = coalesce(p.status, x.status), output = coalesce(p.output, x.output),
      stderr = coalesce(p.stderr, x.stderr), truncated = coalesce(p.truncated, x.truncated),
      exit_code = coalesce(p."exitCode", x.exit_code), final = coalesce(p.final, x.final),
      suppressed = coalesce(p.suppressed, x.suppressed), review_verdict = coalesce(p."reviewVerdict", x.review_verdict),
      review_reason = coalesce(p."reviewReason", x.review_reason), started_at = coalesce(p."startedAt", x.started_at),
      finished_at = coalesce(p."finishedAt", x.finished_at)
    FROM ${FENCE}, jsonb_to_recordset(${json(patchRows(taskPatches))}) AS p (id text, ${PATCH_COLUMNS})
    WHERE x.id = p.id AND ${isOneOf(sql`x.id`, [...taskPatches.keys()], bind)}`

  // Only the turn's own part of the log is searched: its events come after its message.
  if (isFilled(dropDeltasOf))
    parts['deltas'] = fenced`
    DELETE FROM events x USING ${FENCE}
    WHERE x.session_id = $1 AND x.seq > ${bind(turn.seq)} AND x.type IN ('TextDelta', 'Thinking')
      AND coalesce(x.data->>'taskId', x.data->>'thinkingId') = ANY(${bind(dropDeltasOf)}::text[]) AND x.data->>'content' IS NULL`

  // As it is now: a plugin that is switched on or off meanwhile counts.
  if (finish?.endsActivity === true)
    parts['activity'] = fenced`
    DELETE FROM events x USING ${FENCE}
    WHERE x.session_id = $1 AND x.seq > ${bind(turn.seq)} AND x.turn_id = $4 AND x.type IN ('Thinking', 'TaskProgress')
      AND NOT EXISTS (SELECT 1 FROM plugins p WHERE p.enabled
        AND p.manifest->'keeps' ? CASE x.type WHEN 'Thinking' THEN 'thinking' ELSE 'task_progress' END)`

  // One for each task: a review that is made again after a takeover adds none.
  if (isFilled(learnings))
    parts['learnings'] = fenced`
    INSERT INTO learnings (id, session_id, turn_id, task_id, user_name, content, norm, created_at, ${ENTRY_COLUMNS})
    SELECT l.id, $1, $4, l."taskId", t.user_name, l.content, l.norm, l."createdAt", ${ENTRY_VALUES}
    FROM ${TURN} t, jsonb_to_recordset(${json(learnings)})
      AS l (id text, "taskId" text, content text, norm text, "createdAt" timestamptz, entry jsonb), ${ENTRY_RECORD}
    ON CONFLICT (task_id) DO NOTHING`

  if (isFilled(curations)) Object.assign(parts, curationParts(curations, bind))

  // A fact that was removed from the database meanwhile is left out.
  if (isFilled(factsShown))
    parts['facts_shown'] = fenced`
    INSERT INTO turn_facts AS x (turn_id, session_id, fact_ids)
    SELECT $4, $1, array_agg(f.id ORDER BY f.id) FROM ${FENCE}, facts f WHERE f.id = ANY(${bind(factsShown)}::text[])
    HAVING count(*) > 0
    ON CONFLICT (turn_id) DO UPDATE
      SET fact_ids = ARRAY(SELECT DISTINCT id FROM unnest(x.fact_ids || excluded.fact_ids) id ORDER BY id)
      WHERE NOT x.fact_ids @> excluded.fact_ids`

  if (isFilled(factsUsed))
    parts['facts_used'] = fenced`
    INSERT INTO fact_uses (fact_id, turn_id, session_id)
    SELECT f.id, $4, $1 FROM ${FENCE}, facts f WHERE f.id = ANY(${bind(factsUsed)}::text[])
    ON CONFLICT DO NOTHING`

  if (isFilled(write.questionsAsked)) Object.assign(parts, askingParts(write.questionsAsked, bind))
  if (isFilled(answers)) Object.assign(parts, answerParts(answers, bind))
  const job = dueCurationPart(write)
  if (job !== null) parts['curation_jobs'] = job

  // The webhook is read under the session's lock: one that is taken away is not used any more.
  if (isFilled(deliveries))
    parts['deliveries'] = fenced`
    INSERT INTO deliveries (id, session_id, task_id, url, token_name, final, created_at, next_attempt_at)
    SELECT d.id, $1, d."taskId", f.webhook, f.webhook_token, d.final, d."createdAt", now()
    FROM ${FENCE} f, jsonb_to_recordset(${json(deliveries)})
      AS d (id text, "taskId" text, final boolean, "createdAt" timestamptz)
    WHERE f.webhook IS NOT NULL`

  // Their bytes must be in place by now (src/store/files/published-files.ts).
  if (isFilled(files))
    parts['files'] = fenced`
    INSERT INTO published_files (id, session_id, task_id, name, size, content_type, user_name, created_at, expires_at)
    SELECT p.id, $1, p."taskId", p.name, p.size, p."contentType", p."userName", p."createdAt", p."expiresAt"
    FROM ${FENCE}, jsonb_to_recordset(${json(files)})
      AS p (id text, "taskId" text, name text, size bigint, "contentType" text, "userName" text, "createdAt" timestamptz,
        "expiresAt" timestamptz)`

  if (isFilled(write.prompts))
    parts['prompts'] = fenced`${INSERT_PROMPTS}
    FROM ${FENCE}, jsonb_to_recordset(${json(write.prompts)}) AS p (${PROMPTS_RECORD})${ON_PROMPT_KEPT}`

  if (isFilled(write.callTexts))
    parts['call_texts'] = fenced`
    ${INSERT_CALL_TEXTS}
    SELECT c.id, $1, c.at, c.system, c.system_sha256, c.prompt, c.answer
    FROM ${FENCE}, jsonb_to_recordset(${bind(callTextsRows(write.callTexts))}::jsonb) AS c (${CALL_TEXTS_RECORD})`

  if (isFilled(audit))
    parts['audit'] = fenced`
    ${INSERT_AUDIT}
    SELECT a.id, a.at, a.kind, a.session_id, a.turn_id, a.actor, a.token_name, a.data
    FROM ${FENCE}, jsonb_to_recordset(${bind(auditRows(audit))}::jsonb) AS a (${AUDIT_RECORD})`

  // On behalf of the turn's user.
  if (isFilled(approvals))
    parts['approvals'] = fenced`
    INSERT INTO approvals (id, session_id, turn_id, task_id, user_name, kind, reason, created_at, expires_at, fingerprint)
    SELECT a.id, $1, $4, a."taskId", t.user_name, a.kind, a.reason, a."createdAt", a."expiresAt", a.fingerprint
    FROM ${FENCE}, ${TURN} t, jsonb_to_recordset(${json(approvals)})
      AS a (id text, "taskId" text, kind approval_kind, reason text, "createdAt" timestamptz, "expiresAt" timestamptz,
        fingerprint text)`

  if (isFilled(settledApprovals)) {
    // Actor and token are null: the turn settled them, no user did.
    parts['settled_approvals_audit'] = fenced`
    ${INSERT_AUDIT}
    SELECT a.audit_id, a.at, 'APPROVAL', $1, $4, NULL, NULL, jsonb_build_object('approvalId', a.id, 'taskId', a.task_id,
      'status', a.status, 'scope', NULL, 'note', NULL, 'before', NULL, 'after', NULL) FROM ${SETTLED_APPROVALS} a`
  }

  // As the turn's user.
  if (isFilled(delegations))
    parts['delegations'] = fenced`
    INSERT INTO delegations (id, session_id, turn_id, task_id, user_name, token_name, depth, share, tools, strangers, mode, task,
      expect, message_id, created_at, expires_at)
    SELECT d.id, $1, $4, d."taskId", t.user_name, d."tokenName", d.depth, d.share, d.tools, d.strangers, d.mode,
      d.task, d.expect, d."messageId", d."createdAt", d."expiresAt"
    FROM ${FENCE}, ${TURN} t, jsonb_to_recordset(${json(delegations)})
      AS d (id text, "taskId" text, "tokenName" text, depth int, share float8, tools text[], strangers boolean, mode session_mode, task text,
        expect text, "messageId" text, "createdAt" timestamptz, "expiresAt" timestamptz)`

  // An end that was committed while this waited for the session's lock stands.
  if (isFilled(delegationSteps))
    parts['delegation_steps'] = fenced`
    UPDATE delegations x SET status = d.status, round = d.round, message_id = d."messageId", feedback = d.feedback,
      failure = d.failure, answered = false, answer = CASE d.status WHEN 'PENDING' THEN NULL ELSE x.answer END,
      finished_at = CASE d.status WHEN 'PENDING' THEN NULL ELSE d.at END, closed = d.status = 'DONE'
    FROM ${FENCE}, jsonb_to_recordset(${json(delegationSteps)})
      AS d (id text, status delegation_status, round int, "messageId" text, feedback text, failure text, at timestamptz)
    WHERE x.id = d.id AND x.id = ANY(${bind(delegationSteps.map(({ id }) => id))}::text[]) AND x.session_id = $1
      AND x.status IN ('PENDING', 'RUNNING')`

  // All of it is one update: of two updates of a row in one statement PostgreSQL makes only one. A paraphrase is
  // written once.
  const ended = endedMessages(turn, finish)
  const [only, ...more] = ended
  const rows = messageRows(write.messageTexts, ended)
  if (isFilled(write.messageTexts) || more.length > 0)
    parts['messages'] = fenced`
    UPDATE messages x SET status = coalesce(m.status, x.status), content = coalesce(m.content, x.content),
      paraphrase = coalesce(x.paraphrase, m.paraphrase)
    FROM ${FENCE}, jsonb_to_recordset(${json(rows)}) AS m (id text, status message_status, content text, paraphrase text)
    WHERE x.id = m.id AND x.id = ANY(${bind(rows.map(({ id }) => id))}::text[]) AND x.session_id = $1`
  else if (only !== undefined)
    parts['messages'] = fenced`
    UPDATE messages x SET status = ${bind(only.status)}::message_status FROM ${FENCE} WHERE x.id = ${bind(only.id)}`

  // A turn that waits again is as it was before it joined.
  if (finish !== undefined && isFilled(finish.joined)) {
    const unless = (ended: Sql): Sql => sql`CASE WHEN j.status <> 'QUEUED' THEN ${ended} END`
    parts['joined'] = fenced`
    UPDATE turns x SET status = j.status, step = ${unless(sql`'COMPLETE'::pipeline_step`)},
      joined_into = ${unless(sql`x.joined_into`)}, joined_attempt = ${unless(sql`x.joined_attempt`)},
      failure = ${unless(sql`${bind(finish.failure)}::text`)},
      failure_detail = ${unless(sql`${bind(finish.failureDetail ?? null)}::text`)}, started_at = ${unless(sql`x.started_at`)},
      finished_at = ${unless(sql`${bind(finish.at)}::timestamptz`)}
    FROM ${FENCE}, jsonb_to_recordset(${json(joinedRows(finish.joined))}) AS j (id text, status turn_status)
    WHERE x.id = j.id AND x.joined_into = $4 AND x.status = 'JOINED'`
  }
  return parts
}

function isFilled<T>(list: readonly T[] | undefined): list is readonly T[] {
  return list !== undefined && list.length > 0
}
