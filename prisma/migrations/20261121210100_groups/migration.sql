-- Group sessions: what kind of conversation a session is, whether a message was directed at the agent, and the agent's silence.

CREATE TYPE "conversation_type" AS ENUM ('DIRECT', 'GROUP');

ALTER TABLE "sessions" ADD COLUMN "source_type" "conversation_type" NOT NULL DEFAULT 'DIRECT';
ALTER TABLE "messages" ADD COLUMN "mentioned" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "tasks" ADD COLUMN "suppressed" BOOLEAN NOT NULL DEFAULT false;
