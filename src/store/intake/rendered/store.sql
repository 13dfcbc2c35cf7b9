WITH
  input AS NOT MATERIALIZED (
    SELECT
      $1::text AS message_id,
      $2::text AS session_id,
      $3::message_role AS role,
      $4::text AS user_name,
      $5::boolean AS trusted,
      $6::boolean AS mentioned,
      $7::text AS content,
      $8::text AS preview,
      $9::text AS client,
      $10::text AS idempotency_key,
      $11::timestamptz AS created_at,
      $12::timestamptz AS at,
      $13::boolean AS joins,
      $14::text[] AS attachments,
      $15::jsonb AS
    call,
    $16::text AS trace_parent,
    $17::text AS trace_state,
    $18::boolean AS access_all,
    $19::text AS access_user,
    $20::text AS opener,
    $21::text AS opener_token,
    $22::boolean AS must_have_opened
  ),
  -- What came with this key before. Who may no longer reach the session learns nothing of what was sent there.
  prior AS MATERIALIZED (
    SELECT
      m.id,
      (
        m.content = '[erased]'
        AND m.user_name = '[erased]'
      )
      OR (
        (
          m.content = input.content
          OR (
            strpos(m.content, '[REDACTED]') > 0
            AND input.content LIKE replace(regexp_replace(m.content, '([\\%_])', '\\\1', 'g'), '[REDACTED]', '%')
          )
          OR (
            strpos(input.content, '[REDACTED]') > 0
            AND m.content LIKE replace(regexp_replace(input.content, '([\\%_])', '\\\1', 'g'), '[REDACTED]', '%')
          )
        )
        AND m.role = input.role
        AND m.user_name IS NOT DISTINCT FROM input.user_name
        AND m.mentioned = input.mentioned
        AND m.attachments = input.attachments
      ) AS same
    FROM
      input
      JOIN messages m ON m.session_id = input.session_id
      AND m.client = input.client
      AND m.idempotency_key = input.idempotency_key
    WHERE
      (
        input.access_all
        OR EXISTS (
          SELECT
            1
          FROM
            participants reach
          WHERE
            reach.session_id = input.session_id
            AND reach.user_name = input.access_user
        )
      )
  ),
  session AS (
    UPDATE sessions s
    SET
      message_count = s.message_count + 1,
      last_message_preview = input.preview,
      last_activity_at = greatest(s.last_activity_at, input.at),
      last_seq = s.last_seq + 1,
      status = CASE s.status
        WHEN 'INACTIVE' THEN 'IDLE'
        ELSE s.status
      END
    FROM
      input
    WHERE
      s.id = input.session_id
      AND NOT EXISTS (
        SELECT
          1
        FROM
          prior
      )
      AND (
        input.access_all
        OR EXISTS (
          SELECT
            1
          FROM
            participants reach
          WHERE
            reach.session_id = s.id
            AND reach.user_name = input.access_user
        )
      )
      AND (
        NOT input.must_have_opened
        OR coalesce(s.opened_by = input.opener, s.connector = input.opener_token, false)
      )
    RETURNING
      s.last_seq
  ),
  accepted AS (
    SELECT
      last_seq AS seq
    FROM
      session
  ),
  message AS (
    INSERT INTO
      messages (
        id,
        session_id,
        seq,
        role,
        user_name,
        content,
        trusted,
        mentioned,
        status,
        client,
        idempotency_key,
        created_at,
        attachments,
        call,
        trace_parent,
        trace_state
      )
    SELECT
      input.message_id,
      input.session_id,
      accepted.seq,
      input.role,
      input.user_name,
      input.content,
      input.trusted,
      input.mentioned,
      'STORED',
      input.client,
      input.idempotency_key,
      input.created_at,
      input.attachments,
      input.call,
      input.trace_parent,
      input.trace_state
    FROM
      accepted,
      input
  ),
  event AS (
    INSERT INTO
      events (session_id, seq, at, turn_id, type, data)
    SELECT
      input.session_id,
      accepted.seq,
      input.at,
      NULL,
      'MessageReceived',
      jsonb_build_object('messageId', input.message_id)
    FROM
      accepted,
      input
  ),
  participant AS (
    INSERT INTO
      participants (session_id, user_name, joined_at)
    SELECT
      input.session_id,
      input.user_name,
      input.at
    FROM
      accepted,
      input
    WHERE
      input.joins
    ON CONFLICT DO NOTHING
  )
SELECT
  accepted.seq,
  false AS runs,
  prior.id AS prior_id,
  prior.same,
  NULL AS interrupted,
  NULL::jsonb AS begun,
  -- As above. A session that the caller did not open is not that caller's; who opened one never changes.
  CASE
    WHEN accepted.seq IS NOT NULL
    OR prior.id IS NOT NULL THEN NULL
    WHEN NOT EXISTS (
      SELECT
        1
      FROM
        sessions
      WHERE
        id = input.session_id
    ) THEN 'UNSEEN'
    WHEN NOT (
      input.access_all
      OR EXISTS (
        SELECT
          1
        FROM
          participants reach
        WHERE
          reach.session_id = input.session_id
          AND reach.user_name = input.access_user
      )
    ) THEN 'BARRED'
    WHEN EXISTS (
      SELECT
        1
      FROM
        sessions s
      WHERE
        s.id = input.session_id
        AND NOT (
          NOT input.must_have_opened
          OR coalesce(s.opened_by = input.opener, s.connector = input.opener_token, false)
        )
    ) THEN 'NOT_OPENER'
    ELSE 'UNSEEN'
  END AS outcome
FROM
  input
  LEFT JOIN accepted ON true
  LEFT JOIN prior ON true
