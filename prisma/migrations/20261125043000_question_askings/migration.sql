-- In which sessions a question of all sessions was put to people: they may answer it, and their page shows it.
ALTER TYPE "learning_status" ADD VALUE 'ANSWERED';

CREATE TABLE "question_askings" (
    "question_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,

    CONSTRAINT "question_askings_pkey" PRIMARY KEY ("question_id","session_id")
);

CREATE INDEX "question_askings_session_id_question_id_idx" ON "question_askings"("session_id", "question_id");

ALTER TABLE "question_askings" ADD CONSTRAINT "question_askings_question_id_fkey" FOREIGN KEY ("question_id") REFERENCES "questions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "question_askings" ADD CONSTRAINT "question_askings_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;
