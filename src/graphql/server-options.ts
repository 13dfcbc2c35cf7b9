/** What the door is opened with (server.ts); each part of it takes what it uses. */
import { type GraphQLSchema } from 'graphql'
import type { AccessDenials } from '../audit/access-denials.ts'
import type { LiveConfig } from '../config/config.ts'
import type { Doorbell } from '../events/doorbell.ts'
import type { Feed } from '../events/feed.ts'
import type { Uploads } from '../execution/workspace/uploads.ts'
import type { IntakeContext } from '../intake/intake-context.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Logins } from '../people/logins.ts'
import type { Database } from '../store/database.ts'
import { type Authenticate } from './socket/connections.ts'
import type { Readiness } from './health/readiness.ts'
import type { CreateContext } from './request-context.ts'

export interface ServerOptions {
  readonly schema: GraphQLSchema
  /** FACTOTUM_HOME: published files lie there. */
  readonly home: string
  /** Where files go that people send. */
  readonly intake: IntakeContext
  readonly uploads: Uploads
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  readonly authenticate: Authenticate
  /** Of pages that this server serves; null: nobody logs in. */
  readonly logins: Pick<Logins, 'logIn' | 'logOut' | 'recall'> | null
  /** Audits denied access: things that the caller may not see. */
  readonly denials: Pick<AccessDenials, 'absent' | 'forbidden' | 'unknownToken'>
  readonly createContext: CreateContext
  readonly config: LiveConfig
  /** Outside of it, pages that this machine serves to itself may call us. */
  readonly production: boolean
  readonly feed: Feed
  readonly doorbell: Doorbell
  readonly database: Database
  readonly readiness: Readiness
  /** The GraphiQL page, or null. */
  readonly graphiqlPage: (() => Promise<string>) | null
  /** Users' own plugins of graphql-yoga. */
  readonly plugins: readonly object[]
  /** WebSockets open at the same time; the server's bound unless given. */
  readonly maxSockets?: number
  /** How long nothing may move over a connection; the server's bound unless given. */
  readonly idleMs?: number
  readonly logger: Logger
  readonly metrics: Metrics
  readonly clock: Clock
}
