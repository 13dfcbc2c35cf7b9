-- Facts outlive the sessions that taught them, and reach nobody more by that. What was one session's alone is no other one's
-- that is opened under the same id; and by whom a fact was taught stays when the learnings go, as plans of admins go by it.
ALTER TABLE "facts" ADD COLUMN "taught_by" TEXT[] NOT NULL DEFAULT '{}';

-- No id of a session has a space. Before the delete, as afterwards no fact names the session any more.
CREATE FUNCTION "close_scope_of_session"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE gone TEXT := 'gone ' || gen_random_uuid();
BEGIN
  UPDATE fact_versions SET before = jsonb_set(before, '{scopeOf}', to_jsonb(gone))
    WHERE before->>'scope' = 'SESSION' AND before->>'scopeOf' = OLD.id AND fact_id IN (
      SELECT id FROM facts WHERE scope = 'SESSION' AND scope_of = OLD.id UNION ALL SELECT id FROM facts WHERE session_id = OLD.id);
  UPDATE facts SET scope_of = gone WHERE scope = 'SESSION' AND scope_of = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER "session_leaves" BEFORE DELETE ON "sessions" FOR EACH ROW EXECUTE FUNCTION "close_scope_of_session"();

-- '': no user taught it.
CREATE FUNCTION "keep_teachers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE facts f SET taught_by = ARRAY(SELECT DISTINCT unnest(f.taught_by || r.names)) FROM (
      SELECT fact_id, array_agg(DISTINCT coalesce(user_name, '')) AS names FROM removed WHERE fact_id IS NOT NULL GROUP BY 1) r
    WHERE f.id = r.fact_id;
  RETURN NULL;
END $$;
CREATE TRIGGER "learnings_removed" AFTER DELETE ON "learnings" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION "keep_teachers"();

UPDATE facts f SET scope_of = 'gone ' || gen_random_uuid()
  WHERE scope = 'SESSION' AND NOT EXISTS (SELECT FROM sessions s WHERE s.id = f.scope_of);
