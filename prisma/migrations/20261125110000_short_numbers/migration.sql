-- Short numbers that a person can type, in the order of the ids: #1 is the oldest. Given once, and never again.
ALTER TABLE "facts" ADD COLUMN "number" INTEGER;
ALTER TABLE "learnings" ADD COLUMN "number" INTEGER;

-- What a fact says stays, so that nothing of what triggers keep changes.
ALTER TABLE "facts" DISABLE TRIGGER USER;
UPDATE "facts" f SET number = n.place FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM "facts") n WHERE n.id = f.id;
ALTER TABLE "facts" ENABLE TRIGGER USER;

ALTER TABLE "learnings" DISABLE TRIGGER USER;
UPDATE "learnings" l SET number = n.place FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM "learnings") n WHERE n.id = l.id;
ALTER TABLE "learnings" ENABLE TRIGGER USER;

CREATE SEQUENCE "facts_number_seq" AS INTEGER OWNED BY "facts"."number";
CREATE SEQUENCE "learnings_number_seq" AS INTEGER OWNED BY "learnings"."number";
SELECT setval('facts_number_seq', coalesce(max(number), 1), count(*) > 0) FROM "facts";
SELECT setval('learnings_number_seq', coalesce(max(number), 1), count(*) > 0) FROM "learnings";

ALTER TABLE "facts" ALTER COLUMN "number" SET DEFAULT nextval('facts_number_seq'),
ALTER COLUMN "number" SET NOT NULL;
ALTER TABLE "learnings" ALTER COLUMN "number" SET DEFAULT nextval('learnings_number_seq'),
ALTER COLUMN "number" SET NOT NULL;

CREATE UNIQUE INDEX "facts_number_key" ON "facts"("number");
CREATE UNIQUE INDEX "learnings_number_key" ON "learnings"("number");
