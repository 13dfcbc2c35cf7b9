WITH
  w_fence AS (
    UPDATE sessions x
    SET
      last_seq = x.last_seq + $5::int
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
      step = coalesce($6::pipeline_step, x.step),
      failure = $7::text,
      failure_detail = $8::text
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
      (jsonb_to_recordset($9::jsonb) AS (at timestamptz, turn_id text, type text, data jsonb)) WITH ORDINALITY AS e (at, turn_id, type, data, n)
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
