-- Who has used a code: the same call made again is answered as the first was, until the code would have expired. Rows go with the time.
ALTER TABLE "link_codes" ADD COLUMN "redeemed_token" TEXT;
ALTER TABLE "link_codes" ADD COLUMN "redeemed_identity" TEXT;

-- Wrong codes, by connector and identity, for as long as they count.
CREATE TABLE "link_guesses" (
    "id" BIGSERIAL NOT NULL,
    "token_name" TEXT NOT NULL,
    "identity" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "link_guesses_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "link_guesses_token_name_at_idx" ON "link_guesses"("token_name", "at");
