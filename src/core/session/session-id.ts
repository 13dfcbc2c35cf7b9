/** The rule for session ids. A session's id is chosen by the client: "cli:demo", "@anna:web:4f2…". */
const SESSION_ID = /^[a-zA-Z0-9_@.:-]{1,255}$/

export const SESSION_ID_RULE = 'must be 1 to 255 characters out of letters, digits and _ @ . : -'

/** What stands before the ids of users' sessions: no other name space begins with it. */
export const USER_MARK = '@'

/** The name space of the sessions that schedules open; no user and no connector may open one in it. */
export const SCHEDULE_NAMESPACE = 'schedule'

/** The name space of the sessions that delegated tasks open, as reserved as that of schedules. */
export const DELEGATION_NAMESPACE = 'delegation'

/** Both. */
export function isServersNamespace(namespace: string | null): boolean {
  return namespace === SCHEDULE_NAMESPACE || namespace === DELEGATION_NAMESPACE
}

export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id)
}

/** What stands before the first colon: "discord" of "discord:1", "@anna" of "@anna:web:1". Null: the id has none. */
export function namespaceOf(sessionId: string): string | null {
  const end = sessionId.indexOf(':')
  return end < 0 ? null : sessionId.slice(0, end)
}
