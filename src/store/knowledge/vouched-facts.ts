/**
 * Facts that an admin's plans, which may do everything, are shown, in SQL: those that a person has reviewed, made, or
 * said whom they are shown, and those that this admin alone taught, also when the learnings are gone with their
 * session. What a session taught by itself has no person behind it.
 */

/** Of versions: not by a part of the server. `version`: its alias. */
export function isByPerson(version: string): string {
  return isPerson(`${version}.changed_by`)
}

/** Of the name of who did something: not a part of the server. */
export function isPerson(name: string): string {
  return `${name} <> ALL ('{curator,planner,server,summarizer}')`
}

/** In place of a teacher's name: of facts of earlier versions, of which it is not known who taught them. */
export const UNKNOWN_TEACHER = '?'

/** Of facts `f`; `teachers`: a parameter with the names of the admin, null: each fact counts, of any teacher. */
export function isVouchedFor(teachers: string): string {
  return `(${teachers}::text[] IS NULL OR f.reviewed_at IS NOT NULL
      OR (f.scope <> 'SESSION' AND f.taught_by <@ ${teachers}::text[] AND NOT EXISTS (SELECT FROM learnings l
          WHERE l.fact_id = f.id AND (l.user_name IS NULL OR l.user_name <> ALL (${teachers}::text[])))
        AND ('${UNKNOWN_TEACHER}' = ANY (${teachers}::text[]) OR f.taught_by <> '{}'
          OR EXISTS (SELECT FROM learnings l WHERE l.fact_id = f.id)))
      OR EXISTS (SELECT FROM fact_versions v WHERE v.fact_id = f.id AND ${isByPerson('v')}
        AND (v.change = 'SCOPED' OR (v.change IN ('CREATED', 'EDITED') AND v.content = f.content))))`
}
