WITH
  w_fence AS (
    UPDATE sessions x
    SET
      last_seq = x.last_seq + $5::int,
      model_calls = x.model_calls + $7::int,
      input_tokens = x.input_tokens + $8::bigint,
      output_tokens = x.output_tokens + $9::bigint,
      cached_tokens = x.cached_tokens + $10::bigint,
      cost = coalesce(x.cost + $6::float8, x.cost, $6::float8),
      last_message_preview = CASE
        WHEN encode(sha256(convert_to(x.last_message_preview, 'UTF8')), 'hex') = ANY ($11::text[]) THEN $12::text
        ELSE x.last_message_preview
      END
    WHERE
      x.id = $1
      AND x.owner IS NOT DISTINCT FROM $2::int
      AND x.epoch = $3
    RETURNING
      x.last_seq - $5::int AS base,
      x.turn_count - x.checkpoint_turns AS turns_since,
      x.owner,
      x.busy_policy,
      x.webhook,
      x.webhook_token
  ),
  w_turn AS (
    UPDATE turns x
    SET
      step = coalesce($13::pipeline_step, x.step),
      model_calls = x.model_calls + $7::int,
      input_tokens = x.input_tokens + $8::bigint,
      output_tokens = x.output_tokens + $9::bigint,
      cached_tokens = x.cached_tokens + $10::bigint,
      cost = coalesce(x.cost + $6::float8, x.cost, $6::float8)
    FROM
      w_fence
    WHERE
      x.id = $4
    RETURNING
      x.cancel_requested,
      x.user_name
  ),
  w_events AS (
    INSERT INTO
      events (session_id, seq, at, turn_id, type, data)
    SELECT
      $1,
      f.base + e.n,
      e.at,
      e.turn_id,
      e.type,
      e.data
    FROM
      w_fence f,
      ROWS
    FROM
      (jsonb_to_recordset($14::jsonb) AS (at timestamptz, turn_id text, type text, data jsonb)) WITH ORDINALITY AS e (at, turn_id, type, data, n)
  ),
  w_plans AS (
    INSERT INTO
      plans (id, session_id, turn_id, attempt, goal, replan_reason, rights, secret_names, created_at)
    SELECT
      p.id,
      $1,
      $4,
      p.attempt,
      p.goal,
      p."replanReason",
      p.rights,
      p."secretNames",
      p."createdAt"
    FROM
      w_fence,
      jsonb_to_recordset($15::jsonb) AS p (
        id text,
        attempt int,
        goal text,
        "replanReason" text,
        rights text,
        "secretNames" text[],
        "createdAt" timestamptz
      )
  ),
  w_tasks AS (
    INSERT INTO
      tasks (
        id,
        session_id,
        turn_id,
        plan_id,
        index,
        type,
        detail,
        skill,
        tool,
        args,
        expect,
        round,
        call_id,
        status,
        output,
        stderr,
        truncated,
        exit_code,
        final,
        suppressed,
        review_verdict,
        review_reason,
        started_at,
        finished_at
      )
    SELECT
      p.id,
      $1,
      $4,
      p."planId",
      p.index,
      p.type,
      p.detail,
      p.skill,
      p.tool,
      p.args,
      p.expect,
      p.round,
      p."callId",
      coalesce(p.status, 'PENDING'),
      p.output,
      p.stderr,
      coalesce(p.truncated, false),
      p."exitCode",
      coalesce(p.final, false),
      coalesce(p.suppressed, false),
      p."reviewVerdict",
      p."reviewReason",
      p."startedAt",
      p."finishedAt"
    FROM
      w_fence,
      jsonb_to_recordset($16::jsonb) AS p (
        id text,
        "planId" text,
        index int,
        type task_type,
        detail text,
        skill text,
        tool text,
        args jsonb,
        expect text,
        round int,
        "callId" text,
        status task_status,
        output text,
        stderr text,
        truncated boolean,
        "exitCode" int,
        final boolean,
        suppressed boolean,
        "reviewVerdict" review_verdict,
        "reviewReason" text,
        "startedAt" timestamptz,
        "finishedAt" timestamptz
      )
  ),
  w_patches AS (
    UPDATE tasks x
    SET
      status = coalesce(p.status, x.status),
      output = coalesce(p.output, x.output),
      stderr = coalesce(p.stderr, x.stderr),
      truncated = coalesce(p.truncated, x.truncated),
      exit_code = coalesce(p."exitCode", x.exit_code),
      final = coalesce(p.final, x.final),
      suppressed = coalesce(p.suppressed, x.suppressed),
      review_verdict = coalesce(p."reviewVerdict", x.review_verdict),
      review_reason = coalesce(p."reviewReason", x.review_reason),
      started_at = coalesce(p."startedAt", x.started_at),
      finished_at = coalesce(p."finishedAt", x.finished_at)
    FROM
      w_fence,
      jsonb_to_recordset($17::jsonb) AS p (
        id text,
        status task_status,
        output text,
        stderr text,
        truncated boolean,
        "exitCode" int,
        final boolean,
        suppressed boolean,
        "reviewVerdict" review_verdict,
        "reviewReason" text,
        "startedAt" timestamptz,
        "finishedAt" timestamptz
      )
    WHERE
      x.id = p.id
      AND x.id IN ($18)
  ),
  w_deltas AS (
    DELETE FROM events x USING w_fence
    WHERE
      x.session_id = $1
      AND x.seq > $19
      AND x.type IN ('TextDelta', 'Thinking')
      AND coalesce(x.data ->> 'taskId', x.data ->> 'thinkingId') = ANY ($20::text[])
      AND x.data ->> 'content' IS NULL
  ),
  w_learnings AS (
    INSERT INTO
      learnings (
        id,
        session_id,
        turn_id,
        task_id,
        user_name,
        content,
        norm,
        created_at,
        source,
        status,
        held,
        flags,
        reason,
        repeats_fact_id,
        repeats_learning_id,
        similar_fact_ids,
        scope,
        scope_of
      )
    SELECT
      l.id,
      $1,
      $4,
      l."taskId",
      t.user_name,
      l.content,
      l.norm,
      l."createdAt",
      e.source,
      e.status,
      e.held,
      e.flags,
      e.reason,
      (
        SELECT
          f.id
        FROM
          facts f
        WHERE
          f.id = e."repeatsFactId"
      ),
      (
        SELECT
          o.id
        FROM
          learnings o
        WHERE
          o.id = e."repeatsLearningId"
      ),
      e."similarFactIds",
      e.scope,
      coalesce(e."scopeOf", '')
    FROM
      w_turn t,
      jsonb_to_recordset($21::jsonb) AS l (id text, "taskId" text, content text, norm text, "createdAt" timestamptz, entry jsonb),
      jsonb_to_record(l.entry) AS e (
        source learning_source,
        status learning_status,
        held boolean,
        flags learning_flag[],
        reason text,
        "repeatsFactId" text,
        "repeatsLearningId" text,
        "similarFactIds" text[],
        scope fact_scope,
        "scopeOf" text
      )
    ON CONFLICT (task_id) DO NOTHING
  ),
  w_facts_shown AS (
    INSERT INTO
      turn_facts AS x (turn_id, session_id, fact_ids)
    SELECT
      $4,
      $1,
      array_agg(
        f.id
        ORDER BY
          f.id
      )
    FROM
      w_fence,
      facts f
    WHERE
      f.id = ANY ($22::text[])
    HAVING
      count(*) > 0
    ON CONFLICT (turn_id) DO UPDATE
    SET
      fact_ids = ARRAY(
        SELECT DISTINCT
          id
        FROM
          unnest(x.fact_ids || excluded.fact_ids) id
        ORDER BY
          id
      )
    WHERE
      NOT x.fact_ids @> excluded.fact_ids
  ),
  w_facts_used AS (
    INSERT INTO
      fact_uses (fact_id, turn_id, session_id)
    SELECT
      f.id,
      $4,
      $1
    FROM
      w_fence,
      facts f
    WHERE
      f.id = ANY ($23::text[])
    ON CONFLICT DO NOTHING
  ),
  w_askings AS (
    INSERT INTO
      question_askings (question_id, session_id)
    SELECT
      q.id,
      $1
    FROM
      w_fence,
      questions q
    WHERE
      q.id = ANY ($24::text[])
      AND q.session_id IS NULL
    ON CONFLICT DO NOTHING
  ),
  w_answerable_learnings AS (
    SELECT
      x.id
    FROM
      w_fence,
      learnings x
    WHERE
      x.question_id = ANY ($25::text[])
      AND x.status = 'ASKED'
    ORDER BY
      x.id
    FOR UPDATE OF
      x
  ),
  w_answerable AS (
    SELECT
      x.id
    FROM
      w_fence,
      questions x
    WHERE
      x.id = ANY ($25::text[])
      AND (
        SELECT
          count(*)
        FROM
          w_answerable_learnings
      ) >= 0
    ORDER BY
      x.id
    FOR UPDATE OF
      x
  ),
  w_answers AS (
    UPDATE questions x
    SET
      status = 'RESOLVED',
      answer = a.answer,
      resolved_by = t.user_name,
      resolved_at = a.at
    FROM
      w_turn t,
      w_answerable o,
      jsonb_to_recordset($26::jsonb) AS a (
        "questionId" text,
        answer text,
        "byAdmin" boolean,
        learning jsonb,
        at timestamptz,
        "changeId" text,
        "auditIds" text[]
      )
    WHERE
      x.id = a."questionId"
      AND o.id = x.id
      AND (
        SELECT
          count(*)
        FROM
          w_answerable
      ) > 0
      AND x.status = 'OPEN'
      AND (
        x.session_id = $1
        OR (
          x.session_id IS NULL
          AND (
            a."byAdmin"
            OR EXISTS (
              SELECT
              FROM
                question_askings p
              WHERE
                p.question_id = x.id
                AND p.session_id = $1
            )
          )
        )
      )
    RETURNING
      x.id,
      a.at,
      a."changeId",
      a."auditIds",
      a.learning,
      t.user_name
  ),
  w_answered_learnings AS (
    UPDATE learnings x
    SET
      status = 'ANSWERED',
      held = false,
      decided_by = q.user_name,
      decided_at = q.at,
      change_id = q."changeId"
    FROM
      w_answers q
    WHERE
      x.question_id = q.id
      AND x.status = 'ASKED'
  ),
  w_answer_learnings AS (
    INSERT INTO
      learnings (
        id,
        session_id,
        turn_id,
        user_name,
        content,
        norm,
        created_at,
        source,
        status,
        held,
        flags,
        reason,
        repeats_fact_id,
        repeats_learning_id,
        similar_fact_ids,
        scope,
        scope_of
      )
    SELECT
      l.id,
      $1,
      $4,
      q.user_name,
      l.content,
      l.norm,
      q.at,
      e.source,
      e.status,
      e.held,
      e.flags,
      e.reason,
      (
        SELECT
          f.id
        FROM
          facts f
        WHERE
          f.id = e."repeatsFactId"
      ),
      (
        SELECT
          o.id
        FROM
          learnings o
        WHERE
          o.id = e."repeatsLearningId"
      ),
      e."similarFactIds",
      e.scope,
      coalesce(e."scopeOf", '')
    FROM
      w_answers q,
      jsonb_to_record(q.learning) AS l (id text, content text, norm text, entry jsonb),
      jsonb_to_record(l.entry) AS e (
        source learning_source,
        status learning_status,
        held boolean,
        flags learning_flag[],
        reason text,
        "repeatsFactId" text,
        "repeatsLearningId" text,
        "similarFactIds" text[],
        scope fact_scope,
        "scopeOf" text
      )
    WHERE
      jsonb_typeof(q.learning) = 'object'
  ),
  w_answers_audit AS (
    INSERT INTO
      audit_entries (id, at, kind, session_id, turn_id, actor, data)
    SELECT
      q."auditIds" [1],
      q.at,
      'KNOWLEDGE',
      $1,
      $4,
      q.user_name,
      jsonb_build_object('subjectId', q.id, 'change', 'RESOLVED', 'reason', NULL)
    FROM
      w_answers q
  ),
  w_curation_jobs AS (
    INSERT INTO
      curation_jobs (session_id, ready_at)
    SELECT
      $1,
      now() + min(d.pause)
    FROM
      w_fence,
      (
        SELECT
          interval '1 minute' AS pause
      ) d
    HAVING
      count(*) > 0
    ON CONFLICT (session_id) DO UPDATE
    SET
      failures = 0,
      run_id = NULL,
      ready_at = least(curation_jobs.ready_at, excluded.ready_at)
  ),
  w_deliveries AS (
    INSERT INTO
      deliveries (id, session_id, task_id, url, token_name, final, created_at, next_attempt_at)
    SELECT
      d.id,
      $1,
      d."taskId",
      f.webhook,
      f.webhook_token,
      d.final,
      d."createdAt",
      now()
    FROM
      w_fence f,
      jsonb_to_recordset($27::jsonb) AS d (id text, "taskId" text, final boolean, "createdAt" timestamptz)
    WHERE
      f.webhook IS NOT NULL
  ),
  w_files AS (
    INSERT INTO
      published_files (id, session_id, task_id, name, size, content_type, user_name, created_at, expires_at)
    SELECT
      p.id,
      $1,
      p."taskId",
      p.name,
      p.size,
      p."contentType",
      p."userName",
      p."createdAt",
      p."expiresAt"
    FROM
      w_fence,
      jsonb_to_recordset($28::jsonb) AS p (
        id text,
        "taskId" text,
        name text,
        size bigint,
        "contentType" text,
        "userName" text,
        "createdAt" timestamptz,
        "expiresAt" timestamptz
      )
  ),
  w_prompts AS (
    INSERT INTO
      system_prompts (sha256, text, used_at)
    SELECT
      decode(p.sha256, 'hex'),
      p.text,
      now()
    FROM
      w_fence,
      jsonb_to_recordset($29::jsonb) AS p (sha256 text, text text)
    ORDER BY
      p.sha256
    ON CONFLICT (sha256) DO UPDATE
    SET
      used_at = excluded.used_at
  ),
  w_call_texts AS (
    INSERT INTO
      model_call_texts (id, session_id, at, system, system_sha256, prompt, answer)
    SELECT
      c.id,
      $1,
      c.at,
      c.system,
      c.system_sha256,
      c.prompt,
      c.answer
    FROM
      w_fence,
      jsonb_to_recordset($30::jsonb) AS c (id text, at timestamptz, system text, system_sha256 bytea, prompt text, answer text)
  ),
  w_audit AS (
    INSERT INTO
      audit_entries (id, at, kind, session_id, turn_id, actor, token_name, data)
    SELECT
      a.id,
      a.at,
      a.kind,
      a.session_id,
      a.turn_id,
      a.actor,
      a.token_name,
      a.data
    FROM
      w_fence,
      jsonb_to_recordset($31::jsonb) AS a (
        id text,
        at timestamptz,
        kind audit_kind,
        session_id text,
        turn_id text,
        actor text,
        token_name text,
        data jsonb
      )
  ),
  w_messages AS (
    UPDATE messages x
    SET
      status = coalesce(m.status, x.status),
      content = coalesce(m.content, x.content),
      paraphrase = coalesce(x.paraphrase, m.paraphrase)
    FROM
      w_fence,
      jsonb_to_recordset($32::jsonb) AS m (id text, status message_status, content text, paraphrase text)
    WHERE
      x.id = m.id
      AND x.id = ANY ($33::text[])
      AND x.session_id = $1
  )
SELECT
  f.base,
  f.turns_since,
  f.owner IS NULL AS released,
  f.busy_policy,
  f.webhook IS NOT NULL AS has_webhook,
  t.cancel_requested,
  EXISTS (
    SELECT
      1
    FROM
      participants p
    WHERE
      p.session_id = $1
      AND p.user_name = t.user_name
  ) AS participates
FROM
  w_fence f,
  w_turn t
