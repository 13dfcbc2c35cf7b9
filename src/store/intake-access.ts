/** The part of an access decision that rests on rows: is the caller a participant? It is made inside the statement that acts. */

/** What the caller may reach among the sessions whose ids are open to it (src/intake/authorize-session.ts). */
export interface SessionAccess {
  /** Every such session; otherwise only those in which `userName` participates. */
  readonly all: boolean
  readonly userName: string | null
  /** For the audit: it decides nothing. */
  readonly tokenName: string
}

/** The parameters that `mayReach` reads. */
export const ACCESS_INPUT = { access_all: 'boolean', access_user: 'text' } as const

export function accessInput(
  access: Pick<SessionAccess, 'all' | 'userName'>,
): Readonly<Record<keyof typeof ACCESS_INPUT, unknown>> {
  return { access_all: access.all, access_user: access.userName }
}

/** SQL that is true when the caller may reach the session whose id is `sessionId`; wants `input` in the FROM clause. */
export function mayReach(sessionId: string): string {
  return `(input.access_all OR EXISTS (
    SELECT 1 FROM participants reach WHERE reach.session_id = ${sessionId} AND reach.user_name = input.access_user))`
}
