-- Which facts a person has looked at, as they are now.
ALTER TABLE "facts" ADD COLUMN "reviewed_by" TEXT,
ADD COLUMN "reviewed_at" TIMESTAMPTZ(3);

-- What a person has made or rewritten last, that person has looked at.
UPDATE "facts" f SET reviewed_by = v.changed_by, reviewed_at = v.at
  FROM (SELECT DISTINCT ON (fact_id) fact_id, changed_by, at FROM "fact_versions"
    WHERE change IN ('CREATED', 'EDITED', 'MERGED', 'CONSOLIDATED') ORDER BY fact_id, version DESC) v
  WHERE v.fact_id = f.id AND f.invalidated_at IS NULL AND v.changed_by NOT IN ('curator', 'summarizer', 'server');

CREATE INDEX "facts_unreviewed" ON "facts"("id" DESC) WHERE (invalidated_at IS NULL AND reviewed_at IS NULL);
