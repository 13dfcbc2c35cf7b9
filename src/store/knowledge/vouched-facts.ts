/**
 * Facts that a person answers for, in SQL: a person has reviewed them or said whom they are shown, or only some users
 * (admins) taught them, also when the learnings are gone with their session. What a session taught by itself has no
 * person behind it. Plans of admins, who may do everything, are shown no others.
 */

/** Of facts `f`; `teachers`: a parameter with the names of these users, null: each fact counts, of any teacher. */
export function isVouchedFor(teachers: string): string {
  return `(${teachers}::text[] IS NULL OR f.reviewed_at IS NOT NULL
      OR (f.scope <> 'SESSION' AND f.taught_by <@ ${teachers}::text[] AND NOT EXISTS (SELECT FROM learnings l
        WHERE l.fact_id = f.id AND (l.user_name IS NULL OR l.user_name <> ALL (${teachers}::text[]))))
      OR EXISTS (SELECT FROM fact_versions v WHERE v.fact_id = f.id AND v.change = 'SCOPED'))`
}
