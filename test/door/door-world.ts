/**
 * The door under test: real servers on free ports over one real database, each with a feed and a doorbell of its own,
 * as processes would have them. Events are appended the way the store does it: rows and `last_seq` in one statement,
 * published after the commit.
 */
import { viewerOf } from '../../src/config/access/authenticate.ts'
import type { Config, LiveConfig } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import type { SessionEvent, SessionEventBody } from '../../src/core/session-event.ts'
import { Doorbell } from '../../src/events/doorbell.ts'
import { Uploads } from '../../src/execution/workspace/uploads.ts'
import { Feed } from '../../src/events/feed.ts'
import { createContext } from '../../src/graphql/context.ts'
import type { Readiness } from '../../src/graphql/health/readiness.ts'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { startServer, type RunningServer } from '../../src/graphql/server.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { createLogger, type Logger } from '../../src/platform/logger.ts'
import { createMetrics, type Metrics } from '../../src/platform/metrics.ts'
import { Database } from '../../src/store/database.ts'
import { bareServices } from '../harness/bare-services.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { TIMING } from '../../src/config/timing.ts'

/** Tokens are "<name>-token-0123456789abcdef". */
export const CONFIG = `
[users.alice]
role = "admin"
[users.bob]
role = "user"
skills = []
[users.carol]
role = "user"
skills = []
[tokens.alice]
kind = "user"
user = "alice"
token = "alice-token-0123456789abcdef"
[tokens.bob]
kind = "user"
user = "bob"
token = "bob-token-0123456789abcdef"
[tokens.carol]
kind = "user"
user = "carol"
token = "carol-token-0123456789abcdef"
[tokens.discord]
kind = "connector"
namespace = "discord"
token = "discord-token-0123456789abcdef"
[settings]
requests_per_minute = 100000
`

export function tokenOf(name: 'alice' | 'bob' | 'carol' | 'discord'): string {
  return `${name}-token-0123456789abcdef`
}

export class TestConfig implements LiveConfig {
  #config: Config
  readonly #listeners = new Set<(config: Config) => void>()

  constructor(toml: string) {
    this.#config = readConfig(toml)
  }

  current(): Config {
    return this.#config
  }

