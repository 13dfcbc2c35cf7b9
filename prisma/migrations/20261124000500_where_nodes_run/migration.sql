-- What admins are shown of each process. Null: a process of an earlier version.
ALTER TABLE "nodes" ADD COLUMN "host" TEXT, ADD COLUMN "version" TEXT;
