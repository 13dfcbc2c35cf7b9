WITH
  w_fence AS (
    UPDATE sessions x
    SET
      last_seq = x.last_seq + $5::int,
      turn_count = x.turn_count + 1,
      last_activity_at = $7::timestamptz,
      status = CASE
        WHEN x.queue_length + $6::int > 0
        AND coalesce(x.ready_at <= now(), true) THEN 'RUNNING'
        ELSE 'IDLE'
      END::session_status,
      owner = CASE
        WHEN x.queue_length + $6::int > 0
        AND coalesce(x.ready_at <= now(), true) THEN x.owner
      END,
      turn_user = CASE
        WHEN x.queue_length + $6::int > 0
        AND coalesce(x.ready_at <= now(), true) THEN x.turn_user
      END,
      ready_at = CASE
        WHEN x.queue_length + $6::int > 0 THEN coalesce(x.ready_at, now())
      END,
      queue_length = x.queue_length + $6::int,
      open_approvals = 0,
      summary = CASE
        WHEN x.summary_seq = $8::int THEN $9::text
        ELSE x.summary
      END,
      summary_seq = CASE
        WHEN x.summary_seq = $8::int THEN $10::int
        ELSE x.summary_seq
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
      step = coalesce($11::pipeline_step, x.step),
      status = $12::turn_status,
      failure = $13::text,
      failure_detail = $14::text,
      finished_at = $15::timestamptz
    FROM
      w_fence
    WHERE
      x.id = $4
    RETURNING
      x.cancel_requested,
      x.user_name
  ),
  w_settled_approvals AS (
    UPDATE approvals x
    SET
      status = a.status,
      decided_at = a.at
    FROM
      w_fence,
      jsonb_to_recordset($16::jsonb) AS a (id text, status approval_status, at timestamptz, "auditIds" text[])
    WHERE
      x.id = a.id
      AND x.id = ANY ($17::text[])
      AND x.status = 'PENDING'
    RETURNING
      x.id,
      x.task_id,
      x.status,
      a.at,
      a."auditIds" [1] AS audit_id
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
      (jsonb_to_recordset($18::jsonb) AS (at timestamptz, turn_id text, type text, data jsonb)) WITH ORDINALITY AS e (at, turn_id, type, data, n)
    WHERE
      e.data ->> 'approvalId' IS NULL
      OR e.data ->> 'approvalId' <> ALL ($19::text[])
      OR EXISTS (
        SELECT
          1
        FROM
          w_settled_approvals a
        WHERE
          a.id = e.data ->> 'approvalId'
      )
  ),
  w_activity AS (
    DELETE FROM events x USING w_fence
    WHERE
      x.session_id = $1
      AND x.seq > $20
      AND x.turn_id = $4
      AND x.type IN ('Thinking', 'TaskProgress')
      AND NOT EXISTS (
        SELECT
          1
        FROM
          plugins p
        WHERE
          p.enabled
          AND p.manifest -> 'keeps' ? CASE x.type
            WHEN 'Thinking' THEN 'thinking'
            ELSE 'task_progress'
          END
      )
  ),
  w_judged AS (
    SELECT
      x.id AS learning_id,
      coalesce(x.scope, 'SESSION') AS scope,
      CASE
        WHEN x.scope IS NULL THEN x.session_id
        ELSE x.scope_of
      END AS scope_of,
      c.*
    FROM
      w_fence,
      learnings x,
      jsonb_to_recordset($21::jsonb) AS c (
        "learningId" text,
        by text,
        status learning_status,
        reason text,
        at timestamptz,
        fact jsonb,
        question jsonb,
        "isRetry" boolean,
        flags learning_flag[],
        "repeatsFactId" text,
        "repeatsLearningId" text,
        "questionId" text,
        replaces jsonb,
        "changeId" text,
        "auditIds" text[]
      )
    WHERE
      x.id = c."learningId"
      AND x.session_id = $1
      AND x.status = 'PENDING'
      AND NOT x.held
    ORDER BY
      x.id
    FOR UPDATE OF
      x
  ),
  w_replaceable AS (
    SELECT
      f.id,
      f.version,
      f.content,
      f.norm,
      jsonb_build_object(
        'content',
        f.content,
        'norm',
        f.norm,
        'invalidatedAt',
        f.invalidated_at,
        'replacedById',
        f.replaced_by_id,
        'validFrom',
        f.valid_from,
        'validTo',
        f.valid_to,
        'scope',
        f.scope,
        'scopeOf',
        f.scope_of
      ) AS state
    FROM
      w_judged c,
      facts f
    WHERE
      f.id = c.replaces ->> 'factId'
      AND f.version = (c.replaces ->> 'version')::int
      AND f.invalidated_at IS NULL
      AND NOT f.pinned
      AND c.status = 'PROMOTED'
    ORDER BY
      f.id
    FOR UPDATE OF
      f
  ),
  w_made AS (
    INSERT INTO
      facts (id, content, norm, source, scope, scope_of, session_id, valid_from, created_at, updated_at)
    SELECT
      c.fact ->> 'id',
      c.fact ->> 'content',
      c.fact ->> 'norm',
      'CURATOR',
      c.scope,
      c.scope_of,
      $1,
      CASE
        WHEN jsonb_typeof(c.replaces) = 'object' THEN c.at
      END,
      c.at,
      c.at
    FROM
      w_judged c
    WHERE
      jsonb_typeof(c.fact) = 'object'
      AND (
        jsonb_typeof(c.replaces) IS DISTINCT FROM 'object'
        OR EXISTS (
          SELECT
          FROM
            w_replaceable r
          WHERE
            r.id = c.replaces ->> 'factId'
        )
      )
    ORDER BY
      c.fact ->> 'norm'
    ON CONFLICT DO NOTHING
    RETURNING
      id
  ),
  w_joinable AS (
    SELECT
      o.id
    FROM
      (
        SELECT
          q.id
        FROM
          w_judged c,
          questions q
        WHERE
          q.id = c."questionId"
          AND q.status = 'OPEN'
        ORDER BY
          q.id
        FOR SHARE OF
          q
      ) o
    UNION ALL
    SELECT
      c.question ->> 'id'
    FROM
      w_judged c
    WHERE
      jsonb_typeof(c.question) = 'object'
  ),
  w_curated AS (
    UPDATE learnings x
    SET
      status = c.status,
      reason = c.reason,
      held = c.status = 'PENDING'
      AND (
        NOT c."isRetry"
        OR x.tries + 1 >= 3
      ),
      tries = x.tries + c."isRetry"::int,
      flags = CASE
        WHEN c."isRetry"
        AND x.tries + 1 < 3 THEN x.flags
        ELSE x.flags || c.flags
      END,
      decided_by = CASE
        WHEN c.status <> 'PENDING' THEN c.by
      END,
      decided_at = CASE
        WHEN c.status <> 'PENDING' THEN c.at
      END,
      change_id = c."changeId",
      fact_id = c.fact ->> 'id',
      question_id = coalesce(c."questionId", c.question ->> 'id'),
      repeats_fact_id = (
        SELECT
          f.id
        FROM
          facts f
        WHERE
          f.id = c."repeatsFactId"
      ),
      repeats_learning_id = (
        SELECT
          o.id
        FROM
          learnings o
        WHERE
          o.id = c."repeatsLearningId"
      ),
      replaces_fact_id = (
        SELECT
          f.id
        FROM
          facts f
        WHERE
          f.id = c.replaces ->> 'factId'
      )
    FROM
      w_judged c
    WHERE
      x.id = c.learning_id
      AND (
        jsonb_typeof(c.fact) IS DISTINCT FROM 'object'
        OR EXISTS (
          SELECT
          FROM
            w_made m
          WHERE
            m.id = c.fact ->> 'id'
        )
      )
      AND (
        c."questionId" IS NULL
        OR EXISTS (
          SELECT
          FROM
            w_joinable q
          WHERE
            q.id = c."questionId"
        )
      )
    RETURNING
      x.id,
      x.status,
      x.held,
      x.reason,
      c.at,
      c.by,
      c.fact,
      c.question,
      c.replaces,
      c."changeId",
      c."auditIds"
  ),
  w_replaced AS (
    UPDATE facts f
    SET
      version = f.version + 1,
      invalidated_at = c.at,
      valid_to = c.at,
      replaced_by_id = c.fact ->> 'id',
      updated_at = c.at
    FROM
      w_curated c
    WHERE
      f.id = c.replaces ->> 'factId'
      AND jsonb_typeof(c.fact) = 'object'
  ),
  w_fact_versions AS (
    INSERT INTO
      fact_versions (fact_id, version, content, norm, change, changed_by, reason, at, change_id, before)
    SELECT
      c.fact ->> 'id',
      1,
      c.fact ->> 'content',
      c.fact ->> 'norm',
      'CREATED'::fact_change,
      c.by,
      NULL,
      c.at,
      c."changeId",
      NULL
    FROM
      w_curated c
    WHERE
      jsonb_typeof(c.fact) = 'object'
    UNION ALL
    SELECT
      r.id,
      r.version + 1,
      r.content,
      r.norm,
      'REPLACED',
      c.by,
      'replaced by ' || (c.fact ->> 'id'),
      c.at,
      c."changeId",
      r.state
    FROM
      w_curated c,
      w_replaceable r
    WHERE
      r.id = c.replaces ->> 'factId'
      AND jsonb_typeof(c.fact) = 'object'
  ),
  w_questions AS (
    INSERT INTO
      questions (id, content, norm, session_id, source, fact_ids, created_at)
    SELECT
      c.question ->> 'id',
      c.question ->> 'content',
      c.question ->> 'norm',
      $1,
      'CURATOR',
      ARRAY(
        SELECT
          jsonb_array_elements_text(c.question -> 'factIds')
      ),
      c.at
    FROM
      w_curated c
    WHERE
      jsonb_typeof(c.question) = 'object'
  ),
  w_curated_audit AS (
    INSERT INTO
      audit_entries (id, at, kind, session_id, turn_id, actor, data)
    SELECT
      a.id,
      c.at,
      'KNOWLEDGE',
      $1,
      $4,
      c.by,
      jsonb_build_object('subjectId', a.subject, 'change', a.change, 'reason', c.reason)
    FROM
      w_curated c,
      LATERAL (
        VALUES
          (
            c."auditIds" [1],
            CASE
              WHEN c.status <> 'PENDING'
              OR c.held THEN c.id
            END,
            CASE c.status
              WHEN 'PENDING' THEN 'HELD'
              ELSE c.status::text
            END
          ),
          (c."auditIds" [2], c.fact ->> 'id', 'CREATED'),
          (c."auditIds" [2], c.question ->> 'id', 'OPEN'),
          (
            c."auditIds" [3],
            CASE
              WHEN jsonb_typeof(c.fact) = 'object' THEN c.replaces ->> 'factId'
            END,
            'REPLACED'
          )
      ) AS a (id, subject, change)
    WHERE
      a.subject IS NOT NULL
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
        UNION ALL
        SELECT
          CASE
            WHEN c."isRetry" THEN interval '1 minute'
            ELSE interval '0'
          END AS pause
        FROM
          w_judged c
        WHERE
          c."isRetry"
          OR (
            jsonb_typeof(c.fact) = 'object'
            AND NOT EXISTS (
              SELECT
              FROM
                w_made m
              WHERE
                m.id = c.fact ->> 'id'
            )
          )
          OR NOT (
            c."questionId" IS NULL
            OR EXISTS (
              SELECT
              FROM
                w_joinable q
              WHERE
                q.id = c."questionId"
            )
          )
      ) d
    HAVING
      count(*) > 0
    ON CONFLICT (session_id) DO UPDATE
    SET
      failures = 0,
      run_id = NULL,
      ready_at = least(curation_jobs.ready_at, excluded.ready_at)
  ),
  w_settled_approvals_audit AS (
    INSERT INTO
      audit_entries (id, at, kind, session_id, turn_id, actor, token_name, data)
    SELECT
      a.audit_id,
      a.at,
      'APPROVAL',
      $1,
      $4,
      NULL,
      NULL,
      jsonb_build_object(
        'approvalId',
        a.id,
        'taskId',
        a.task_id,
        'status',
        a.status,
        'scope',
        NULL,
        'note',
        NULL,
        'before',
        NULL,
        'after',
        NULL
      )
    FROM
      w_settled_approvals a
  ),
  w_delegation_steps AS (
    UPDATE delegations x
    SET
      status = d.status,
      round = d.round,
      message_id = d."messageId",
      feedback = d.feedback,
      failure = d.failure,
      answered = false,
      answer = CASE d.status
        WHEN 'PENDING' THEN NULL
        ELSE x.answer
      END,
      finished_at = CASE d.status
        WHEN 'PENDING' THEN NULL
        ELSE d.at
      END,
      closed = d.status = 'DONE'
    FROM
      w_fence,
      jsonb_to_recordset($22::jsonb) AS d (id text, status delegation_status, round int, "messageId" text, feedback text, failure text, at timestamptz)
    WHERE
      x.id = d.id
      AND x.id = ANY ($23::text[])
      AND x.session_id = $1
      AND x.status IN ('PENDING', 'RUNNING')
  ),
  w_messages AS (
    UPDATE messages x
    SET
      status = coalesce(m.status, x.status),
      content = coalesce(m.content, x.content),
      paraphrase = coalesce(x.paraphrase, m.paraphrase)
    FROM
      w_fence,
      jsonb_to_recordset($24::jsonb) AS m (id text, status message_status, content text, paraphrase text)
    WHERE
      x.id = m.id
      AND x.id = ANY ($25::text[])
      AND x.session_id = $1
  ),
  w_joined AS (
    UPDATE turns x
    SET
      status = j.status,
      step = CASE
        WHEN j.status <> 'QUEUED' THEN 'COMPLETE'::pipeline_step
      END,
      joined_into = CASE
        WHEN j.status <> 'QUEUED' THEN x.joined_into
      END,
      joined_attempt = CASE
        WHEN j.status <> 'QUEUED' THEN x.joined_attempt
      END,
      failure = CASE
        WHEN j.status <> 'QUEUED' THEN $26::text
      END,
      failure_detail = CASE
        WHEN j.status <> 'QUEUED' THEN $27::text
      END,
      started_at = CASE
        WHEN j.status <> 'QUEUED' THEN x.started_at
      END,
      finished_at = CASE
        WHEN j.status <> 'QUEUED' THEN $28::timestamptz
      END
    FROM
      w_fence,
      jsonb_to_recordset($29::jsonb) AS j (id text, status turn_status)
    WHERE
      x.id = j.id
      AND x.joined_into = $4
      AND x.status = 'JOINED'
  )
SELECT
  f.base,
  f.turns_since,
  ARRAY(
    SELECT
      a.id
    FROM
      w_settled_approvals a
  ) AS settled,
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
