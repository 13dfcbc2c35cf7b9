/**
 * The schema over a real database, executed by graphql-js alone: no HTTP, no limits, no hub. What the door adds is
 * tested with the door.
 */
import { DELEGATION } from '../../src/tools/delegate-tool.ts'
import { ToolCatalog } from '../../src/tools/tool-catalog.ts'
import { execute, parse, subscribe, type ExecutionResult } from 'graphql'
import type { Viewer } from '../../src/core/identity.ts'
import type { Skills } from '../../src/execution/skills/skill-catalog.ts'
import type { AuditTrails } from '../../src/graphql/live/audit-trails.ts'
import { createContext, type GraphQLContext } from '../../src/graphql/context.ts'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import type { ApprovalNotifier } from '../../src/graphql/live/notify/approval-notifier.ts'
import type { RowNotifier } from '../../src/graphql/live/notify/row-notifier.ts'
import type { ScheduleNotifier } from '../../src/graphql/live/notify/schedule-notifier.ts'
import type { SessionNotifier } from '../../src/graphql/live/notify/session-notifier.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { Redactor } from '../../src/secrets/redaction.ts'
import { PluginRuntimes } from '../../src/plugins/runtimes/plugin-runtimes.ts'
import type { TypedDocumentString } from '../generated/graphql.ts'
import type { Given } from '../harness/api-client.ts'
import { bareModelChecks } from '../harness/bare-services.ts'
import { createWorld, type World } from '../intake/intake-world.ts'

/** The only one that is known. */
export const SECRET = 'hunter2-hunter2'

const SILENT = createLogger({ level: 'silent', pretty: false })

export type TokenName = Parameters<World['as']>[0]

export interface Answer<Data> {
  readonly data: Given<Data>
  /** Of its errors: extensions.code, or the message of one without. */
  readonly codes: readonly unknown[]
  readonly messages: readonly string[]
}

export class SchemaWorld implements AsyncDisposable {
  readonly world: World
  readonly schema = buildSchema()
  /** What is installed. */
  skills: Skills = { scan: () => ({ skills: new Map(), problems: [] }) }
  /** What `sessionUpdates` tells, by the caller. */
  sessionNotifier: Pick<SessionNotifier, 'follow'> = { follow: () => neverEnding() }
  approvalNotifier: Pick<ApprovalNotifier, 'follow'> = { follow: () => neverEnding() }
  scheduleNotifier: Pick<ScheduleNotifier, 'follow'> = { follow: () => neverEnding() }
  /** What the subscriptions of admins tell. */
  rowNotifier: Pick<RowNotifier, 'follow'> = { follow: () => neverEnding() }

  /** Knows one secret. */
  readonly redactor = Redactor.of([SECRET])
  /** What was refused because of who asked: "bob Query.audit". */
  readonly denied: string[] = []
  readonly denials = {
    forbidden: (viewer: Viewer, field: string): void => void this.denied.push(`${viewer.tokenName} ${field}`),
    absent: (viewer: Viewer, field: string, id: string): void =>
      void this.denied.push(`${viewer.tokenName} ${field} ${id}`),
  }
  /** What `auditTrail` tells. */
  auditTrails: Pick<AuditTrails, 'follow'> = { follow: () => Promise.resolve(neverEnding()) }
  /** Ids of facts and learnings that others were told of. */
  readonly rung: string[] = []
  /** Sessions whose deliveries are due. */
  readonly woken: string[] = []

  constructor(world: World) {
    this.world = world
  }

  /** Executes a query or mutation as the viewer behind this token (or this viewer, or nobody). */
  async run<Data, Variables>(
    as: TokenName | Viewer | null,
    document: TypedDocumentString<Data, Variables> | string,
    variables?: Variables,
  ): Promise<Answer<Data>> {
    const result = await execute({
      schema: this.schema,
      document: parse(document.toString()),
      variableValues: { ...variables },
      contextValue: this.contextFor(as),
    })
    const errors = result.errors ?? []
    return {
      data: result.data as Given<Data>,
      codes: errors.map((error) => error.extensions['code'] ?? error.message),
      messages: errors.map((error) => error.message),
    }
  }

