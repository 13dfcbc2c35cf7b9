-- Facts that a person wants left alone by what models propose and decide.
ALTER TABLE "facts" ADD COLUMN "pinned" BOOLEAN NOT NULL DEFAULT false;
