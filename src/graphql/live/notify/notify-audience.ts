/**
 * How changes of a session are passed on (change-notifier.ts): to viewers who may see the session at that moment, by
 * one read.
 */
import type { Viewer } from '../../../core/identity.ts'
import type { ChangeNotifierOptions } from './change-notifier.ts'
import type { ReadAudience } from '../log-view.ts'

export function notifyAudience(readAudience: ReadAudience): ChangeNotifierOptions<Viewer>['notify'] {
  return async (sessionId, ids, watchers) => {
    const audience = await readAudience(sessionId)
    for (const [watcher, viewer] of watchers) {
      if (audience(viewer)) for (const id of ids) watcher.add(id)
    }
  }
}
