-- Why a turn failed as admins are told; `failure` is the sentence for its people.
ALTER TABLE "turns" ADD COLUMN "failure_detail" TEXT;
