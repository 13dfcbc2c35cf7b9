-- What the agent says: pieces and whole texts are events of two types, and whole texts know how often they were begun.

UPDATE "events" e SET "type" = 'TextCompleted', "data" = jsonb_build_object('taskId', e."data"->'taskId', 'content', e."data"->'content',
    'final', e."data"->'final', 'attempt', 1)
  || CASE WHEN EXISTS (SELECT 1 FROM "tasks" t WHERE t."id" = e."data"->>'taskId' AND t."detail" = 'Notice of the server to the user.')
    THEN '{"notice": true}'::jsonb ELSE '{}'::jsonb END
WHERE e."type" = 'MessageOutput' AND e."data"->>'content' IS NOT NULL;

UPDATE "events" SET "type" = 'TextDelta', "data" = jsonb_build_object('taskId', "data"->'taskId', 'delta', "data"->'delta')
WHERE "type" = 'MessageOutput';

-- What a conversation is read by, and where a turn ended.
CREATE INDEX "events_conversation" ON "events"("session_id", "seq") WHERE (type = ANY (ARRAY['MessageReceived'::text, 'TextCompleted'::text]));
CREATE INDEX "events_ends" ON "events"("turn_id", "seq") WHERE (type = 'TurnCompleted'::text);
