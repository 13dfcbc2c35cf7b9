/**
 * What every use case of intake works with: made once in app.ts, handed to each call. A use case is one function
 * `(context, viewer, input) → outcome or refusal`; what the caller can act on is returned, what failed in the world is
 * thrown as AppError. Nothing is published before it is committed.
 */
import type { LiveConfig } from '../config/config.ts'
import type { Viewer } from '../core/identity.ts'
import type { Refusal } from '../core/refusal.ts'
import type { SessionEvent } from '../core/session-event.ts'
import type { LinkCommand } from '../core/text/link-command.ts'
import type { CheckWebhook } from '../delivery/webhook-registration.ts'
import type { Clock } from '../platform/clock.ts'
import type { Redactor } from '../secrets/redaction.ts'
import type { Database } from '../store/database.ts'
import type { AcceptResult, TurnStart } from '../store/intake/accept-message.ts'

/** What a use case reaches of the rest of the process. Any number of calls share one. */
export interface IntakeContext {
  /** What is stored of a session holds no secret that this process knows. */
  readonly redactorOf: (sessionId: string) => Redactor
  readonly database: Database
  readonly config: LiveConfig
  readonly clock: Clock
  /** Publishes events after their commit, so that subscribers of this process need not wait for a NOTIFY. */
  readonly feed: { published(events: readonly SessionEvent[]): void }
  /** Notifies all processes; a lost notification costs time, never work. */
  readonly doorbell: { ring(notification: IntakeNotification): void }
  readonly worker: IntakeWorker
  /**
   * Takes the folder in which a session's commands ran out of the way, at once: a session that is opened under this id
   * finds nothing of it. Resolves to where it is now; null: there was none.
   */
  readonly setAsideWorkspace: (sessionId: string) => Promise<string | null>
  /** Removes the bytes of published files whose rows are gone. Never rejects: a sweep does what this does not. */
  readonly removePublished: (fileIds: readonly string[]) => Promise<void>
  /**
   * Removes what a deleted session has left beside its rows. What this does not come to, or a disk refuses, sweeps do,
   * or it ends by itself.
   */
  readonly removeRemains: (remains: SessionRemains) => Promise<void>
  /** The workspaces, as far as files that people send go into them. */
  readonly uploads: IntakeUploads
  readonly checkWebhook: CheckWebhook
  /** What a person has typed to link the channel that a connector speaks for (src/people). */
  readonly redeemLinkCode: (viewer: Viewer, input: TypedLinkCode) => Promise<IdentityLinked | Refusal>
  /** A checkpoint is due: it is made now rather than within a second. */
  readonly wakeCheckpoints: () => void
}

/** A code that a person has typed, and the identity under which the connector knows them. */
export interface TypedLinkCode extends LinkCommand {
  readonly user: string
}

/** The identity belongs to this user from now on. */
export interface IdentityLinked {
  readonly kind: 'IdentityLinked'
  readonly userName: string
}

/** The worker of this process, as far as a message needs it. */
export interface IntakeWorker {
  /**
   * Calls `accept` with who may run the session at once, or null: then the message waits until its session is
   * taken. One that `accept` has taken runs as soon as that resolves: what comes before its turn must have been
   * published by then.
   */
  takeWith<Result extends AcceptResult>(
    sessionId: string,
    accept: (start: Omit<TurnStart, 'limits'> | null) => Promise<Result>,
  ): Promise<Result>
}

/** A file that has come, and is in no workspace yet. */
export interface StagedFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
}

/** How uploads come into workspaces. */
export interface IntakeUploads {
  /** What one workspace may have. */
  readonly workspaceBytes: number
  /** A workspace that was never measured is measured and recorded. */
  measureNew(sessionId: string): Promise<void>
  /**
   * Calls `store` with how the file is put into the workspaces, `forAdmins` into that of admins, too. That gives null,
   * or why it cannot be.
   */
  withTwins<Result>(
    staged: StagedFile,
    forAdmins: boolean,
    store: (place: (place: { readonly sessionId: string; readonly name: string }) => string | null) => Promise<Result>,
  ): Promise<Result>
  /** Removes files of a session by their names, and outputs of tasks; those that are gone are left out. */
  remove(sessionId: string, files: { readonly uploads: readonly string[]; readonly taskIds: readonly string[] }): void
}

/** What a deleted session leaves outside its own rows. */
export interface SessionRemains {
  readonly sessionId: string
  /** Where its workspace was set aside. */
  readonly workspace: string | null
  /** Of the files that it had published. */
  readonly fileIds: readonly string[]
  /** Of its approvals, each of which may have a job that watches over it. */
  readonly approvalIds: readonly string[]
}

/**
 * What intake rings the doorbell for: a turn waits to be claimed, a session was deleted, a running turn is to end, a
 * schedule has changed.
 */
export type IntakeNotification =
  | { readonly kind: 'work' | 'gone'; readonly sessionId: string }
  | { readonly kind: 'cancel'; readonly sessionId: string; readonly turnId: string }
  | { readonly kind: 'schedule'; readonly id: string; readonly userName: string }
