WITH
  input AS NOT MATERIALIZED (
    SELECT
      $1::text AS session_id,
      $2::int AS node,
      $3::timestamptz AS at,
      $4::int AS summarize_threshold,
      $5::int AS share,
      $6::int AS held_seq,
      $7::text AS held_turn,
      $8::int AS epoch
  ),
  fence AS (
    SELECT
      s.id,
      s.source_type,
      s.queue_length,
      s.busy_policy,
      s.time_zone,
      s.turn_user,
      s.ready_at
    FROM
      input
      JOIN sessions s ON s.id = input.session_id
    WHERE
      s.owner IS NOT DISTINCT FROM input.node
      AND s.epoch = input.epoch
    FOR UPDATE OF
      s
  ),
  next AS (
    SELECT
      t.*
    FROM
      fence,
      input,
      turns t
    WHERE
      t.session_id = input.session_id
      AND t.status IN ('QUEUED', 'RUNNING', 'AWAITING_APPROVAL')
    ORDER BY
      t.seq
    LIMIT
      1
  ),
  starting AS MATERIALIZED (
    SELECT
      next.id
    FROM
      fence,
      next,
      input
    WHERE
      next.status = 'QUEUED'
      AND (
        next.user_name = fence.turn_user
        OR free_turns (next.user_name, input.share, false) > 0
      )
  ),
  started AS (
    UPDATE turns t
    SET
      status = 'RUNNING',
      step = 'RECEIVED',
      started_at = input.at
    FROM
      starting,
      input
    WHERE
      t.id = starting.id
      AND t.status = 'QUEUED'
    RETURNING
      t.id,
      t.message_id,
      t.user_name
  ),
  woken AS (
    UPDATE turns t
    SET
      status = 'RUNNING',
      paused_at = NULL,
      paused_reason = NULL
    FROM
      next
    WHERE
      t.id = next.id
      AND next.status <> 'QUEUED'
      AND next.paused_at IS NOT NULL
    RETURNING
      t.session_id
  ),
  awake AS (
    UPDATE sessions s
    SET
      status = 'RUNNING'
    FROM
      woken
    WHERE
      s.id = woken.session_id
      AND s.status = 'AWAITING_APPROVAL'
  ),
  message AS (
    UPDATE messages m
    SET
      status = 'PROCESSING'
    FROM
      started
    WHERE
      m.id = started.message_id
    RETURNING
      m.content
  ),
  session AS (
    UPDATE sessions s
    SET
      last_seq = s.last_seq + 2,
      queue_length = s.queue_length - 1,
      status = 'RUNNING',
      last_activity_at = input.at,
      turn_user = started.user_name
    FROM
      started,
      input
    WHERE
      s.id = input.session_id
    RETURNING
      s.last_seq,
      s.epoch
  ),
  event AS (
    INSERT INTO
      events (session_id, seq, at, turn_id, type, data)
    SELECT
      input.session_id,
      session.last_seq - 1,
      input.at,
      started.id,
      'MessageUpdated',
      jsonb_build_object('messageId', started.message_id)
    FROM
      session,
      started,
      input
    UNION ALL
    SELECT
      input.session_id,
      session.last_seq,
      input.at,
      started.id,
      'PipelineStep',
      '{"step": "RECEIVED", "detail": null}'
    FROM
      session,
      started,
      input
  )
SELECT
  next.id,
  next.seq,
  next.message_id,
  next.user_name,
  next.mode,
  coalesce(message.content, m.content) AS content,
  m.call,
  m.role,
  m.created_at,
  fence.source_type,
  fence.queue_length,
  fence.busy_policy,
  fence.time_zone,
  m.mentioned,
  next.started_at,
  next.cancel_requested,
  next.step,
  next.failure,
  next.failure_detail,
  next.takeovers,
  m.client,
  next.model_calls,
  next.input_tokens,
  next.output_tokens,
  next.cached_tokens,
  next.cost,
  m.trace_parent,
  m.trace_state,
  session.last_seq,
  session.epoch,
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
          WHEN next.seq = input.held_seq + 1
          AND s.last_seq <= next.seq
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
                        AND seq < next.seq
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
                        AND taken.seq > next.seq
                        AND taken.joined_into <> next.id
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
                  AND m.seq < next.seq
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
                AND seq < next.seq
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
  ) AS said_before,
  EXISTS (
    SELECT
      1
    FROM
      participants p
    WHERE
      p.session_id = input.session_id
      AND p.user_name = next.user_name
  ) AS participates
FROM
  fence,
  input,
  next
  JOIN messages m ON m.id = next.message_id
  LEFT JOIN session ON true
  LEFT JOIN message ON true
WHERE
  session.last_seq IS NOT NULL
  OR next.status <> 'QUEUED'
