-- Where a plugin comes from. Until now all were folders.
CREATE TYPE "plugin_origin" AS ENUM ('BUILT_IN', 'FOLDER', 'PACKAGE');

ALTER TABLE "plugins" ADD COLUMN "origin" "plugin_origin" NOT NULL DEFAULT 'FOLDER';
