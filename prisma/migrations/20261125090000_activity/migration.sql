-- Thoughts of models and progress of tools, by age: the plugin "activity" forgets the oldest.
CREATE INDEX "events_activity" ON "events"("at") WHERE type = ANY (ARRAY['Thinking'::text, 'TaskProgress'::text]);
