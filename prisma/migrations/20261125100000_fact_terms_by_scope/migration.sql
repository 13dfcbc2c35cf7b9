-- Terms are looked up and counted in the scopes that a reader is in: a word that is common among facts of others may tell
-- much among theirs, and its newest facts may all be others'. A scope is written as scopeKey of src/core/knowledge/fact-scope.ts.
ALTER TABLE "fact_terms" ADD COLUMN "scope" TEXT NOT NULL DEFAULT 'GLOBAL ';

UPDATE "fact_terms" t SET scope = f.scope || ' ' || f.scope_of FROM "facts" f WHERE f.id = t.fact_id AND f.scope <> 'GLOBAL';

ALTER TABLE "fact_terms" ALTER COLUMN "scope" DROP DEFAULT,
DROP CONSTRAINT "fact_terms_pkey",
ADD CONSTRAINT "fact_terms_pkey" PRIMARY KEY ("term", "scope", "fact_id");

DELETE FROM "fact_term_changes";
DELETE FROM "fact_term_counts";

ALTER TABLE "fact_term_changes" ADD COLUMN "scope" TEXT NOT NULL;

ALTER TABLE "fact_term_counts" ADD COLUMN "scope" TEXT NOT NULL,
DROP CONSTRAINT "fact_term_counts_pkey",
ADD CONSTRAINT "fact_term_counts_pkey" PRIMARY KEY ("term", "scope");

INSERT INTO "fact_term_counts" ("term", "scope", "facts") SELECT term, scope, count(*) FROM "fact_terms" GROUP BY term, scope;

CREATE OR REPLACE FUNCTION "keep_fact_terms"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    WITH gone AS (DELETE FROM fact_terms t USING removed f WHERE t.fact_id = f.id RETURNING t.term, t.scope)
    INSERT INTO fact_term_changes (term, scope, facts) SELECT term, scope, -count(*) FROM gone GROUP BY term, scope;
  ELSIF TG_OP = 'UPDATE' THEN
    WITH gone AS (
      DELETE FROM fact_terms t USING removed f, added a
      WHERE t.fact_id = f.id AND a.id = f.id AND (a.content, a.invalidated_at, a.scope, a.scope_of)
          IS DISTINCT FROM (f.content, f.invalidated_at, f.scope, f.scope_of)
      RETURNING t.term, t.scope)
    INSERT INTO fact_term_changes (term, scope, facts) SELECT term, scope, -count(*) FROM gone GROUP BY term, scope;
    WITH came AS (
      INSERT INTO fact_terms (term, scope, fact_id)
        SELECT DISTINCT s.term, a.scope || ' ' || a.scope_of, a.id FROM added a JOIN removed f ON f.id = a.id
          CROSS JOIN LATERAL (SELECT '' AS term UNION ALL SELECT term FROM search_terms(a.content)) s
        WHERE a.invalidated_at IS NULL AND (a.content, a.invalidated_at, a.scope, a.scope_of)
          IS DISTINCT FROM (f.content, f.invalidated_at, f.scope, f.scope_of)
      RETURNING term, scope)
    INSERT INTO fact_term_changes (term, scope, facts) SELECT term, scope, count(*) FROM came GROUP BY term, scope;
  ELSE
    WITH came AS (
      INSERT INTO fact_terms (term, scope, fact_id)
        SELECT DISTINCT s.term, a.scope || ' ' || a.scope_of, a.id FROM added a
          CROSS JOIN LATERAL (SELECT '' AS term UNION ALL SELECT term FROM search_terms(a.content)) s
        WHERE a.invalidated_at IS NULL
      RETURNING term, scope)
    INSERT INTO fact_term_changes (term, scope, facts) SELECT term, scope, count(*) FROM came GROUP BY term, scope;
  END IF;
  IF (SELECT count(*) FROM (SELECT 1 FROM fact_term_changes LIMIT 500) few) = 500
    AND pg_try_advisory_xact_lock(hashtextextended('fact_term_changes', 0)) THEN
    WITH gone AS (DELETE FROM fact_term_changes RETURNING term, scope, facts)
    INSERT INTO fact_term_counts AS counted (term, scope, facts) SELECT term, scope, sum(facts) FROM gone GROUP BY term, scope
    ON CONFLICT (term, scope) DO UPDATE SET facts = counted.facts + excluded.facts;
  END IF;
  RETURN NULL;
END $$;
