-- Who is logged in to the console, and links that log in: by the hash of a secret, bound to a token as it was at that moment.
CREATE TABLE "logins" (
    "sha256" BYTEA NOT NULL,
    "token_name" TEXT NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "logins_pkey" PRIMARY KEY ("sha256")
);
CREATE INDEX "logins_token_name_created_at_idx" ON "logins"("token_name", "created_at");

CREATE TABLE "login_links" (
    "sha256" BYTEA NOT NULL,
    "token_name" TEXT NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "login_links_pkey" PRIMARY KEY ("sha256")
);

-- Processes hold logins in memory, with users and tokens.
CREATE TRIGGER "logins_changed" AFTER INSERT OR UPDATE OR DELETE ON "logins" FOR EACH ROW EXECUTE FUNCTION "count_people_change"();
