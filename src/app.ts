/**
 * The composition root: every long-lived object is made here, in the order in which a message meets them, and ended in
 * reverse. Nothing else in src/ (but open-*.ts, for it) makes an object that outlives a request, so two apps in one
 * process do not see each other.
 */
import type { ApprovalsContext } from './approvals/approvals-context.ts'
import { approvalJobKey } from './approvals/approval-expiry.ts'
import type { AccessDenials } from './audit/access-denials.ts'
import { viewerOf } from './config/access/authenticate.ts'
import { Delegator } from './delegation/delegator.ts'
import { deliveryJobKey } from './delivery/outbox.ts'
import { openLiveConfig, type LiveConfigFile } from './config/live-config.ts'
import { configPath } from './config/load-config.ts'
import type { Credential, Viewer } from './core/identity.ts'
import { AppError } from './core/errors.ts'
import { checkTiming, type Timing } from './config/timing.ts'
import { PublicUrl } from './config/public-url.ts'
import { findMissingKeys } from './config/access/api-keys.ts'
import { removeSetAside, setAsideWorkspace } from './execution/workspace/set-aside-workspace.ts'
import { Uploads } from './execution/workspace/uploads.ts'
import { createContext } from './graphql/context.ts'
import { renderGraphiqlPage } from './graphql/http/graphiql-page.ts'
import { loadPlugins } from './graphql/plugins/load-plugins.ts'
import { showLiveFigures } from './graphql/health/live-figures.ts'
import { createReadiness } from './graphql/health/readiness-checks.ts'
import { buildSchema } from './graphql/schema/schema.ts'
import { createServerInfo } from './graphql/schema/server/server-info.ts'
import { startServer, type RunningServer } from './graphql/server.ts'
import type { IntakeContext } from './intake/intake-context.ts'
import { Checkpointer, type CheckpointerOptions } from './knowledge/checkpoints/checkpointer.ts'
import { EmbeddingJobs } from './knowledge/embeddings/embedding-jobs.ts'
import { CurationJobs } from './knowledge/curation/curation-jobs.ts'
import { removeJobs } from './jobs/remove-jobs.ts'
import { createLoginLink, type LoginLink } from './people/create-login-link.ts'
import { LivePeople } from './people/live-people.ts'
import { Logins } from './people/logins.ts'
import { redeemLinkCode } from './people/redeem-link-code.ts'
import type { Clock } from './platform/clock.ts'
import type { LogLines } from './platform/log-lines.ts'
import type { Logger } from './platform/logger.ts'
import { commitOfBuild } from './platform/commit-of-build.ts'
import type { Metrics } from './platform/metrics.ts'
import { VERSION } from './platform/version.ts'
import { LiveHooks } from './plugins/hooks/live-hooks.ts'
import type { LivePlugins } from './plugins/live-plugins.ts'
import { PluginRuntimes } from './plugins/runtimes/plugin-runtimes.ts'
import { Scheduler } from './schedules/scheduler.ts'
import type { Redactor } from './secrets/redaction.ts'
import { SecretStore } from './secrets/secret-store.ts'
import type { Tracing } from './telemetry/tracing.ts'
import { HomeWatch } from './config/home/home-watch.ts'
import { migrationNames } from './store/connection/migrate.ts'
import { removePublishedBytes } from './store/files/published-bytes.ts'
import { Opened } from './opened.ts'
import { openAudit } from './open-audit.ts'
import { openBackground, type Background } from './open-background.ts'
import { openFigures } from './open-figures.ts'
import { openStore, type Stored } from './open-store.ts'
import { openPlugins } from './open-plugins.ts'
import { openTools, type Tools } from './open-tools.ts'
import { openWatching, type Watching } from './open-watching.ts'
import { PausedTurns } from './worker/paused-turns.ts'
import { SessionRun } from './worker/session-run.ts'
import { Conversations } from './worker/conversations.ts'
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
  readonly timing: Timing
  readonly clock: Clock
  readonly logger: Logger
  /** Those of `logger`, so that they hold no secret. */
  readonly logLines: LogLines
  /** Aborts when the process is to stop: a start that waits is broken off. */
  readonly stopping: AbortSignal
  /** A copy that is only inspected: messages are taken, but no turn, schedule, job, post or plugin of it moves. */
  readonly paused?: boolean
}

