/** Opens the door, for app.ts: what requests are answered with. */
import type { GraphQLSchema } from 'graphql'
import type { AppOptions } from './app-options.ts'
import type { ApprovalsContext } from './approvals/approvals-context.ts'
import type { AccessDenials } from './audit/access-denials.ts'
import { viewerOf } from './config/access/authenticate.ts'
import type { HomeWatch } from './config/home/home-watch.ts'
import type { LiveConfigFile } from './config/live-config.ts'
import type { PublicUrl } from './config/public-url.ts'
import type { Credential, Viewer } from './core/identity.ts'
import type { Outbox } from './delivery/outbox.ts'
import type { Uploads } from './execution/workspace/uploads.ts'
import { createContext, type GraphQLServices } from './graphql/context.ts'
import { createReadiness } from './graphql/health/readiness-checks.ts'
import type { Readiness } from './graphql/health/readiness.ts'
import { renderGraphiqlPage } from './graphql/http/graphiql-page.ts'
import { loadPlugins } from './graphql/plugins/load-plugins.ts'
import { createServerInfo } from './graphql/schema/server/server-info.ts'
import { startServer, type RunningServer } from './graphql/server.ts'
import type { IntakeContext } from './intake/intake-context.ts'
import type { Stored } from './open-store.ts'
import type { Tools } from './open-tools.ts'
import type { Watching } from './open-watching.ts'
import type { LivePeople } from './people/live-people.ts'
import { Logins } from './people/logins.ts'
import type { Metrics } from './platform/metrics.ts'
import type { LivePlugins } from './plugins/live-plugins.ts'
import type { PluginRuntimes } from './plugins/runtimes/plugin-runtimes.ts'
import type { SecretStore } from './secrets/secret-store.ts'
import { migrationNames } from './store/connection/migrate.ts'
import type { Worker } from './worker/worker.ts'

export interface DoorParts {
  readonly options: Pick<AppOptions, 'home' | 'host' | 'port' | 'production' | 'paused' | 'logger'>
  readonly startedAt: Date
  readonly stored: Stored
  readonly file: Pick<LiveConfigFile, 'readings'>
  readonly config: LivePeople
  readonly secrets: SecretStore
  readonly publicUrl: Pick<PublicUrl, 'linkTo'>
  readonly metrics: Metrics
  readonly tools: Pick<Tools, 'commands' | 'skills' | 'toolCatalog' | 'model' | 'modelFailures'>
  readonly outbox: Pick<Outbox, 'wake'>
  readonly watching: Watching
  readonly worker: Pick<Worker, 'isDraining'>
  readonly intake: IntakeContext
  readonly uploads: Uploads
  readonly plugins: LivePlugins
  readonly runtimes: PluginRuntimes
  readonly homeWatch: Pick<HomeWatch, 'problem'>
  readonly schema: GraphQLSchema
}

type ReadinessParts = Pick<DoorParts, 'config' | 'homeWatch' | 'options' | 'secrets' | 'stored' | 'tools' | 'worker'>

export async function openDoor(parts: DoorParts): Promise<RunningServer> {
  const { config, watching, intake, uploads, metrics } = parts
  const { home, host, port, production, logger } = parts.options
  const { database, doorbell, feed, clock } = parts.stored
  const services = servicesOf(parts)
  return startServer({
    schema: parts.schema,
    home,
    intake,
    uploads,
    authenticate: authenticator(config, watching.denials),
    logins: new Logins({ database, clock, live: config }),
    denials: watching.denials,
    createContext: (request) => createContext(services, request),
    readiness: readinessOf(parts, await migrationNames()),
    graphiqlPage: renderGraphiqlPage,
    plugins: await loadPlugins(home, config.current().plugins),
    production,
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

/** Who is let in has used their token; an unknown token leaves an audit entry, a login that has ended does not. */
function authenticator(people: LivePeople, denials: AccessDenials): (credential: Credential) => Viewer | null {
  return (credential) => {
    const viewer = viewerOf(people.current(), credential)
    if (viewer !== null) people.noteUse(viewer.tokenName)
    else if (credential.kind === 'TOKEN') denials.unknownToken(credential.secret)
    return viewer
  }
}

function servicesOf(parts: Omit<DoorParts, 'worker' | 'homeWatch' | 'uploads' | 'metrics'>): GraphQLServices {
  const { config, file, intake, plugins, publicUrl, runtimes, secrets, startedAt, outbox } = parts
  const { rowNotifier, approvalNotifier, scheduleNotifier, auditTrails, denials } = parts.watching
  const { database, doorbell, feed, clock, described } = parts.stored
  const { commands, skills, toolCatalog, model, modelFailures } = parts.tools
  const isPaused = parts.options.paused === true
  const redactorOf: ApprovalsContext['redactorOf'] = (sessionId) => secrets.redactorOf(sessionId)
  const toolOf: ApprovalsContext['toolOf'] = (name) => toolCatalog.snapshot().tools.get(name)
  return {
    database,
    config,
    clock,
    publicUrl,
    rowNotifier,
    approvalNotifier,
    scheduleNotifier,
    auditTrails,
    denials,
    intake,
    knowledge: { database, clock, config, doorbell, feed, hideSecrets: (text) => secrets.redactLine(text) },
    approvals: { database, config, clock, skills, toolOf, redactorOf, feed, doorbell },
    people: { database, doorbell, clock, live: config },
    plugins: { database, clock, live: plugins, runtimes },
    skills,
    toolCatalog,
    secrets,
    deliveries: { database, outbox, doorbell },
    modelChecks: { database, config, model, clock, underWay: { count: 0 } },
    server: createServerInfo({ startedAt, database: described, isPaused, commands, file, config, modelFailures }),
  }
}

function readinessOf(
  { config, homeWatch, options, secrets, stored, tools, worker }: ReadinessParts,
  migrations: readonly string[],
): Readiness {
  return createReadiness({
    database: stored.database,
    commands: tools.commands,
    config,
    keys: secrets,
    isDraining: () => worker.isDraining,
    homeProblem: () => homeWatch.problem,
    isPaused: options.paused === true,
    modelFailures: () => tools.modelFailures.list(config.current()),
    hideSecrets: (text) => secrets.redactLine(text),
    migrations,
    logger: options.logger,
  })
}
