-- What an approval of a call covers: null for what was asked before, and for what is no call of a tool.
ALTER TABLE "approvals" ADD COLUMN "fingerprint" TEXT;
