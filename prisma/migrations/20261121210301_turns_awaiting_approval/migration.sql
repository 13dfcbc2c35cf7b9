-- A turn that awaits an approval is open. A migration of its own: a new value of an enum cannot be used where it is added.

DROP INDEX "turns_open";
CREATE INDEX "turns_open" ON "turns"("session_id", "seq") WHERE (status = ANY (ARRAY['QUEUED'::turn_status, 'RUNNING'::turn_status, 'AWAITING_APPROVAL'::turn_status]));
