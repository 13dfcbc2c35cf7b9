/**
 * Which sessions changed in a list, for `sessionUpdates`: ids only, coalesced per session (at most four times a second), each
 * told only to viewers who may see the session at that moment. One read of the audience per changed session, whatever the
 * number of viewers.
 */
import type { Viewer } from '../core/identity.ts'

export interface SessionNews {
  /**
   * The ids of sessions that changed since the call. Ends with a GraphQLError SLOW_CONSUMER when the reader lets more than a
   * thousand sessions pile up. Ends with `return()`.
   */
  follow(viewer: Viewer): AsyncGenerator<string, void, void>
}
