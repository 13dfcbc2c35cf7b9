-- What a provider keeps of a conversation is as old as the turn that it was last asked in. When something was removed since that turn
-- began, it may hold it still: the turn writes its state with the number that it has begun with.
ALTER TABLE "sessions" ADD COLUMN "removals" INTEGER NOT NULL DEFAULT 0;
