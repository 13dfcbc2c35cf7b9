-- Nodes that others have evicted stay in the list until nothing of them can run any more; only a death counts against a turn.

ALTER TABLE "nodes" ADD COLUMN     "process" TEXT,
ADD COLUMN     "evicted_at" TIMESTAMPTZ(3);

ALTER TABLE "turns" ADD COLUMN     "evicted_nodes" INTEGER[] DEFAULT ARRAY[]::INTEGER[];
