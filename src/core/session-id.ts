/** The rule for session ids (spec 2). A session's id is chosen by the client: "cli:demo", "web:4f2…". */
const SESSION_ID = /^[a-zA-Z0-9_@.:-]{1,255}$/

export const SESSION_ID_RULE = 'must be 1 to 255 characters out of letters, digits and _ @ . : -'

export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id)
}
