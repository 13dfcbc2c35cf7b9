/**
 * The composition root: every long-lived object is made here, in the order in which a message meets them, and ended in
 * reverse. Nothing else in src/ makes an object that outlives a request, so two apps in one process do not see each other.
 */
import { messageOf } from './core/errors.ts'
import type { Agents } from './agents/agent.ts'
import type { CallGate } from './agents/call-gate.ts'
import { createGatedAgents } from './agents/create-agents.ts'
import { approvalJobKey, ApprovalExpiry } from './approvals/approval-expiry.ts'
import { AccessDenials } from './audit/access-denials.ts'
import { AuditSealer } from './audit/audit-sealer.ts'
import { ConfigAudit, type ConfigAuditOptions } from './audit/config-audit.ts'
import { REMOVE_OLD_AUDIT, removeOldAudit } from './audit/remove-old-audit.ts'
import { authenticate } from './config/access/authenticate.ts'
import type { LiveConfig } from './config/config.ts'
import { AddressGuard } from './delivery/address-guard.ts'
import { deliveryJobKey, Outbox } from './delivery/outbox.ts'
import { createWebhookCheck, type CheckWebhook } from './delivery/webhook-registration.ts'
import { openLiveConfig, type LiveConfigFile } from './config/live-config.ts'
import { configPath } from './config/load-config.ts'
import { AppError } from './core/errors.ts'
import { PublicUrl } from './config/public-url.ts'
import { findMissingKeys } from './config/access/api-keys.ts'
import { Doorbell } from './events/doorbell.ts'
import { Feed } from './events/feed.ts'
import { createCommandRunner, type CommandService } from './execution/run-command.ts'
import { MEASURE_WORKSPACES, measureWorkspaces } from './execution/workspace/measure-workspaces.ts'
import { recordWorkspaceBytes, type MeasuredWorkspace } from './store/workspace-usage.ts'
import {
  removeSetAside,
  setAsideWorkspace,
  SWEEP_WORKSPACES,
  sweepWorkspaces,
} from './execution/workspace/set-aside-workspace.ts'
import { SkillCatalog, type Skills } from './execution/skills/skill-catalog.ts'
import { createApprovalNotifier, type ApprovalNotifier } from './graphql/approval-notifier.ts'
import { AuditTrails } from './graphql/audit-trails.ts'
import { createContext } from './graphql/context.ts'
import { renderGraphiqlPage } from './graphql/graphiql-page.ts'
import { createKnowledgeNotifier, type KnowledgeNotifier } from './graphql/knowledge-notifier.ts'
import { readAudience } from './graphql/session-audience.ts'
import { createReadiness } from './graphql/readiness-checks.ts'
import { buildSchema } from './graphql/schema/schema.ts'
import { startServer, type RunningServer } from './graphql/server.ts'
import type { IntakeContext } from './intake/intake-context.ts'
import { Checkpointer } from './knowledge/checkpoints/checkpointer.ts'
import { JobRunner, type JobHandlers } from './jobs/job-runner.ts'
import { removeJobs } from './jobs/remove-jobs.ts'
import { createLanguageModel } from './model/create-language-model.ts'
import type { Clock } from './platform/clock.ts'
import type { LogLines } from './platform/log-lines.ts'
import type { Logger } from './platform/logger.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { VERSION } from './platform/version.ts'
import { Scheduler } from './schedules/scheduler.ts'
import type { Redactor } from './secrets/redaction.ts'
import { SecretStore } from './secrets/secret-store.ts'
import { findOpenApprovals } from './store/turn/approvals.ts'
import { Database } from './store/database.ts'
import { DatabaseClock } from './store/database-clock.ts'
import { describeDatabase } from './store/describe-database.ts'
import { HomeWatch } from './config/home/home-watch.ts'
import { migrate, migrationNames } from './store/migrate.ts'
import { reachDatabase } from './store/reach-database.ts'
import { removePublishedBytes } from './store/published-bytes.ts'
import { resolveDatabase } from './store/resolve-database.ts'
import { SWEEP_PUBLISHED_FILES, sweepPublishedFiles } from './store/sweep-published-files.ts'
import { PausedTurns } from './worker/paused-turns.ts'
import { SessionRun } from './worker/session-run.ts'
import { Worker } from './worker/worker.ts'

export interface AppOptions {
  /** FACTOTUM_HOME, prepared (src/config/home/factotum-home.ts). */
  readonly home: string
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null
  /** For the keys of providers and for proxies. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly production: boolean
  readonly clock: Clock
  readonly logger: Logger
  /** Those of `logger`, so that they hold no secret. */
  readonly logLines: LogLines
  /** Aborts when the process is to stop: a start that waits is broken off. */
  readonly stopping: AbortSignal
}

