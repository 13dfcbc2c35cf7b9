/** What the app knows of itself and the query `server` shows. Models come from the running configuration instead. */
import type { SandboxState } from '../../../execution/command.ts'

export interface ServerInfo {
  /** The version in package.json. */
  readonly version: string
  readonly startedAt: Date
  /** Product, version and where it runs, such as "PostgreSQL 18.1 (embedded)". */
  readonly database: string
  /** The sandbox as the last probe found it. */
  sandboxState(): SandboxState
}
