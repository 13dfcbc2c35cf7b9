/** Makes what runs turns, for app.ts: the worker, and each session's run of it. */
import type { AppOptions } from './app-options.ts'
import type { LiveConfig } from './config/config.ts'
import type { HomeWatch } from './config/home/home-watch.ts'
import type { PublicUrl } from './config/public-url.ts'
import type { Checkpointer } from './knowledge/checkpoints/checkpointer.ts'
import type { Background } from './open-background.ts'
import type { Stored } from './open-store.ts'
import type { Tools } from './open-tools.ts'
import { EventLoopLoad } from './platform/event-loop-load.ts'
import type { Metrics } from './platform/metrics.ts'
import type { LiveHooks } from './plugins/hooks/live-hooks.ts'
import type { SecretStore } from './secrets/secret-store.ts'
import type { Tracing } from './telemetry/tracing.ts'
import { Conversations } from './worker/conversations.ts'
import type { PausedTurns } from './worker/paused-turns.ts'
import { SessionRun } from './worker/session-run.ts'
import { Worker, type WorkerOptions } from './worker/worker.ts'

export interface WorkerParts {
  readonly options: Pick<AppOptions, 'home' | 'timing' | 'logger' | 'logLines'>
  readonly stored: Pick<Stored, 'database' | 'doorbell' | 'feed' | 'clock'>
  readonly config: LiveConfig
  readonly secrets: SecretStore
  readonly publicUrl: PublicUrl
  readonly hooks: Pick<LiveHooks, 'now'>
  readonly metrics: Metrics
  readonly tracing: Tracing
  readonly background: Pick<Background, 'outbox' | 'turnEnds' | 'approvalExpiry'>
  readonly tools: Pick<Tools, 'commands' | 'skills' | 'toolCatalog' | 'agentsFor' | 'embedder'>
  readonly knowledge: { readonly checkpointer: Pick<Checkpointer, 'turnEnded'> }
  readonly delegator: { wake(): void }
  readonly pausedTurns: Pick<PausedTurns, 'wake' | 'endCancelled' | 'changes'>
}

/** Not started: app.ts does when all else is there. `homeWatch`: no turn begins while FACTOTUM_HOME cannot be used. */
export function createWorker(parts: WorkerParts, homeWatch: Pick<HomeWatch, 'problem'>): Worker {
  const { config, metrics } = parts
  const { home, timing, logger, logLines } = parts.options
  const { database, doorbell, clock } = parts.stored
  const { commands } = parts.tools
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
    load: new EventLoopLoad(),
    startRun: runStarter(parts, conversations),
  })
}

function runStarter(parts: WorkerParts, conversations: Conversations): WorkerOptions['startRun'] {
  const { config, secrets, publicUrl, hooks, metrics, tracing, delegator, pausedTurns } = parts
  const { home, logger } = parts.options
  const { database, doorbell, feed, clock } = parts.stored
  const { outbox, turnEnds, approvalExpiry } = parts.background
  const { commands, skills, toolCatalog, agentsFor, embedder } = parts.tools
  return (lease, begun, mayGoOn) =>
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
      checkpointer: parts.knowledge.checkpointer,
      delegator,
      pausedTurns,
      clock,
      logger,
      metrics,
      tracing,
    })
}
