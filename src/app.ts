/**
 * The composition root: every long-lived object is made here, in the order in which a message meets them, and ended in
 * reverse. Nothing else in src/ (but open-*.ts, for it) makes an object that outlives a request, so two apps in one
 * process do not see each other.
 */
import { approvalJobKey } from './approvals/approval-expiry.ts'
import { Delegator } from './delegation/delegator.ts'
import { deliveryJobKey } from './delivery/outbox.ts'
import { openLiveConfig, type LiveConfigFile } from './config/live-config.ts'
import { configPath } from './config/load-config.ts'
import { AppError } from './core/errors.ts'
import { checkTiming } from './config/timing.ts'
import { PublicUrl } from './config/public-url.ts'
import { findMissingKeys } from './config/access/api-keys.ts'
import { removeSetAside, setAsideWorkspace } from './execution/workspace/set-aside-workspace.ts'
import { Uploads } from './execution/workspace/uploads.ts'
import { showLiveFigures } from './graphql/health/live-figures.ts'
import { buildSchema } from './graphql/schema/schema.ts'
import type { RunningServer } from './graphql/server.ts'
import type { IntakeContext } from './intake/intake-context.ts'
import { Checkpointer } from './knowledge/checkpoints/checkpointer.ts'
import { EmbeddingJobs } from './knowledge/embeddings/embedding-jobs.ts'
import { SketchIndexJob } from './knowledge/embeddings/sketch-index-job.ts'
import { CurationJobs } from './knowledge/curation/curation-jobs.ts'
import { removeJobs } from './jobs/remove-jobs.ts'
import { createLoginLink, type LoginLink } from './people/create-login-link.ts'
import { LivePeople } from './people/live-people.ts'
import { redeemLinkCode } from './people/redeem-link-code.ts'
import { reasonOf } from './platform/error-code.ts'
import { commitOfBuild } from './platform/commit-of-build.ts'
import type { Logger } from './platform/logger.ts'
import type { Metrics } from './platform/metrics.ts'
import { VERSION } from './platform/version.ts'
import { LiveHooks } from './plugins/hooks/live-hooks.ts'
import { PluginRuntimes } from './plugins/runtimes/plugin-runtimes.ts'
import { Scheduler } from './schedules/scheduler.ts'
import type { Redactor } from './secrets/redaction.ts'
import { SecretStore } from './secrets/secret-store.ts'
import type { Tracing } from './telemetry/tracing.ts'
import { HomeWatch } from './config/home/home-watch.ts'
import { writeListening } from './config/home/listening-file.ts'
import { removePublishedBytes } from './store/files/published-bytes.ts'
import { Opened } from './opened.ts'
import type { AppOptions } from './app-options.ts'
import { openAudit } from './open-audit.ts'
import { openBackground, type Background } from './open-background.ts'
import { openDoor } from './open-door.ts'
import { openFigures } from './open-figures.ts'
import { openStore, type Stored } from './open-store.ts'
import { openPlugins } from './open-plugins.ts'
import { openTools, type Tools } from './open-tools.ts'
import { openWatching } from './open-watching.ts'
import { createWorker } from './open-worker.ts'
import type { LiveConfig } from './config/config.ts'
import type { LivePlugins } from './plugins/live-plugins.ts'
import { PausedTurns } from './worker/paused-turns.ts'
import type { Worker } from './worker/worker.ts'

export interface App {
  readonly url: string
  /** A link that logs in to the console, once, for five minutes: the only admin, or `user`. */
  createLoginLink(user: string | null): Promise<LoginLink & { readonly url: string }>
  /** Reads config.toml again at once, instead of within the next second. */
  reloadConfig(): Promise<void>
  /** Drains: no new turns, running ones get `drain_timeout`; then closes everything. Repeatable. */
  stop(): Promise<void>
  /** As it is set now: a stop that takes longer waits for a database or a process that will not answer. */
  longestStopMs(): number
  /** What it is stopping at this moment. */
  stoppingPart(): string | null
}

/**
 * For what is closed after the drain: less than one second where everything answers, at most 26 where plugins,
 * webhooks, clients and the command host all use up what each is given.
 */
