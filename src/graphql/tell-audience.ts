/** How changes of a session are told (change-news.ts): to those who may see the session at that moment, by one read. */
import type { Viewer } from '../core/identity.ts'
import type { ChangeNewsOptions } from './change-news.ts'
import type { ReadAudience } from './log-view.ts'

export function tellAudience(readAudience: ReadAudience): ChangeNewsOptions<Viewer>['tell'] {
  return async (sessionId, ids, watchers) => {
    const audience = await readAudience(sessionId)
    for (const [watcher, viewer] of watchers) {
      if (audience(viewer)) for (const id of ids) watcher.add(id)
    }
  }
}
