/**
 * The secrets as a turn sees them: the port of secret-store.ts for one session. Everything is asked at the moment it is
 * used.
 */
import type { FoundSecret } from '../core/plan/plan.ts'
import type { Redactor } from './redaction.ts'

export interface SessionSecrets {
  /** Knows the deploy secrets and those of the session, as of now. */
  redactor(): Redactor
  /** Key → value of what people of the session said; only for skills that declare the key. */
  ephemeral(): ReadonlyMap<string, string>
  /** A deploy secret by the name of its variable; only for skills that declare it. */
  deploy(name: string): string | null
  /** Keeps what the planner found. Values that cannot be hidden are not kept, and logged by their keys. */
  remember(found: readonly FoundSecret[]): void
}