export interface App {
  readonly url: string
  /** A link that logs in to the console, once, for five minutes: the only admin, or `user`. */
  createLoginLink(user: string | null): Promise<LoginLink & { readonly url: string }>
  /** Reads config.toml again at once, instead of within the next second. */
  reloadConfig(): Promise<void>
  /** Drains: no new turns, running ones get `drain_timeout`; then closes everything. Repeatable. */
  stop(): Promise<void>
}

/**
 * Resolves when the server answers and takes work. Rejects with an AppError that says what to change, or with
 * SHUTTING_DOWN when it was `stopping` before.
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

const PAUSED =
  'factotum is paused: no turn, schedule, job, delivery or plugin moves until it is started without --paused'

async function open(options: AppOptions, opened: Opened): Promise<App> {
  const { home, logger, production, timing } = options
  checkTiming(timing)
  const file = await openLiveConfig({ path: configPath(home), production, timing, logger, clock: options.clock })
  opened.add(() => file.stop())
  const secrets = new SecretStore({
    home,
    env: options.environment,
    config: file,
    timing,
    clock: options.clock,
    logger,
  })
  opened.add(() => secrets.stop())
  options.logLines.changeBy((line) => secrets.redactLine(line))
  for (const missing of findMissingKeys(file.current(), secrets))
    logger.warn(`the key of a provider is not set: ${missing}`)
  const publicUrl = new PublicUrl(file)
  const stored = await openStore(options, secrets, opened)
  if (options.stopping.aborted) throw new AppError('SHUTTING_DOWN', 'Stopped before it had started.')
  const { clock, database, doorbell } = stored
  const config = await LivePeople.start({ file, database, doorbell, timing, clock, logger })
  opened.add(() => config.stop())
  const { metrics, tracing } = await openFigures(options, secrets, opened)
  const hooks = new LiveHooks()
  const parts = { options, file, config, publicUrl, secrets, hooks, metrics, tracing, startedAt: clock.now(), stored }
  await openAudit({ ...parts, logger }, opened)
  const background = await openBackground(parts, opened)
  const runtimes = new PluginRuntimes(clock)
  const { guard } = background
  const tools = await openTools({ ...options, file, config, secrets, stored, tracing, guard, runtimes }, opened)
  const redactorOf = (session: string): Redactor => secrets.redactorOf(session)
  const beside = checkpointerOptions(parts, tools, redactorOf)
  const checkpointer = new Checkpointer(beside)
  const curationJobs = new CurationJobs(beside)
  const uploads = new Uploads({ home, database: stored.database })
  const sending = { database, config, clock, redactorOf, feed: stored.feed, doorbell, tracing }
  const delegator = new Delegator({ intake: sending, timing, logger })
  const made = { parts, background, tools, checkpointer, curationJobs, delegator, redactorOf, uploads }
  const homeWatch = await HomeWatch.start({ home, timing, clock: options.clock, logger })
  opened.add(() => homeWatch.stop())
  const worker = createWorker(made, homeWatch)
  const watching = openWatching({ stored, config, logger }, opened)
  const intake = createIntake(made, worker)
  const { toolCatalog: catalog, programs, serverParts } = tools
  const pluginParts = { home, config, secrets, stored, intake, catalog, hooks, runtimes, programs, serverParts }
  const isPaused = options.paused === true
  const plugins = openPlugins({ ...pluginParts, metrics, timing, logger, isPaused }, opened)
  const migrations = await migrationNames()
  const build = { version: VERSION, commit: await commitOfBuild() }
  showLiveFigures({ metrics, database, readings: () => file.readings(), build, clock, logger })
  const door = await openDoor({ made, watching, worker, intake, plugins, runtimes, homeWatch, migrations })
  opened.add(() => door.stop())
  publicUrl.listensAt(door.url)
  if (isPaused) logger.warn(PAUSED)
  else await startWork(made, { worker, intake }, opened)
  logger.info({ url: door.url, database: stored.described }, 'factotum is ready')
  return handleOf({ door, stored, publicUrl, file, opened })
}

interface Running {
  readonly door: RunningServer
  readonly stored: Stored
  readonly publicUrl: PublicUrl
  readonly file: LiveConfigFile
  readonly opened: Opened
}

function handleOf({ door, stored: { database, clock }, publicUrl, file, opened }: Running): App {
  return {
    url: door.url,
    createLoginLink: async (user) => {
      const link = await database.transaction((on) => createLoginLink(on, { user, at: clock.now() }))
      return { ...link, url: publicUrl.linkTo(link.path) }
    },
    reloadConfig: () => file.reload(),
    stop: () => opened.close(),
  }
}

/** From here on turns, schedules and checkpoints move. */
async function startWork(
  { parts, tools, checkpointer, curationJobs, delegator }: Made,
  { worker, intake }: { readonly worker: Worker; readonly intake: IntakeContext },
  opened: Opened,
): Promise<void> {
  const { config, stored, options } = parts
  const { database, doorbell, clock } = stored
  const { timing, logger } = options
  await worker.start()
  // Drained first, while the door still shows how the last turns end.
  opened.add(() => worker.stop())
  const scheduler = new Scheduler({ intake, timing, clock, logger })
  const pausedTurns = new PausedTurns({ database, doorbell, config, logger })
  for (const part of [scheduler, delegator, pausedTurns, checkpointer, curationJobs, embeddingJobsOf(parts, tools)]) {
    part.start()
    opened.add(() => part.stop())
  }
}

