-- A text is a fact once. Of several that say the same the oldest stays in use; the others point to it.
WITH twins AS (
  SELECT id, first FROM (SELECT id, min(id) OVER (PARTITION BY md5(norm)) AS first FROM "facts"
    WHERE invalidated_at IS NULL AND norm <> '') same WHERE id <> first),
gone AS (
  UPDATE "facts" f SET version = f.version + 1, invalidated_at = now(), replaced_by_id = t.first, updated_at = now()
  FROM twins t WHERE f.id = t.id RETURNING f.id, f.version, f.content, f.norm, t.first)
INSERT INTO "fact_versions" (fact_id, version, content, norm, change, changed_by, reason, at)
SELECT id, version, content, norm, 'MERGED', 'server', 'merged into ' || first, now() FROM gone;

CREATE UNIQUE INDEX "facts_once" ON "facts" (md5(norm)) WHERE (invalidated_at IS NULL AND norm <> '');

-- What a new fact replaces goes out of use before it comes, as both may say the same.
ALTER TABLE "facts" ALTER CONSTRAINT "facts_replaced_by_id_fkey" DEFERRABLE INITIALLY DEFERRED;

-- How often the curator's evaluation of it could not be used.
ALTER TABLE "learnings" ADD COLUMN "tries" INTEGER NOT NULL DEFAULT 0;
