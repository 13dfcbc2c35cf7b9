-- Plugins that were found, how they are set, and what they keep.
CREATE TYPE "plugin_status" AS ENUM ('STARTING', 'READY', 'DEGRADED', 'FAILED', 'DISABLED', 'MISSING');

CREATE TABLE "plugins" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "manifest" JSONB,
    "enabled" BOOLEAN NOT NULL,
    "position" INTEGER NOT NULL,
    "settings" JSONB NOT NULL,
    "status" "plugin_status" NOT NULL,
    "last_error" TEXT,
    "last_error_at" TIMESTAMPTZ(3),
    "calls" BIGINT NOT NULL DEFAULT 0,
    "failures" BIGINT NOT NULL DEFAULT 0,
    "crashes" BIGINT NOT NULL DEFAULT 0,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "restarts" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "plugins_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "plugins_name_key" ON "plugins" ("name");

CREATE TABLE "plugin_state" (
    "plugin_name" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "plugin_state_pkey" PRIMARY KEY ("plugin_name", "key")
);
