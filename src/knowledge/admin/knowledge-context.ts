/**
 * What the use cases of this folder work with: made once in app.ts, handed to each call. They are what admins do with
 * facts, learnings and questions. Each is one function `(context, viewer, input) → outcome or refusal`; that the viewer
 * is an admin has been checked by the door. Nothing is published before it is committed.
 */
import type { Config } from '../../config/config.ts'
import type { Viewer } from '../../core/identity.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import type { Feed } from '../../events/feed.ts'
import type { Notification } from '../../events/notification.ts'
import type { Clock } from '../../platform/clock.ts'
import { newId } from '../../platform/id.ts'
import { must } from '../../platform/must.ts'
import type { Database } from '../../store/database.ts'
import type { Editor } from '../../store/knowledge/knowledge-edit.ts'

export interface KnowledgeContext {
  readonly database: Database
  readonly clock: Clock
  readonly config: { current(): Config }
  /** The text without any secret that this process knows, of whatever session: facts enter prompts of all sessions. */
  readonly hideSecrets: (text: string) => string
  /** Tells the subscribers of all processes. */
  readonly doorbell: { ring(notification: Extract<Notification, { kind: 'row' }>): void }
  /** Tells the followers of a session. */
  readonly feed: Pick<Feed, 'published'>
}

export function editorOf({ clock }: KnowledgeContext, viewer: Viewer): Editor {
  const { name } = must(viewer.user, 'an admin is a user')
  return { userName: name, tokenName: viewer.tokenName, changeId: newId('change'), at: clock.now() }
}

interface Announceable {
  readonly kind: string
  /** Of facts, learnings, proposals and questions. */
  readonly changedIds?: readonly string[]
  readonly sessionEvent?: SessionEvent | null
}

/** Called with what an edit came to, after its commit: tells of what it changed, and returns it. */
export function announced<Outcome extends Announceable>(
  { doorbell, feed }: KnowledgeContext,
  outcome: Outcome,
): Outcome {
  for (const id of outcome.changedIds ?? []) doorbell.ring({ kind: 'row', id })
  if (outcome.sessionEvent != null) feed.published([outcome.sessionEvent])
  return outcome
}