  /** Starts a subscription that is no log view. What refuses to start is the only thing it yields. */
  async subscribe(as: TokenName | Viewer | null, document: string): Promise<AsyncIterable<ExecutionResult>> {
    const started = await subscribe({
      schema: this.schema,
      document: parse(document),
      contextValue: this.contextFor(as),
    })
    return Symbol.asyncIterator in started ? started : once(started)
  }

  contextFor(as: TokenName | Viewer | null): GraphQLContext {
    const { context } = this.world
    const viewer = typeof as === 'string' ? this.world.as(as) : as
    return createContext(
      {
        database: context.database,
        config: context.config,
        clock: context.clock,
        publicUrl: { linkTo: (path) => `https://factotum.test${path}` },
        intake: context,
        knowledge: {
          database: context.database,
          config: context.config,
          clock: context.clock,
          doorbell: { ring: (notification) => this.rung.push(notification.id) },
          feed: context.feed,
          hideSecrets: (text) => this.redactor.redact(text),
        },
        plugins: {
          database: context.database,
          clock: context.clock,
          live: {
            checkSettings: () => Promise.resolve(null),
            changed: () => Promise.resolve(),
            missingRuntimes: () => [],
            secretsNamed: () => [],
          },
          runtimes: new PluginRuntimes(context.clock),
        },
        people: { ...context, live: { declared: () => context.config.current(), changed: () => Promise.resolve() } },
        denials: this.denials,
        auditTrails: this.auditTrails,
        rowNotifier: this.rowNotifier,
        approvals: { ...context, skills: this.skills, toolOf: () => undefined },
        approvalNotifier: this.approvalNotifier,
        toolCatalog: withTools(),
        skills: this.skills,
        modelChecks: bareModelChecks({ ...context, logger: SILENT }),
        scheduleNotifier: this.scheduleNotifier,
        deliveries: {
          database: context.database,
          outbox: { wake: (sessionId) => this.woken.push(sessionId) },
          doorbell: { ring: ({ id }) => this.rung.push(id) },
        },
        secrets: {
          reload: () => ({ kind: 'Reloaded', names: ['DEPLOY_KEY'] }),
          known: () => [{ name: 'DEPLOY_KEY', source: 'ENV_FILE' }],
          redactLine: (line) => this.redactor.redact(line),
        },
        server: {
          version: '0.0.0',
          startedAt: new Date('2026-11-21T15:30:00.000Z'),
          database: 'PostgreSQL 18.1 (embedded)',
          isPaused: false,
          modelFailures: () => [],
          sandboxState: () => ({ available: false, reason: 'no bubblewrap', fix: 'apt install bubblewrap' }),
          configReadings: () => ({ loadedAt: new Date('2026-11-21T15:30:00.000Z'), warnings: [], refused: null }),
        },
      },
      {
        // The door never lets anybody in without a token; the schema must not rely on it.
        viewer: viewer as Viewer,
        requestId: 'test',
        trace: null,
        logger: SILENT,
        grantedSessionId: null,
        answer: null,
        sessionNotifier: this.sessionNotifier as SessionNotifier,
      },
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]()
  }
}

export async function createSchemaWorld(): Promise<SchemaWorld> {
  return new SchemaWorld(await createWorld())
}

async function* once<Value>(value: Value): AsyncGenerator<Value, void, void> {
  yield value
}

async function* neverEnding(): AsyncGenerator<never, void, void> {
  yield* []
}

/** With the one tool that is always there. */
function withTools(): ToolCatalog {
  const catalog = new ToolCatalog()
  catalog.add(DELEGATION)
  return catalog
}
