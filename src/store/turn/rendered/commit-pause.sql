WITH
  w_fence AS (
    UPDATE sessions x
    SET
      last_seq = x.last_seq + $5::int,
      owner = NULL,
      turn_user = NULL,
      status = 'AWAITING_APPROVAL',
      open_approvals = x.open_approvals + $7::int,
      ready_at = CASE
        WHEN x.open_approvals + $7::int > 0 THEN $6::timestamptz
        ELSE now()
      END,
      provider_state = $8::jsonb
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
      step = coalesce($9::pipeline_step, x.step),
      plugin_work = $10::jsonb,
      takeovers = x.takeovers + 1,
      paused_at = $11::timestamptz,
      paused_reason = $12::text,
      status = 'AWAITING_APPROVAL'
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
      (jsonb_to_recordset($13::jsonb) AS (at timestamptz, turn_id text, type text, data jsonb)) WITH ORDINALITY AS e (at, turn_id, type, data, n)
  ),
  w_approvals AS (
    INSERT INTO
      approvals (id, session_id, turn_id, task_id, user_name, kind, reason, created_at, expires_at, fingerprint)
    SELECT
      a.id,
      $1,
      $4,
      a."taskId",
      t.user_name,
      a.kind,
      a.reason,
      a."createdAt",
      a."expiresAt",
      a.fingerprint
    FROM
      w_fence,
      w_turn t,
      jsonb_to_recordset($14::jsonb) AS a (
        id text,
        "taskId" text,
        kind approval_kind,
        reason text,
        "createdAt" timestamptz,
        "expiresAt" timestamptz,
        fingerprint text
      )
  ),
  w_delegations AS (
    INSERT INTO
      delegations (
        id,
        session_id,
        turn_id,
        task_id,
        user_name,
        token_name,
        depth,
        share,
        tools,
        strangers,
        mode,
        task,
        expect,
        message_id,
        created_at,
        expires_at
      )
    SELECT
      d.id,
      $1,
      $4,
      d."taskId",
      t.user_name,
      d."tokenName",
      d.depth,
      d.share,
      d.tools,
      d.strangers,
      d.mode,
      d.task,
      d.expect,
      d."messageId",
      d."createdAt",
      d."expiresAt"
    FROM
      w_fence,
      w_turn t,
      jsonb_to_recordset($15::jsonb) AS d (
        id text,
        "taskId" text,
        "tokenName" text,
        depth int,
        share float8,
        tools text[],
        strangers boolean,
        mode session_mode,
        task text,
        expect text,
        "messageId" text,
        "createdAt" timestamptz,
        "expiresAt" timestamptz
      )
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
