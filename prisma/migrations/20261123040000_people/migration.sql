-- People are rows: users, the identities under which connectors know them, and tokens, of which only the hash is kept. What config.toml
-- declares has its row as well ("declared"), for its id and its last use; its rights are what the file says.
-- A name is for good: rows of removed users and tokens stay, so that nobody else is given what hangs on the name.

CREATE TYPE "user_role" AS ENUM ('ADMIN', 'USER');
CREATE TYPE "token_kind" AS ENUM ('CONNECTOR', 'USER');

CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "role" "user_role" NOT NULL,
    "all_skills" BOOLEAN NOT NULL,
    "skills" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "declared" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "created_by" TEXT,
    "removed_at" TIMESTAMPTZ(3),
    "merged_into" TEXT,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "users_name_key" ON "users"("name");
CREATE INDEX "users_merged_into_idx" ON "users"("merged_into");

CREATE TABLE "user_aliases" (
    "token_name" TEXT NOT NULL,
    "identity" TEXT NOT NULL,
    "user_name" TEXT NOT NULL,
    "declared" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_aliases_pkey" PRIMARY KEY ("token_name", "identity")
);
CREATE INDEX "user_aliases_user_name_idx" ON "user_aliases"("user_name");

CREATE TABLE "tokens" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sha256" BYTEA NOT NULL,
    "kind" "token_kind" NOT NULL,
    "user_name" TEXT,
    "namespace" TEXT,
    "declared" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "created_by" TEXT,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "tokens_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "tokens_user" CHECK (("kind" = 'USER') = ("user_name" IS NOT NULL))
);
CREATE UNIQUE INDEX "tokens_name_key" ON "tokens"("name");
CREATE INDEX "tokens_user_name_idx" ON "tokens"("user_name");

-- When a token was last used, as it was noted last. Apart from the tokens, because it changes all the time.
CREATE TABLE "token_uses" (
    "token_name" TEXT NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "token_uses_pkey" PRIMARY KEY ("token_name")
);

-- Codes by which a person links a further channel; each is deleted when it is used.
CREATE TABLE "link_codes" (
    "sha256" BYTEA NOT NULL,
    "user_name" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "link_codes_pkey" PRIMARY KEY ("sha256")
);
CREATE INDEX "link_codes_user_name_idx" ON "link_codes"("user_name");

-- One row. Who changes people locks it, and "version" counts up with each change: by it, processes see that they must read again.
CREATE TABLE "people_state" (
    "id" INTEGER NOT NULL,
    "version" BIGINT NOT NULL,

    CONSTRAINT "people_state_pkey" PRIMARY KEY ("id")
);
INSERT INTO "people_state" ("id", "version") VALUES (1, 1);

CREATE FUNCTION "count_people_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE people_state SET version = version + 1 WHERE id = 1;
  RETURN NULL;
END $$;

CREATE TRIGGER "users_changed" AFTER INSERT OR UPDATE OR DELETE ON "users" FOR EACH ROW EXECUTE FUNCTION "count_people_change"();
CREATE TRIGGER "user_aliases_changed" AFTER INSERT OR UPDATE OR DELETE ON "user_aliases" FOR EACH ROW EXECUTE FUNCTION "count_people_change"();
CREATE TRIGGER "tokens_changed" AFTER INSERT OR UPDATE OR DELETE ON "tokens" FOR EACH ROW EXECUTE FUNCTION "count_people_change"();
