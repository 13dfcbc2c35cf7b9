-- A deletion of a session changes facts three times over: their scope, their session, who taught them. It locks them all before,
-- in the order of their ids, as merges and consolidations do: in any other, each could wait for the other.
CREATE OR REPLACE FUNCTION "close_scope_of_session"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE gone TEXT := 'gone ' || gen_random_uuid();
BEGIN
  PERFORM FROM facts WHERE id IN (
      SELECT id FROM facts WHERE scope = 'SESSION' AND scope_of = OLD.id UNION ALL SELECT id FROM facts WHERE session_id = OLD.id
      UNION ALL SELECT fact_id FROM learnings WHERE session_id = OLD.id)
    ORDER BY id FOR NO KEY UPDATE;
  UPDATE fact_versions SET before = jsonb_set(before, '{scopeOf}', to_jsonb(gone))
    WHERE before->>'scope' = 'SESSION' AND before->>'scopeOf' = OLD.id AND fact_id IN (
      SELECT id FROM facts WHERE scope = 'SESSION' AND scope_of = OLD.id UNION ALL SELECT id FROM facts WHERE session_id = OLD.id);
  UPDATE facts SET scope_of = gone WHERE scope = 'SESSION' AND scope_of = OLD.id;
  RETURN OLD;
END $$;
