/**
 * The world in which the use cases of intake are tested: a real database, a configuration with a few people, and a
 * record of what was published and rung. Turns are started and ended by the worker's own statements.
 */
import { authenticate } from '../../src/config/access/authenticate.ts'
import type { Config } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import type { Viewer } from '../../src/core/identity.ts'
import type { SessionEvent } from '../../src/core/session-event.ts'
import type { FinalTurnStatus } from '../../src/core/status.ts'
import type { IntakeContext, IntakeNotification, SessionRemains } from '../../src/intake/intake-context.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { Redactor } from '../../src/secrets/redaction.ts'
import { beginTurn, type OpenTurn } from '../../src/store/turn/begin-turn.ts'
import { Database } from '../../src/store/database.ts'
import type { Lease } from '../../src/store/turn/lease.ts'
import { commitTurn } from '../../src/store/turn/turn-commit.ts'
import { createTestDatabase } from '../harness/database.ts'
import { PATIENCE_MS } from '../harness/patience.ts'

const CONFIG = `
[users.alice]
role = "admin"
[users.bob]
role = "user"
skills = []
aliases.discord = "Bob#1"
aliases.hub = "b-17"
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
[tokens.hub]
kind = "connector"
namespace = "*"
token = "hub-token-0123456789abcdef"

[settings]
max_queued = 60
[budgets]
user_tokens_per_day = 1_000_000
`
export const MAX_QUEUED = 60

/** A secret that this process knows. */
export const SECRET = 'open-sesame-42'
const REDACTOR = Redactor.of([SECRET])

export interface World extends AsyncDisposable {
  readonly context: IntakeContext
  readonly published: SessionEvent[]
  readonly rung: IntakeNotification[]
  readonly removed: SessionRemains[]
  /** The viewer behind the token of this name. */
  as(tokenName: 'alice' | 'bob' | 'carol' | 'discord' | 'hub'): Viewer
  sql<Row extends object = Record<string, unknown>>(text: string, ...values: unknown[]): Promise<Row[]>
  /** The log of a session, as "seq type". */
  log(sessionId: string): Promise<string[]>
  /** Claims the session and starts its next turn, as a worker does. Null: there is none. */
  begin(sessionId: string): Promise<StartedTurn | null>
  /**
   * Does `first` in a transaction, then starts `second`, which must come to wait for it, commits, and returns what both
   * came to. That is the worst moment: the second statement's snapshot is older than what the first wrote.
   */
  interleave<First, Second>(
    first: (uncommitted: World) => Promise<First>,
    second: () => Promise<Second>,
  ): Promise<[First, Second]>
}

interface StartedTurn {
  readonly turn: OpenTurn
  /** Ends it, on the connection of `on` when given. */
  end(status: FinalTurnStatus, on?: World): Promise<void>
}

/** Nodes 1 to 9 are in the list. */
export async function createWorld(): Promise<World> {
  const server = await createTestDatabase()
  const database = connect(server.url, 16)
  const world = worldOn(database, server.url)
  await world.sql('INSERT INTO nodes (id) SELECT generate_series(1, 9)')
  return {
    ...world,
    async [Symbol.asyncDispose]() {
      await database.close()
      await server.drop()
    },
  }
}

function connect(url: string, maxConnections: number): Database {
  return new Database({ url, maxConnections, logger: createLogger({ level: 'silent', pretty: false }) })
}

function worldOn(database: Database, url: string): World {
  const config = readConfig()
  const published: SessionEvent[] = []
  const rung: IntakeNotification[] = []
  const removed: SessionRemains[] = []
  const sql = <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
    database.query<Row>({ name: '', text, timeoutMs: PATIENCE_MS }, values)
  return {
    published,
    rung,
    removed,
    sql,
    context: {
      database,
      config: { current: () => config, onChange: () => () => {} },
      clock: systemClock,
      redactorOf: () => REDACTOR,
      feed: { published: (events) => void published.push(...events) },
      doorbell: { ring: (notification) => void rung.push(notification) },
      worker: { takeWith: (_sessionId, accept) => accept(null) },
      wakeCheckpoints: () => undefined,
      checkWebhook: async (url) => (url.startsWith('https://') ? null : 'must begin with "https://"'),
      redeemLinkCode: () => Promise.reject(new Error('no codes are redeemed here')),
      setAsideWorkspace: (sessionId) => Promise.resolve(`aside of ${sessionId}`),
      removePublished: () => Promise.resolve(),
      uploads: {
        workspaceBytes: 0,
        measureNew: () => Promise.resolve(),
        withTwins: (_staged, _forAdmins, store) => store(() => null),
        remove: () => undefined,
      },
      removeRemains: (remains) => Promise.resolve(void removed.push(remains)),
    },
    as: (tokenName) => must(authenticate(config, `${tokenName}-token-0123456789abcdef`), 'a known token'),
    log: async (sessionId) => {
      const rows = await sql<{ line: string }>(
        `SELECT seq || ' ' || type AS line FROM events WHERE session_id = $1 ORDER BY seq`,
        sessionId,
      )
      return rows.map((row) => row.line)
    },
    begin: (sessionId) => begin(database, sessionId),
    interleave: (first, second) => interleave(url, first, second),
    [Symbol.asyncDispose]: () => database.close(),
  }
}

async function interleave<First, Second>(
  url: string,
  first: (uncommitted: World) => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  // A pool of one connection: what runs between BEGIN and COMMIT is one transaction.
  await using uncommitted = worldOn(connect(url, 1), url)
  await uncommitted.sql('BEGIN')
  const before = await first(uncommitted)
  const after = second()
  const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`
  while ((await uncommitted.sql(waiting)).length === 0) await systemClock.sleep(2)
  await uncommitted.sql('COMMIT')
  return [before, await after]
}

function readConfig(): Config {
  const parsed = parseConfig(CONFIG, { production: false })
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  return parsed.config
}

/** Its own node, number 1, owns every session it begins. */
async function begin(database: Database, sessionId: string): Promise<StartedTurn | null> {
  const text = 'UPDATE sessions SET owner = 1, epoch = epoch + 1 WHERE id = $1 RETURNING epoch'
  const [row] = await database.query<{ epoch: number }>({ name: 'test.own', text }, [sessionId])
  const lease: Lease = { sessionId, node: 1, epoch: must(row, 'the session exists').epoch }
  const outcome = await beginTurn(database, lease, {
    at: new Date(),
    limits: { summarizeThreshold: 30, maxRunningPerUser: 1000 },
  })
  if (outcome.kind === 'Nothing') return null
  const { turn } = outcome
  return {
    turn,
    end: async (status, on) => {
      const at = new Date()
      await commitTurn(
        on?.context.database ?? database,
        { lease, turn },
        { events: [], step: 'COMPLETE', finish: { status, failure: null, at } },
      )
    },
  }
}
