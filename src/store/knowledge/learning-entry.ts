/** How a learning enters the inbox (LearningEntry), for the statements that store one, and how long it is tried. */
import { sql } from '../sql.ts'

/** How often its evaluation may be of no use, before it waits for a person. */
export const MAX_TRIES = 3

/** Of `learnings`, in the order of ENTRY_VALUES. */
export const ENTRY_COLUMNS = sql`source, status, held, flags, reason, repeats_fact_id, repeats_learning_id, similar_fact_ids,
      scope, scope_of`

/** Of `l.entry`, a jsonb. */
export const ENTRY_RECORD = sql`jsonb_to_record(l.entry) AS e (source learning_source, status learning_status, held boolean, flags learning_flag[], reason text,
        "repeatsFactId" text, "repeatsLearningId" text, "similarFactIds" text[], scope fact_scope, "scopeOf" text)`

/** A fact or a learning that is gone meanwhile is no reference any more. */
export const ENTRY_VALUES = sql`e.source, e.status, e.held, e.flags, e.reason,
      (SELECT f.id FROM facts f WHERE f.id = e."repeatsFactId"),
      (SELECT o.id FROM learnings o WHERE o.id = e."repeatsLearningId"), e."similarFactIds", e.scope, coalesce(e."scopeOf", '')`
