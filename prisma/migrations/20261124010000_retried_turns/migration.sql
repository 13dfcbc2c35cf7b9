-- A turn that is a second try of another. Null for all that are there, so no row is written anew, and the index is empty.
ALTER TABLE "turns" ADD COLUMN "retry_of" TEXT;

CREATE UNIQUE INDEX "turns_retried" ON "turns"("retry_of") WHERE (retry_of IS NOT NULL);

ALTER TABLE "turns" ADD CONSTRAINT "turns_retry_of_fkey" FOREIGN KEY ("retry_of") REFERENCES "turns"("id") ON DELETE CASCADE ON UPDATE CASCADE;
