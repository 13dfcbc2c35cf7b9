-- In which time zone the agents of a session are told times; NULL: the configuration's.
ALTER TABLE "sessions" ADD COLUMN "time_zone" TEXT;
