-- Titles were compared by the letters of ASCII alone where the locale of the database is "C": "москва" did not find "МОСКВА", and
-- nowhere did one form of a letter find the other. They are kept as searches are asked: without case, width and accents.
CREATE FUNCTION "search_plain"(content text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT translate(unaccent(search_fold(content)), 'ς', 'σ')
$$;

CREATE OR REPLACE FUNCTION "keep_session_description"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.description IS NULL THEN
    DELETE FROM session_descriptions WHERE session_id = NEW.id;
  ELSE
    INSERT INTO session_descriptions (session_id, description) VALUES (NEW.id, search_plain(NEW.description))
    ON CONFLICT (session_id) DO UPDATE SET description = EXCLUDED.description;
  END IF;
  RETURN NULL;
END $$;

UPDATE session_descriptions d SET description = search_plain(s.description) FROM sessions s
WHERE s.id = d.session_id AND s.description ~ '[^\u0001-\u007f]';

-- "İ" is an "i" in normal texts, without a dot of its own. A fact that would be the same as another one stays as it is.
UPDATE facts f SET norm = replace(norm, E'i\u0307', 'i') WHERE position(E'i\u0307' IN norm) > 0 AND NOT EXISTS (
  SELECT FROM facts o WHERE o.id <> f.id AND o.invalidated_at IS NULL AND o.scope = f.scope AND o.scope_of = f.scope_of
    AND replace(o.norm, E'i\u0307', 'i') = replace(f.norm, E'i\u0307', 'i'));
UPDATE learnings SET norm = replace(norm, E'i\u0307', 'i') WHERE position(E'i\u0307' IN norm) > 0;
