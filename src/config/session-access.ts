/**
 * Which sessions a viewer may touch (spec 1). A session is accessible when `namespaceAllows` its id, and the viewer either
 * `seesAllSessions` or is one of its participants. Any other session must look absent.
 */
import type { Viewer } from '../core/identity.ts'

/** A connector with a namespace is confined to ids that start with it and ":"; nobody else is. */
export function namespaceAllows(viewer: Viewer, sessionId: string): boolean {
  return viewer.namespace === null || sessionId.startsWith(`${viewer.namespace}:`)
}

/** Admins and connectors need not participate (a connector's namespace confines it all the same); users of role USER must. */
export function seesAllSessions(viewer: Viewer): boolean {
  return viewer.tokenKind === 'CONNECTOR' || viewer.role === 'ADMIN'
}