export interface App {
  readonly url: string
  /** Reads config.toml again at once, instead of within the next second. */
  reloadConfig(): Promise<void>
  /** Drains: no new turns, running ones get `drain_timeout`; then closes everything. Repeatable. */
  stop(): Promise<void>
}

/**
 * Connections to PostgreSQL that a process may have open at once, besides those that listen, beat, keep, and run jobs. Statements
 * are short: more at once wait for each other in the database rather than here, and are no faster (bench, part b).
 */
const MAX_CONNECTIONS = 12

/**
 * Resolves when the server answers and takes work. Rejects with an AppError that says what to change, or with SHUTTING_DOWN when it was
 * `stopping` before.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const opened = new Opened()
  try {
    return await open(options, opened)
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function open(options: AppOptions, opened: Opened): Promise<App> {
  const { home, logger, production } = options
  const config = await openLiveConfig({ path: configPath(home), production, logger, clock: options.clock })
  opened.add(() => config.stop())
  const secrets = new SecretStore({ home, env: options.environment, config, clock: options.clock, logger })
  opened.add(() => secrets.stop())
  options.logLines.changeBy((line) => secrets.redactLine(line))
  for (const missing of findMissingKeys(config.current(), secrets))
    logger.warn(`the key of a provider is not set: ${missing}`)
  const publicUrl = new PublicUrl(config)
  const stored = await openStore({ ...options, secrets }, opened)
  if (options.stopping.aborted) throw new AppError('SHUTTING_DOWN', 'Stopped before it had started.')
  const { clock } = stored
  const startedAt = clock.now()
  const parts = {
    ...options,
    clock,
    config,
    publicUrl,
    secrets,
    metrics: createMetrics(),
    startedAt,
    hostClock: options.clock,
  }
  await startAudit({ ...parts, ...stored, config }, opened)
  const background = await openBackground({ ...parts, ...stored }, opened)
  const tools = await openTools({ ...parts, ...stored }, opened)
  const redactorOf = (session: string): Redactor => secrets.redactorOf(session)
  const checkpointer = new Checkpointer({ ...parts, ...stored, ...tools, redactorOf })
  const made = { ...parts, ...stored, ...background, ...tools, checkpointer, redactorOf }
  const homeWatch = await HomeWatch.start({ home, clock: options.clock, logger })
  opened.add(() => homeWatch.stop())
  const worker = createWorker(made, homeWatch)
  const watching = startWatching({ ...parts, ...stored }, opened)
  const intake = createIntake(made, worker)
  const migrations = await migrationNames()
  const door = await openDoor({ ...made, ...watching, worker, intake, homeWatch, migrations })
  opened.add(() => door.stop())
  publicUrl.listensAt(door.url)
  // Drained first, while the door still shows how the last turns end.
  await worker.start()
  opened.add(() => worker.stop())
  const scheduler = new Scheduler({ intake, clock, logger })
  const pausedTurns = new PausedTurns({ ...stored, config, logger })
  for (const part of [scheduler, pausedTurns, checkpointer]) {
    part.start()
    opened.add(() => part.stop())
  }
  logger.info({ url: door.url, database: stored.described }, 'factotum is ready')
  return { url: door.url, reloadConfig: () => config.reload(), stop: () => opened.close() }
}

interface Parts extends AppOptions {
  readonly config: LiveConfig
  readonly publicUrl: PublicUrl
  readonly secrets: SecretStore
  readonly metrics: Metrics
  readonly startedAt: Date
  /** Of this machine, as files show it. */
  readonly hostClock: Clock
}

interface Stored {
  readonly database: Database
  readonly doorbell: Doorbell
  readonly feed: Feed
  /** The database's time. */
  readonly clock: Clock
  /** What database it is, for people. */
  readonly described: string
}

/** Where everything that must not be lost is, and how commits become news, here and in other processes. */
async function openStore(parts: AppOptions & Pick<Parts, 'secrets'>, opened: Opened): Promise<Stored> {
  const { home, databaseUrl, secrets, logger, stopping } = parts
  const resolved = await resolveDatabase(databaseUrl, { home, logger, clock: parts.clock })
  opened.add(() => resolved.stop())
  secrets.hidePasswordOf('the address of the database', resolved.url)
  if (!resolved.embedded) await reachDatabase(resolved.url, parts)
  await migrate(resolved.url, { logger, clock: parts.clock, stopping })
  const database = new Database({ url: resolved.url, maxConnections: MAX_CONNECTIONS, logger })
  opened.add(() => database.close())
  await database.fill()
  const clock = await DatabaseClock.start({ database, clock: parts.clock, logger })
  opened.add(() => clock.stop())
  const doorbell = new Doorbell({ url: resolved.url, logger, clock })
  doorbell.on('gone', ({ sessionId }) => secrets.forget(sessionId))
  await doorbell.start()
  opened.add(() => doorbell.stop())
  const feed = new Feed({ database, doorbell, logger, clock })
  feed.start()
  opened.add(() => feed.stop())
  const described = `${await describeDatabase(database)}${resolved.embedded ? ' (embedded)' : ''}`
  return { database, doorbell, feed, clock, described }
}