const CLOSING_MS = 30_000

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
  const { home, timing, clock: hostClock, logger } = options
  checkTiming(timing)
  const commit = commitOfBuild() // while all else is opened; never rejects
  const { file, secrets, stored, config, metrics, tracing } = await openGround(options, opened)
  const { database, doorbell, feed, clock, described } = stored
  const startedAt = clock.now()
  const publicUrl = new PublicUrl(file)
  const hooks = new LiveHooks()
  const background = await openBackground({ options, stored, config, secrets, hooks, metrics, tracing }, opened)
  const { outbox, checkWebhook, guard } = background
  const runtimes = new PluginRuntimes(clock)
  const opening = openTools({ options, file, config, secrets, stored, tracing, guard, runtimes }, opened)
  const schema = buildSchema() // while other processes try the sandbox
  const tools = await opening
  const redactorOf = (session: string): Redactor => secrets.redactorOf(session)
  const knowledge = createKnowledgeJobs({ options, stored, config, secrets, tools, metrics })
  const uploads = new Uploads({ home, database })
  const delegating = { database, config, clock, redactorOf, feed, doorbell, tracing }
  const delegator = new Delegator({ intake: delegating, timing, logger })
  const onSecretsReloaded = (listener: () => void): (() => void) => secrets.onReloaded(listener)
  const pausedTurns = new PausedTurns({ database, doorbell, config, onSecretsReloaded, clock, logger })
  const homeWatch = await HomeWatch.start({ home, timing, clock: hostClock, logger })
  opened.add('watch of the home', () => homeWatch.stop())
  const ofTurns = { publicUrl, hooks, background, tools, knowledge, delegator, pausedTurns }
  const worker = createWorker({ options, stored, config, secrets, metrics, tracing, ...ofTurns }, homeWatch)
  const watching = openWatching({ stored, config, logger }, opened)
  const intake = createIntake({ home, logger, stored, config, redactorOf, worker, uploads, checkWebhook, knowledge })
  const ofPlugins = { options, config, secrets, stored, intake, tools, hooks, runtimes, metrics }
  const plugins = await openPlugins(ofPlugins, opened)
  const build = { version: VERSION, commit: await commit }
  showLiveFigures({ metrics, database, readings: () => file.readings(), home: homeWatch, build, clock, logger })
  const door = await openDoor({
    options,
    startedAt,
    stored,
    file,
    config,
    secrets,
    publicUrl,
    metrics,
    tools,
    outbox,
    watching,
    worker,
    intake,
    uploads,
    plugins,
    runtimes,
    homeWatch,
    schema,
  })
  opened.add('HTTP server', () => door.stop())
  publicUrl.listensAt(door.url)
  await writeListening(home, door.url, logger)
  if (options.paused === true) logger.warn(PAUSED)
  else await startWork({ options, stored, intake, worker, delegator, pausedTurns, knowledge, plugins }, opened)
  logger.info({ url: door.url, database: described }, 'factotum is ready')
  return handleOf({ door, stored, publicUrl, file, opened })
}

/** What everything else is made of. */
interface Ground {
  readonly file: LiveConfigFile
  readonly secrets: SecretStore
  readonly stored: Stored
  /** The file's, with the people of the database. */
  readonly config: LivePeople
  readonly metrics: Metrics
  readonly tracing: Tracing
}

async function openGround(options: AppOptions, opened: Opened): Promise<Ground> {
  const { home, environment, production, stopping, timing, clock: hostClock, logger, logLines } = options
  const file = await openLiveConfig({ path: configPath(home), production, timing, logger, clock: hostClock })
  opened.add('config.toml', () => file.stop())
  const secrets = new SecretStore({ home, env: environment, config: file, timing, clock: hostClock, logger })
  opened.add('secrets', () => secrets.stop())
  logLines.changeBy((line) => secrets.redactLine(line))
  for (const missing of findMissingKeys(file.current(), secrets))
    logger.warn(`the key of a provider is not set: ${missing}`)
  const stored = await openStore(options, secrets, opened)
  if (stopping.aborted) throw new AppError('SHUTTING_DOWN', 'Stopped before it had started.')
  const { clock, database, doorbell } = stored
  const config = await LivePeople.start({ file, database, doorbell, timing, clock, logger })
  opened.add('people', () => config.stop())
  const { metrics, tracing } = await openFigures(options, secrets, opened)
  await openAudit({ stored, file, secrets, metrics, logger }, opened)
  return { file, secrets, stored, config, metrics, tracing }
}

interface HandleParts {
  readonly door: Pick<RunningServer, 'url'>
  readonly stored: Pick<Stored, 'database' | 'clock'>
  readonly publicUrl: Pick<PublicUrl, 'linkTo'>
  readonly file: Pick<LiveConfigFile, 'reload' | 'current'>
  readonly opened: Opened
}

function handleOf({ door, stored: { database, clock }, publicUrl, file, opened }: HandleParts): App {
  return {
    url: door.url,
    createLoginLink: async (user) => {
      const link = await database.transaction((on) => createLoginLink(on, { user, at: clock.now() }))
      return { ...link, url: publicUrl.linkTo(link.path) }
    },
    reloadConfig: () => file.reload(),
    stop: () => opened.close(),
    longestStopMs: () => file.current().settings.drainTimeoutMs + CLOSING_MS,
    stoppingPart: () => opened.closingPart,
  }
}