  onChange(listener: (config: Config) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What the running configuration does when config.toml changes. */
  change(toml: string): void {
    this.#config = readConfig(toml)
    for (const listener of this.#listeners) listener(this.#config)
  }
}

function readConfig(toml: string): Config {
  const parsed = parseConfig(toml, { production: false })
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  return parsed.config
}

/** One process's share of the world. */
export interface Door extends AsyncDisposable {
  readonly server: RunningServer
  readonly url: string
  readonly webSocketUrl: string
  readonly config: TestConfig
  readonly database: Database
  readonly doorbell: Doorbell
  readonly feed: Feed
  readonly metrics: Metrics
  /** Appends events and publishes them here. */
  append(sessionId: string, ...bodies: readonly SessionEventBody[]): Promise<readonly SessionEvent[]>
  /** The value of a metric, all labels summed up. */
  metric(name: string): Promise<number>
}

export interface DoorOptions {
  readonly config?: string
  /** Another database than the world's. */
  readonly databaseUrl?: string
  readonly readiness?: Readiness
  readonly graphiqlPage?: () => Promise<string>
  readonly logger?: Logger
  readonly maxSockets?: number
  readonly idleMs?: number
  /** Of graphql-yoga. */
  readonly plugins?: readonly object[]
  readonly production?: boolean
  /** FACTOTUM_HOME, for files; nowhere unless given. */
  readonly home?: string
  /** Of all that answers requests. */
  readonly clock?: Clock
}

export interface DoorWorld extends AsyncDisposable {
  readonly testDatabase: TestDatabase
  openDoor(options?: DoorOptions): Promise<Door>
}

export async function createDoorWorld(): Promise<DoorWorld> {
  const stack = new AsyncDisposableStack()
  const testDatabase = stack.use(await createTestDatabase())
  return {
    testDatabase,
    openDoor: async (options) => stack.use(await openDoor(options?.databaseUrl ?? testDatabase.url, options)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function openDoor(url: string, options: DoorOptions = {}): Promise<Door> {
  const logger = options.logger ?? createLogger({ level: 'silent', pretty: false })
  const clock = systemClock
  const database = new Database({ url, maxConnections: 5, logger })
  const doorbell = new Doorbell({ url, logger, clock })
  const feed = new Feed({ database, doorbell, timing: TIMING, logger, clock })
  const config = new TestConfig(options.config ?? CONFIG)
  const metrics = createMetrics()
  await doorbell.start()
  feed.start()
  const home = options.home ?? '/nowhere'
  const services = bareServices({ database, config, doorbell, feed, clock: options.clock ?? clock, logger })
  const server = await startServer({
    schema: buildSchema(),
    home,
    intake: services.intake,
    uploads: new Uploads({ home, database }),
    host: '127.0.0.1',
    port: 0,
    authenticate: (credential) => viewerOf(config.current(), credential),
    logins: null,
    denials: { ...services.denials, unknownToken: () => undefined },
    createContext: (request) => createContext(services, request),
    readiness: options.readiness ?? {},
    graphiqlPage: options.graphiqlPage ?? null,
    plugins: options.plugins ?? [],
    production: options.production ?? true,
    ...(options.maxSockets !== undefined && { maxSockets: options.maxSockets }),
    ...(options.idleMs !== undefined && { idleMs: options.idleMs }),
    config,
    feed,
    doorbell,
    database,
    logger,
    metrics,
    clock: options.clock ?? clock,
  })
  const close = async (): Promise<void> => {
    await server.stop()
    await feed.stop()
    await doorbell.stop()
    await database.close()
  }
  return {
    server,
    url: server.url,
    config,
    database,
    doorbell,
    feed,
    metrics,
    webSocketUrl: `${server.url.replace('http', 'ws')}/graphql`,
    append: async (sessionId, ...bodies) => {
      const events = await appendEvents(database, sessionId, bodies)
      feed.published(events)
      return events
    },
    metric: async (name) => {
      const found = await metrics.registry.getSingleMetric(name)?.get()
      return (found?.values ?? []).reduce((sum, { value }) => sum + value, 0)
    },
    [Symbol.asyncDispose]: close,
  }
}

/** Without publishing: as another process would, whose notification is lost. */
export async function appendEvents(
  database: Database,
  sessionId: string,
  bodies: readonly SessionEventBody[],
): Promise<readonly SessionEvent[]> {
  const rows = await database.query<{ seq: number; at: Date }>(
    {
      name: 'test.append',
      text: `WITH session AS (
          UPDATE sessions SET last_seq = last_seq + cardinality($2::text[]) WHERE id = $1 RETURNING last_seq
        )
        INSERT INTO events (session_id, seq, at, turn_id, type, data)
        SELECT $1, session.last_seq - cardinality($2::text[]) + new.n, now(), NULL, new.type, new.data
        FROM session, unnest($2::text[], $3::jsonb[]) WITH ORDINALITY AS new(type, data, n)
        ORDER BY new.n RETURNING seq, at`,
    },
    [sessionId, bodies.map(({ type }) => type), bodies.map(({ type: _type, ...data }) => JSON.stringify(data))],
  )
  return bodies.map((body, index) => {
    const row = rows[index]
    if (row === undefined) throw new Error(`there is no session ${sessionId}`)
    return { ...body, seq: row.seq, at: row.at, sessionId, turnId: null }
  })
}

export async function createSession(
  database: Database,
  id: string,
  participants: readonly string[] = [],
): Promise<void> {
  await database.prisma.session.create({
    data: {
      id,
      sourceKind: 'cli',
      sourceInteractive: true,
      participants: { create: participants.map((userName) => ({ userName })) },
    },
  })
}

export function output(text: string): SessionEventBody {
  return { type: 'TaskOutput', taskId: 'task_x', stream: 'STDOUT', text }
}

export function step(detail: string): SessionEventBody {
  return { type: 'PipelineStep', step: 'EXECUTING', detail }
}
