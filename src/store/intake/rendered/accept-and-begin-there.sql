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
    $20::text AS source_kind,
    $21::boolean AS source_interactive,
    $22::text AS source_platform,
    $23::text AS source_trigger_id,
    $24::conversation_type AS source_type,
    $25::text AS turn_id,
    $26::boolean AS runs_direct,
    $27::boolean AS runs_in_group,
    $28::int AS max_queued,
    $29::int AS collect_window_ms,
    $30::text AS interrupts,
    $31::text AS opened_by,
    $32::text AS description,
    $33::text AS time_zone,
    $34::text AS retry_of,
    $35::session_mode AS mode,
    $36::session_mode AS opening_mode,
    $37::int AS max_sessions,
    $38::text AS audit_id,
    $39::text AS audit_actor,
    $40::text AS audit_token,
    $41::int AS node,
    $42::int AS summarize_threshold,
    $43::int AS share,
    $44::int AS held_seq,
    $45::text AS held_turn
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
  place AS MATERIALIZED (
    SELECT
      EXISTS (
        SELECT
          1
        FROM
          nodes n
        WHERE
          n.id = input.node
          AND n.evicted_at IS NULL
      )
      AND NOT EXISTS (
        SELECT
          1
        FROM
          sessions o
        WHERE
          o.turn_user = input.user_name
          AND o.owner IS NULL
          AND o.ready_at < now()
      )
      AND free_turns (input.user_name, input.share, false) > 0 AS free
    FROM
      input
  ),
  session AS (
    UPDATE sessions AS s
    SET
      (
        message_count,
        last_message_preview,
        last_activity_at,
        last_seq,
        queue_length,
        epoch,
        owner,
        status,
        ready_at,
        turn_user,
        time_zone
      ) = (
        SELECT
          s.message_count + 1 AS message_count,
          input.preview AS last_message_preview,
          greatest(s.last_activity_at, input.at) AS last_activity_at,
          s.last_seq + 1 + turn.begins::int AS last_seq,
          s.queue_length + (
            turn.runs
            AND NOT turn.begins
          )::int AS queue_length,
          s.epoch + turn.begins::int AS epoch,
          CASE
            WHEN turn.begins THEN input.node
            ELSE s.owner
          END AS owner,
          -- Whatever comes into an inactive session wakes it.
          CASE
            WHEN turn.begins THEN 'RUNNING'
            WHEN s.status = 'INACTIVE' THEN 'IDLE'
            ELSE s.status
          END AS status,
          -- At once, unless it waits for others of its kind. A later time is never brought forward.
          CASE
            WHEN NOT turn.runs THEN s.ready_at
            WHEN input.collect_window_ms = 0 THEN coalesce(s.ready_at, now())
            ELSE greatest(s.ready_at, now() + input.collect_window_ms * interval '1 millisecond')
          END AS ready_at,
          -- Known when this turn is the next, and ready at once.
          CASE
            WHEN turn.runs
            AND s.owner IS NULL
            AND s.ready_at IS NULL
            AND input.collect_window_ms = 0 THEN input.user_name
            ELSE s.turn_user
          END AS turn_user,
          coalesce(input.time_zone, s.time_zone) AS time_zone
          -- OFFSET 0: found out once, and not anew for each column that reads it.
        FROM
          input,
          LATERAL (
            SELECT
              CASE s.source_type
                WHEN 'GROUP' THEN input.runs_in_group
                ELSE input.runs_direct
              END AS runs,
              (
                CASE s.source_type
                  WHEN 'GROUP' THEN input.runs_in_group
                  ELSE input.runs_direct
                END
                AND s.owner IS NULL
                AND s.ready_at IS NULL
                AND s.queue_length = 0
                AND s.status IN ('IDLE', 'INACTIVE')
                AND s.xmin = (
                  SELECT
                    seen.xmin
                  FROM
                    sessions seen
                  WHERE
                    seen.id = input.session_id
                )
                AND (
                  SELECT
                    free
                  FROM
                    place
                )
              ) IS TRUE AS begins
            OFFSET
              0
          ) turn
      )
    WHERE
      s.id = (
        SELECT
          session_id
        FROM
          input
      )
      AND NOT EXISTS (
        SELECT
          1
        FROM
          prior
      )
      AND (
        SELECT
          (
            NOT CASE s.source_type
              WHEN 'GROUP' THEN input.runs_in_group
              ELSE input.runs_direct
            END
            OR s.queue_length < input.max_queued
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
        FROM
          input
      )
    RETURNING
      s.last_seq,
      s.queue_length,
      s.epoch,
      s.source_type,
      s.busy_policy,
      s.time_zone,
      s.mode
  ),
  -- Taken: the turn has begun. Then the message does not wait, and the event RECEIVED comes right after its own.
  accepted AS (
    SELECT
      session.last_seq - begun.taken::int AS seq,
      turn.runs,
      begun.taken,
      session.epoch,
      session.source_type,
      session.busy_policy,
      session.time_zone,
      session.mode
    FROM
      session,
      input,
      LATERAL (
        SELECT
          CASE session.source_type
            WHEN 'GROUP' THEN input.runs_in_group
            ELSE input.runs_direct
          END AS runs
      ) turn,
      LATERAL (
        SELECT
          turn.runs
          AND session.queue_length = 0 AS taken
      ) begun
  ),
  -- A message that is directed at the agent cancels the running turn, where policy and sender are such; the function
  -- sees the turn as it is under the lock that "session" holds.
  interrupted AS MATERIALIZED (
    SELECT
      interrupt_turn (input.session_id, input.user_name, input.interrupts = 'ALL') AS turn_id
    FROM
      accepted,
      input
    WHERE
      accepted.runs
      AND NOT accepted.taken
      AND input.interrupts <> 'NONE'
      AND accepted.busy_policy = 'INTERRUPT'
      AND (
        accepted.source_type <> 'GROUP'
        OR input.mentioned
      )
  ),
  audit AS (
    INSERT INTO
      audit_entries (id, at, kind, session_id, turn_id, actor, token_name, data)
    SELECT
      input.audit_id,
      input.at,
      'SESSION',
      input.session_id,
      CASE
        WHEN input.retry_of IS NULL THEN interrupted.turn_id
        ELSE input.turn_id
      END,
      input.audit_actor,
      input.audit_token,
      CASE
        WHEN accepted.seq = 1 THEN '{"change": "OPENED", "detail": null}'
        WHEN input.retry_of IS NULL THEN '{"change": "TURN_CANCELLED", "detail": null}'
        ELSE jsonb_build_object('change', 'TURN_RETRIED', 'detail', concat_ws(', cancelled: ', input.retry_of, interrupted.turn_id))
      END
    FROM
      accepted
      CROSS JOIN input
      LEFT JOIN interrupted ON true
    WHERE
      accepted.seq = 1
      OR interrupted.turn_id IS NOT NULL
      OR input.retry_of IS NOT NULL
  ),
  turn AS (
    INSERT INTO
      turns (id, session_id, seq, message_id, retry_of, user_name, mode, created_at, status, step, started_at)
    SELECT
      input.turn_id,
      input.session_id,
      accepted.seq,
      input.message_id,
      input.retry_of,
      input.user_name,
      coalesce(input.mode, accepted.mode),
      input.at,
      CASE
        WHEN accepted.taken THEN 'RUNNING'
        ELSE 'QUEUED'
      END::turn_status,
      CASE
        WHEN accepted.taken THEN 'RECEIVED'
      END::pipeline_step,
      CASE
        WHEN accepted.taken THEN input.at
      END
    FROM
      accepted,
      input
    WHERE
      accepted.runs
  ),
  received AS (
    INSERT INTO
      events (session_id, seq, at, turn_id, type, data)
    SELECT
      input.session_id,
      accepted.seq + 1,
      input.at,
      input.turn_id,
      'PipelineStep',
      '{"step": "RECEIVED", "detail": null}'
    FROM
      accepted,
      input
    WHERE
      accepted.taken
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
      CASE
        WHEN accepted.taken THEN 'PROCESSING'
        WHEN accepted.runs THEN 'QUEUED'
        ELSE 'STORED'
      END::message_status,
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
      CASE
        WHEN accepted.runs THEN input.turn_id
      END,
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
  accepted.runs,
  prior.id AS prior_id,
  prior.same,
  (
    SELECT
      turn_id
    FROM
      interrupted
  ) AS interrupted,
  CASE
    WHEN accepted.taken THEN jsonb_build_object(
      'seq',
      accepted.seq,
      'epoch',
      accepted.epoch,
      'conversationType',
      accepted.source_type,
      'busyPolicy',
      accepted.busy_policy,
      'timeZone',
      accepted.time_zone,
      'mode',
      coalesce(input.mode, accepted.mode),
      'participates',
      input.joins
      OR EXISTS (
        SELECT
          1
        FROM
          participants p
        WHERE
          p.session_id = input.session_id
          AND p.user_name = input.user_name
      ),
      'saidBefore',
      (
        SELECT
          jsonb_build_object(
            'summary',
            coalesce(s.summary, ''),
            'workingMemory',
            coalesce(s.working_memory, ''),
            'model',
            s.model,
            'instructions',
            s.instructions,
            'instructionsBy',
            s.instructions_by,
            'hasFacts',
            (
              SELECT
                id
              FROM
                facts
              WHERE
                invalidated_at IS NULL
              ORDER BY
                id DESC
              LIMIT
                1
            ) IS NOT NULL,
            'said',
            CASE
              WHEN accepted.seq = input.held_seq + 1
              AND s.last_seq <= accepted.seq
              AND EXISTS (
                SELECT
                  1
                FROM
                  turns
                WHERE
                  id = input.held_turn
                  AND session_id = s.id
              ) THEN NULL
              ELSE (
                WITH
                  recent AS MATERIALIZED (
                    SELECT
                      m.seq,
                      m.user_name,
                      m.role,
                      left(m.content, 4000) AS content,
                      m.created_at,
                      coalesce(u.joined_into, u.id) AS turn_id,
                      row_number() OVER (
                        ORDER BY
                          m.seq DESC
                      ) AS place
                    FROM
                      (
                        (
                          SELECT
                            *
                          FROM
                            messages
                          WHERE
                            session_id = s.id
                            AND seq > s.summary_seq
                            AND seq < accepted.seq
                            AND trusted
                            AND status NOT IN ('QUEUED', 'CANCELLED')
                          ORDER BY
                            seq DESC
                          LIMIT
                            61
                        )
                        UNION ALL
                        (
                          SELECT
                            later.*
                          FROM
                            turns taken
                            JOIN messages later ON later.id = taken.message_id
                          WHERE
                            taken.session_id = s.id
                            AND taken.seq > accepted.seq
                            AND taken.joined_into <> input.turn_id
                          LIMIT
                            60
                        )
                      ) m
                      LEFT JOIN turns u ON u.message_id = m.id
                  )
                SELECT
                  jsonb_build_object(
                    'hasMore',
                    coalesce(max(place), 0) > 60,
                    'messages',
                    coalesce(
                      jsonb_agg(
                        jsonb_build_object('user', user_name, 'role', role, 'content', content, 'at', created_at, 'turnId', turn_id)
                        ORDER BY
                          seq
                      ) FILTER (
                        WHERE
                          place <= 60
                      ),
                      '[]'
                    ),
                    'answers',
                    (
                      SELECT
                        coalesce(
                          jsonb_agg(
                            jsonb_build_object(
                              'turnId',
                              t.turn_id,
                              'text',
                              left(t.output, 4000),
                              'at',
                              coalesce(t.finished_at, t.started_at, served.created_at)
                            )
                            ORDER BY
                              t.id
                          ),
                          '[]'
                        )
                      FROM
                        (
                          SELECT DISTINCT
                            turn_id
                          FROM
                            recent
                          WHERE
                            place <= 60
                        ) shown
                        JOIN turns served ON served.id = shown.turn_id
                        AND served.seq > s.summary_seq
                        JOIN tasks t ON t.turn_id = served.id
                        AND t.type = 'MSG'
                        AND t.status = 'DONE'
                        AND NOT t.suppressed
                    )
                  )
                FROM
                  recent
              )
            END,
            'providerState',
            s.provider_state,
            'removals',
            coalesce(s.removals, 0),
            'hasFiles',
            EXISTS (
              SELECT
                1
              FROM
                uploaded_files
              WHERE
                session_id = s.id
            ),
            'due',
            jsonb_build_object(
              'curation',
              EXISTS (
                SELECT
                FROM
                  learnings l
                WHERE
                  l.session_id = s.id
                  AND l.status = 'PENDING'
                  AND NOT l.held
              ),
              'summary',
              (
                SELECT
                  count(*)
                FROM
                  (
                    SELECT
                    FROM
                      messages m
                    WHERE
                      m.session_id = s.id
                      AND m.seq > s.summary_seq
                      AND m.seq < accepted.seq
                      AND (
                        m.trusted
                        OR m.paraphrase IS NOT NULL
                      )
                      AND m.status NOT IN ('QUEUED', 'CANCELLED')
                    LIMIT
                      input.summarize_threshold::int - 1
                  ) told
              ) >= input.summarize_threshold::int - 1,
              'consolidation',
              coalesce(
                (
                  SELECT
                    (
                      c.started_at IS NULL
                      OR c.started_at < now() - interval '10 minutes'
                    )
                    AND (
                      SELECT
                        id
                      FROM
                        facts
                      WHERE
                        invalidated_at IS NULL
                        AND scope = 'GLOBAL'
                      ORDER BY
                        id DESC
                      LIMIT
                        1
                    ) > coalesce(c.last_fact_id, '')
                  FROM
                    consolidation_state c
                ),
                false
              )
            ),
            'strangers',
            (
              SELECT
                coalesce(
                  jsonb_agg(
                    jsonb_build_object(
                      'id',
                      m.id,
                      'sender',
                      m.user_name,
                      'at',
                      m.created_at,
                      'paraphrase',
                      m.paraphrase,
                      'content',
                      CASE
                        WHEN m.paraphrase IS NULL THEN left(m.content, 4000)
                      END
                    )
                    ORDER BY
                      m.seq
                  ),
                  '[]'
                )
              FROM
                (
                  SELECT
                    *
                  FROM
                    messages
                  WHERE
                    session_id = s.id
                    AND NOT trusted
                    AND seq < accepted.seq
                    AND seq > s.summary_seq
                  ORDER BY
                    seq DESC
                  LIMIT
                    20
                ) m
            ),
            'hasStrangers',
            EXISTS (
              SELECT
                1
              FROM
                messages
              WHERE
                session_id = s.id
                AND NOT trusted
            ),
            'questions',
            (
              SELECT
                coalesce(
                  jsonb_agg(
                    jsonb_build_object('id', q.id, 'content', q.content)
                    ORDER BY
                      q.id
                  ),
                  '[]'
                )
              FROM
                (
                  (
                    SELECT
                      id,
                      content
                    FROM
                      questions
                    WHERE
                      session_id = s.id
                      AND status = 'OPEN'
                    ORDER BY
                      id DESC
                    LIMIT
                      10
                  )
                  UNION ALL
                  (
                    SELECT
                      id,
                      content
                    FROM
                      questions
                    WHERE
                      session_id IS NULL
                      AND source <> 'DISPUTE'
                      AND status = 'OPEN'
                    ORDER BY
                      id DESC
                    LIMIT
                      10
                  )
                ) q
            )
          )
        FROM
          (
            SELECT
              input.session_id AS id
          ) this
          LEFT JOIN sessions s ON s.id = this.id
      )
    )
  END AS begun,
  -- Why nothing was stored is read from the statement's snapshot. NO_QUOTA: there was none to be opened. UNSEEN: the
  -- session is newer than that, so look again. BARRED: at that moment the caller could not reach it. What is left is
  -- the one condition on the row.
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
    ELSE 'FULL'
  END AS outcome
FROM
  input
  LEFT JOIN accepted ON true
  LEFT JOIN prior ON true