interface Background {
  readonly outbox: Outbox
  readonly approvalExpiry: ApprovalExpiry
  readonly checkWebhook: CheckWebhook
}

/** What happens beside turns: jobs, and the posting of texts to webhooks. */
async function openBackground(parts: Parts & Stored, opened: Opened): Promise<Background> {
  const { database, config, secrets, clock, logger, metrics } = parts
  const guard = new AddressGuard({ rules: () => config.current().settings })
  const outbox = new Outbox({ database, config, keys: secrets, guard, clock, logger, metrics })
  opened.add(() => outbox.stop())
  const approvalExpiry = new ApprovalExpiry(parts)
  const { name: sweep } = SWEEP_PUBLISHED_FILES
  const handlers: JobHandlers = {
    ...outbox.handlers,
    ...approvalExpiry.handlers,
    [sweep]: (_payload, signal) => sweepPublishedFiles(parts, signal),
    [SWEEP_WORKSPACES.name]: (_payload, signal) => sweepWorkspaces(parts, signal),
    [MEASURE_WORKSPACES.name]: (_payload, signal) => measureWorkspaces(parts, signal),
    [REMOVE_OLD_AUDIT.name]: (_payload, signal) => removeOldAudit({ database, config, clock, logger }, signal),
  }
  const periodic = [
    ...outbox.periodic,
    ...approvalExpiry.periodic,
    SWEEP_PUBLISHED_FILES,
    SWEEP_WORKSPACES,
    MEASURE_WORKSPACES,
    REMOVE_OLD_AUDIT,
  ]
  const jobs = new JobRunner({ url: database.url, handlers, periodic, clock, logger, metrics })
  opened.add(() => jobs.stop())
  await jobs.start()
  await outbox.sweep()
  return { outbox, approvalExpiry, checkWebhook: createWebhookCheck({ config, keys: secrets, guard }) }
}

/** Stopped after all that writes to the audit; what was not sealed by then is sealed by the next process. */
async function startAudit(parts: Parts & Stored & { readonly config: LiveConfigFile }, opened: Opened): Promise<void> {
  const { database, doorbell, config, secrets, clock, logger, metrics } = parts
  const onSealed = (): void => doorbell.ring({ kind: 'audit' })
  const sealer = new AuditSealer({ database, clock, logger, metrics, onSealed })
  await sealer.start()
  opened.add(() => sealer.stop())
  const onSecretsReloaded: ConfigAuditOptions['onSecretsReloaded'] = (listener) => secrets.onReloaded(listener)
  const hideSecrets = (text: string): string => secrets.redactLine(text)
  const configAudit = new ConfigAudit({ database, config, onSecretsReloaded, hideSecrets, clock, logger })
  configAudit.start()
  opened.add(() => configAudit.stop())
}

/** What goes on behind the door: who watches what, and what is refused. */
interface Watching {
  readonly knowledgeNotifier: KnowledgeNotifier
  readonly approvalNotifier: ApprovalNotifier
  readonly auditTrails: AuditTrails
  readonly denials: AccessDenials
}

function startWatching({ database, doorbell, config, clock, logger }: Parts & Stored, opened: Opened): Watching {
  const watching = {
    denials: new AccessDenials({ database, config, clock, logger }),
    knowledgeNotifier: createKnowledgeNotifier({ database, doorbell, clock, logger }),
    approvalNotifier: createApprovalNotifier({
      doorbell,
      readAudience: (sessionId) => readAudience(database, sessionId),
      readOpen: (limit) => findOpenApprovals(database, limit),
      logger,
    }),
    auditTrails: new AuditTrails({ database, doorbell, clock }),
  }
  for (const part of Object.values(watching)) {
    part.start()
    opened.add(() => part.stop())
  }
  return watching
}

interface Tools {
  readonly commands: CommandService
  readonly skills: Skills
  readonly agentsFor: (gate: CallGate) => Agents
}