function embeddingJobsOf({ stored, secrets, metrics, options }: Parts, { embedder }: Tools): EmbeddingJobs {
  const { database, clock } = stored
  const { timing, logger } = options
  const redact = (text: string): string => secrets.redactLine(text)
  return new EmbeddingJobs({ database, embedder, redact, metrics, timing, clock, logger })
}

/** What everything else is made of. */
interface Parts {
  /** Their clock is that of this machine, as files show it. */
  readonly options: AppOptions
  readonly file: LiveConfigFile
  /** The file's, with the people of the database. */
  readonly config: LivePeople
  readonly publicUrl: PublicUrl
  readonly secrets: SecretStore
  readonly hooks: LiveHooks
  readonly metrics: Metrics
  readonly tracing: Tracing
  readonly startedAt: Date
  readonly stored: Stored
}

function checkpointerOptions(
  { options: { timing, logger }, stored, config, metrics }: Parts,
  { agentsFor, embedder }: Tools,
  redactorOf: (sessionId: string) => Redactor,
): CheckpointerOptions {
  const { database, feed, doorbell, clock } = stored
  return { database, feed, doorbell, config, agentsFor, embedder, redactorOf, timing, clock, logger, metrics }
}

/** What the worker, intake and the door are made of. */
interface Made {
  readonly parts: Parts
  readonly background: Background
  readonly tools: Tools
  readonly checkpointer: Checkpointer
  readonly curationJobs: CurationJobs
  readonly delegator: Delegator
  readonly redactorOf: (sessionId: string) => Redactor
  readonly uploads: Uploads
}

/** A message is taken by the worker … */
function createWorker({ parts, background, tools, checkpointer, delegator }: Made, homeWatch: HomeWatch): Worker {
  const { config, secrets, hooks, metrics, tracing, publicUrl } = parts
  const { home, timing, logger, logLines } = parts.options
  const { database, doorbell, feed, clock } = parts.stored
  const { commands, skills, toolCatalog, agentsFor, embedder } = tools
  const { outbox, approvalExpiry, turnEnds } = background
  const conversations = new Conversations({ config, clock })
  return new Worker({
    database,
    conversations,
    doorbell,
    config,
    timing,
    clock,
    logger,
    logLines,
    home,
    homeProblem: () => homeWatch.problem,
    commands,
    metrics,
    startRun: (lease, begun, mayGoOn) =>
      new SessionRun({
        lease,
        begun,
        mayGoOn,
        database,
        conversations,
        feed,
        doorbell,
        config,
        home,
        publicUrl,
        secrets,
        agentsFor,
        embedder,
        commands: commands.runner,
        skills,
        tools: toolCatalog,
        hooks,
        outbox,
        turnEnds,
        approvalExpiry,
        checkpointer,
        delegator,
        clock,
        logger,
        metrics,
        tracing,
      }),
  })
}