interface WorkParts {
  readonly options: Pick<AppOptions, 'timing' | 'logger' | 'stopping'>
  readonly stored: Pick<Stored, 'clock'>
  readonly intake: IntakeContext
  readonly worker: Pick<Worker, 'start' | 'stop'>
  readonly delegator: Delegator
  readonly pausedTurns: PausedTurns
  readonly knowledge: KnowledgeJobs
  readonly plugins: Pick<LivePlugins, 'untilTried'>
}

/** Turns wait for plugins that long; the door is open meanwhile, and takes messages. */
const PLUGINS_MS = 5_000

/** From here on turns, schedules and checkpoints move. */
async function startWork(parts: WorkParts, opened: Opened): Promise<void> {
  const { intake, worker, delegator, pausedTurns } = parts
  const { timing, logger, stopping } = parts.options
  const { clock } = parts.stored
  await parts.plugins.untilTried(PLUGINS_MS, stopping)
  pausedTurns.start()
  opened.add('paused turns', () => pausedTurns.stop())
  await worker.start()
  // Drained first, while the door still shows how the last turns end.
  opened.add('worker', () => worker.stop())
  const scheduler = new Scheduler({ intake, timing, clock, logger })
  for (const [name, part] of Object.entries({ scheduler, delegator, ...parts.knowledge })) {
    part.start()
    opened.add(name, () => part.stop())
  }
}

interface KnowledgeParts {
  readonly options: Pick<AppOptions, 'timing' | 'logger'>
  readonly stored: Pick<Stored, 'database' | 'doorbell' | 'feed' | 'clock'>
  readonly config: LiveConfig
  readonly secrets: Pick<SecretStore, 'redactLine' | 'redactorOf'>
  readonly tools: Pick<Tools, 'agentsFor' | 'embedder'>
  readonly metrics: Metrics
}

/** What polls for knowledge that is to be made, beside the turns. */
interface KnowledgeJobs {
  readonly checkpointer: Checkpointer
  readonly curationJobs: CurationJobs
  readonly embeddingJobs: EmbeddingJobs
  readonly sketchIndexJob: SketchIndexJob
}

function createKnowledgeJobs({ options, stored, config, secrets, tools, metrics }: KnowledgeParts): KnowledgeJobs {
  const { timing, logger } = options
  const { database, feed, doorbell, clock } = stored
  const { agentsFor, embedder } = tools
  const redact = (text: string): string => secrets.redactLine(text)
  const redactorOf = (session: string): Redactor => secrets.redactorOf(session)
  const context = { database, config, agentsFor, embedder, redactorOf, clock, logger, metrics }
  return {
    checkpointer: new Checkpointer({ context, feed, doorbell, timing }),
    curationJobs: new CurationJobs({ context, feed, doorbell, timing }),
    embeddingJobs: new EmbeddingJobs({ database, embedder, redact, metrics, timing, clock, logger }),
    sketchIndexJob: new SketchIndexJob({ database, embedder, timing, clock, logger }),
  }
}

interface IntakeParts {
  readonly home: string
  readonly logger: Logger
  readonly stored: Pick<Stored, 'database' | 'doorbell' | 'feed' | 'clock'>
  readonly config: LivePeople
  readonly redactorOf: (sessionId: string) => Redactor
  readonly worker: IntakeContext['worker']
  readonly uploads: Uploads
  readonly checkWebhook: Background['checkWebhook']
  readonly knowledge: Pick<KnowledgeJobs, 'checkpointer'>
}

/** What takes a message in, by the door or by the clock; the worker takes it from there. */
function createIntake(parts: IntakeParts): IntakeContext {
  const { home, logger, config, redactorOf, worker, uploads, checkWebhook, knowledge } = parts
  const { database, doorbell, feed, clock } = parts.stored
  const people = { database, doorbell, clock, live: config }
  const removePublished: IntakeContext['removePublished'] = (fileIds) =>
    removePublishedBytes(home, fileIds).catch((error: unknown) =>
      logger.error(
        { error: reasonOf(error) },
        'published files without a row could not be removed; retrying every hour',
      ),
    )
  const removeRemains: IntakeContext['removeRemains'] = async ({ sessionId, workspace, fileIds, approvalIds }) => {
    await removePublished(fileIds)
    if (workspace !== null) await removeSetAside({ home, logger }, workspace)
    await removeJobs(database, [deliveryJobKey(sessionId), ...approvalIds.map(approvalJobKey)])
  }
  return {
    database,
    config,
    clock,
    redactorOf,
    feed,
    doorbell,
    worker,
    setAsideWorkspace: (sessionId) => setAsideWorkspace(home, sessionId),
    removePublished,
    removeRemains,
    uploads,
    checkWebhook,
    redeemLinkCode: (viewer, input) => redeemLinkCode(people, viewer, input),
    wakeCheckpoints: () => knowledge.checkpointer.wake(),
  }
}