/** What a turn calls: commands, skills and models. */
async function openTools(
  { home, database, config, secrets, environment, clock, logger }: Parts & Stored,
  opened: Opened,
): Promise<Tools> {
  // One that is not recorded is measured again behind the session's next command.
  const onMeasured = (measured: MeasuredWorkspace): void =>
    void recordWorkspaceBytes(database, measured).catch((error: unknown) =>
      logger.warn({ error: messageOf(error), ...measured }, 'the size of a workspace is not recorded'),
    )
  const commands = await createCommandRunner({ home, logger, clock, onMeasured })
  opened.add(() => commands.stop())
  const model = createLanguageModel({ config, keys: secrets, proxyEnv: environment, clock, logger })
  const skills = new SkillCatalog({ home, logger })
  return { commands, skills, agentsFor: createGatedAgents({ config, model, home, clock, logger }) }
}

/** What the worker, intake and the door are made of. */
interface Made extends Parts, Stored, Background, Tools {
  readonly checkpointer: Checkpointer
  readonly redactorOf: (sessionId: string) => Redactor
}

/** A message is taken by the worker … */
function createWorker(parts: Made, homeWatch: HomeWatch): Worker {
  const { database, doorbell, feed, config, secrets, clock, logger, metrics, home, publicUrl } = parts
  const { agentsFor, commands, skills, outbox, approvalExpiry, checkpointer } = parts
  const calls = { agentsFor, commands: commands.runner, skills, outbox, approvalExpiry, checkpointer }
  const run = { database, feed, doorbell, config, home, publicUrl, secrets, ...calls, clock, logger, metrics }
  return new Worker({
    database,
    doorbell,
    config,
    clock,
    logger,
    home,
    homeProblem: () => homeWatch.problem,
    commands,
    startRun: (lease, begun, mayGoOn) => new SessionRun({ lease, begun, mayGoOn, ...run }),
  })
}

/** … after it has entered, by the door or by the clock. */
function createIntake(parts: Made, worker: Worker): IntakeContext {
  const { database, doorbell, feed, config, redactorOf, clock, checkWebhook, checkpointer, home } = parts
  const removeRemains: IntakeContext['removeRemains'] = async ({ sessionId, workspace, fileIds, approvalIds }) => {
    await removePublishedBytes(home, fileIds)
    if (workspace !== null) await removeSetAside(home, workspace)
    await removeJobs(database, [deliveryJobKey(sessionId), ...approvalIds.map(approvalJobKey)])
  }
  const wakeCheckpoints = (): void => checkpointer.wake()
  const files = {
    setAsideWorkspace: (sessionId: string) => setAsideWorkspace(home, sessionId),
    removePublished: (fileIds: readonly string[]) => removePublishedBytes(home, fileIds),
    removeRemains,
  }
  return { database, config, clock, redactorOf, feed, doorbell, worker, ...files, checkWebhook, wakeCheckpoints }
}

interface DoorParts extends Made, Watching {
  readonly intake: IntakeContext
  readonly worker: Worker
  readonly homeWatch: HomeWatch
  /** The names of those that this build knows. */
  readonly migrations: readonly string[]
}

function openDoor(parts: DoorParts): Promise<RunningServer> {
  const { database, doorbell, feed, config, secrets, commands, worker, clock, logger, metrics, host, port } = parts
  const { intake, redactorOf } = parts
  const knowledge = { database, clock, doorbell, feed, hideSecrets: (text: string) => secrets.redactLine(text) }
  const { startedAt, described, knowledgeNotifier, approvalNotifier, denials, auditTrails, skills, outbox, publicUrl } =
    parts
  const approvals = { database, config, clock, skills, redactorOf, feed, doorbell }
  const server = { version: VERSION, startedAt, database: described, sandboxState: () => commands.sandbox() }
  return startServer({
    schema: buildSchema(),
    home: parts.home,
    authenticate: (token) => {
      const viewer = authenticate(config.current(), token)
      if (viewer === null) denials.unknownToken(token)
      return viewer
    },
    denials,
    createContext: (request) =>
      createContext(
        {
          database,
          config,
          clock,
          publicUrl,
          denials,
          auditTrails,
          intake,
          knowledge,
          knowledgeNotifier,
          approvals,
          approvalNotifier,
          skills,
          secrets,
          outbox,
          server,
        },
        request,
      ),
    readiness: createReadiness({
      database,
      commands,
      config,
      keys: secrets,
      isDraining: () => worker.isDraining,
      homeProblem: () => parts.homeWatch.problem,
      migrations: parts.migrations,
    }),
    graphiqlPage: renderGraphiqlPage,
    host,
    port,
    config,
    feed,
    doorbell,
    database,
    logger,
    metrics,
    clock,
  })
}

/** What has been opened, to be closed in reverse. One that fails to close does not keep the others open. */
class Opened {
  readonly #closers: (() => Promise<void>)[] = []
  #closing: Promise<void> | null = null

  add(close: () => Promise<void>): void {
    this.#closers.push(close)
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = []
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some parts did not close')
  }
}