/** … after it has entered, by the door or by the clock. */
function createIntake({ parts, background, checkpointer, redactorOf, uploads }: Made, worker: Worker): IntakeContext {
  const { home } = parts.options
  const { database, doorbell, feed, clock } = parts.stored
  const people = { database, doorbell, clock, live: parts.config }
  const removeRemains: IntakeContext['removeRemains'] = async ({ sessionId, workspace, fileIds, approvalIds }) => {
    await removePublishedBytes(home, fileIds)
    if (workspace !== null) await removeSetAside(home, workspace)
    await removeJobs(database, [deliveryJobKey(sessionId), ...approvalIds.map(approvalJobKey)])
  }
  return {
    database,
    config: parts.config,
    clock,
    redactorOf,
    feed,
    doorbell,
    worker,
    setAsideWorkspace: (sessionId) => setAsideWorkspace(home, sessionId),
    removePublished: (fileIds) => removePublishedBytes(home, fileIds),
    removeRemains,
    uploads,
    checkWebhook: background.checkWebhook,
    redeemLinkCode: (viewer, input) => redeemLinkCode(people, viewer, input),
    wakeCheckpoints: () => checkpointer.wake(),
  }
}

interface DoorParts {
  readonly made: Made
  readonly plugins: LivePlugins
  readonly runtimes: PluginRuntimes
  readonly watching: Watching
  readonly intake: IntakeContext
  readonly worker: Worker
  readonly homeWatch: HomeWatch
  /** The names of those that this build knows. */
  readonly migrations: readonly string[]
}

/** Who is let in has used their token; an unknown token leaves an audit entry, a login that has ended does not. */
function authenticator(people: LivePeople, denials: AccessDenials): (credential: Credential) => Viewer | null {
  return (credential) => {
    const viewer = viewerOf(people.current(), credential)
    if (viewer !== null) people.noteUse(viewer.tokenName)
    else if (credential.kind === 'TOKEN') denials.unknownToken(credential.secret)
    return viewer
  }
}

async function openDoor(door: DoorParts): Promise<RunningServer> {
  const { made, watching, intake, plugins, runtimes } = door
  const { parts, redactorOf, background, tools } = made
  const { config, secrets, publicUrl, startedAt, metrics } = parts
  const { home, host, port, logger } = parts.options
  const { database, doorbell, feed, clock, described } = parts.stored
  const { denials } = watching
  const knowledge = { database, clock, config, doorbell, feed, hideSecrets: (text: string) => secrets.redactLine(text) }
  const people = { database, doorbell, clock, live: config }
  const { skills, toolCatalog } = tools
  const toolOf: ApprovalsContext['toolOf'] = (name) => toolCatalog.snapshot().tools.get(name)
  const approvals = { database, config, clock, skills, toolOf, redactorOf, feed, doorbell }
  const modelChecks = { database, config, model: tools.model, clock, underWay: { count: 0 } }
  const known = { startedAt, database: described, isPaused: parts.options.paused === true }
  const server = createServerInfo({ ...known, ...tools, file: parts.file, config })
  return startServer({
    schema: buildSchema(),
    home,
    intake,
    uploads: made.uploads,
    authenticate: authenticator(config, denials),
    logins: new Logins({ database, clock, live: config }),
    denials,
    createContext: (request) =>
      createContext(
        {
          database,
          config,
          clock,
          publicUrl,
          ...watching,
          intake,
          knowledge,
          approvals,
          people,
          plugins: { database, clock, live: plugins, runtimes },
          skills: tools.skills,
          toolCatalog: tools.toolCatalog,
          secrets,
          deliveries: { database, outbox: background.outbox, doorbell },
          modelChecks,
          server,
        },
        request,
      ),
    readiness: readinessOf(door),
    graphiqlPage: renderGraphiqlPage,
    plugins: await loadPlugins(home, config.current().plugins),
    production: parts.options.production,
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

function readinessOf({
  made: { parts, tools },
  worker,
  homeWatch,
  migrations,
}: DoorParts): ReturnType<typeof createReadiness> {
  return createReadiness({
    database: parts.stored.database,
    commands: tools.commands,
    config: parts.config,
    keys: parts.secrets,
    isDraining: () => worker.isDraining,
    homeProblem: () => homeWatch.problem,
    isPaused: parts.options.paused === true,
    modelFailures: () => tools.modelFailures.list(parts.config.current()),
    hideSecrets: (text) => parts.secrets.redactLine(text),
    migrations,
  })
}
