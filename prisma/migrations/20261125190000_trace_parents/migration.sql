-- Where a message comes from in a distributed trace, so that its turn goes on in that trace in whichever process.
ALTER TABLE "messages" ADD COLUMN "trace_parent" VARCHAR(55);
