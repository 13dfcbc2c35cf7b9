/**
 * Figures that are read when /metrics is asked for: the queue and the outbox of all processes, this process's
 * connections and configuration, and which versions run. All of one answer are of one moment.
 */
import type { ConfigReadings } from '../../config/live-config.ts'
import type { Clock } from '../../platform/clock.ts'
import { reasonOf } from '../../platform/error-code.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Database } from '../../store/database.ts'
import { readLiveFigures, type LiveFigures } from '../../store/live-figures.ts'

export interface LiveFiguresOptions {
  readonly metrics: Metrics
  readonly database: Database
  readonly readings: () => ConfigReadings
  /** FACTOTUM_HOME, and what is wrong with it; null: nothing. */
  readonly home: { readonly problem: string | null }
  readonly build: { readonly version: string; readonly commit: string | null }
  readonly clock: Clock
  readonly logger: Logger
}

/** A scrape waits no longer for the database: in an outage the other figures are needed most. */
const LIMIT_MS = 2000

/** Called once: from then on /metrics has them. */
export function showLiveFigures(options: LiveFiguresOptions): void {
  showOfAll(options)
  showOwn(options)
}

/** Without an answer of the database in time they are not numbers. */
function showOfAll(options: LiveFiguresOptions): void {
  const { gaugeOf } = options.metrics
  const readAll = shared(readerOf(options))
  const figuresNow = shared(() => Promise.race([readAll(), options.clock.sleep(LIMIT_MS).then(() => null)]))
  const show = (name: string, help: string, value: (figures: LiveFigures) => number): void =>
    gaugeOf(name, help, {
      labelNames: [],
      read: async (gauge) => {
        const figures = await figuresNow()
        gauge.set(figures === null ? Number.NaN : value(figures))
      },
    })
  show('queued_turns', 'Turns that wait for their session or for a process.', (f) => f.queuedTurns)
  show('paused_turns', 'Turns that wait for a budget, a provider or a delegated task.', (f) => f.pausedTurns)
  show('turns_awaiting_approval', 'Turns that wait for an approval.', (f) => f.awaitingApproval)
  show('queue_oldest_seconds', 'How long the session that waits longest has had work.', (f) => f.oldestWaitSeconds)
  show('outbox_pending', 'Texts that are still to be posted to webhooks.', (f) => f.pendingDeliveries)
  show('outbox_oldest_seconds', 'Age of the oldest of them.', (f) => f.oldestDeliverySeconds)
  gaugeOf('nodes', 'Running processes, by the version that they run.', {
    labelNames: ['version'],
    read: async (gauge) => {
      const figures = await figuresNow()
      gauge.reset()
      for (const { version, count } of figures?.nodes ?? []) gauge.set({ version }, count)
    },
  })
  gaugeOf('database_up', 'Whether the database answered when this was asked for.', {
    labelNames: [],
    read: async (gauge) => gauge.set((await figuresNow()) === null ? 0 : 1),
  })
}

/** Of this process. */
function showOwn({ metrics: { gaugeOf }, database, readings, home, build }: LiveFiguresOptions): void {
  gaugeOf('database_connections', 'Connections to the database, by state; waiting: requests that want one.', {
    labelNames: ['state'],
    read: (gauge) => {
      for (const [state, count] of Object.entries(database.connections())) gauge.set({ state }, count)
    },
  })
  gaugeOf('home_usable', '0: FACTOTUM_HOME takes no files, and no turn begins here.', {
    labelNames: [],
    read: (gauge) => gauge.set(home.problem === null ? 1 : 0),
  })
  gaugeOf('config_reload_ok', '0: config.toml as it is now was refused, and the one before holds.', {
    labelNames: [],
    read: (gauge) => gauge.set(readings().refused === null ? 1 : 0),
  })
  gaugeOf('config_loaded_seconds', 'When the running configuration was taken over, since 1970.', {
    labelNames: [],
    read: (gauge) => gauge.set(readings().loadedAt.getTime() / 1000),
  })
  gaugeOf('build_info', 'The version and the commit of this process.', {
    labelNames: ['version', 'commit'],
    read: (gauge) => gauge.set({ version: build.version, commit: build.commit ?? 'unknown' }, 1),
  })
}

/** Null: the database does not answer. /metrics answers all the same, and of an outage one line is logged. */
function readerOf({ database, logger }: LiveFiguresOptions): () => Promise<LiveFigures | null> {
  let isAway = false
  return async () => {
    try {
      const figures = await readLiveFigures(database)
      if (isAway) logger.info('figures of the queue can be read again')
      isAway = false
      return figures
    } catch (error) {
      const line = 'figures of the queue could not be read; /metrics goes without them until they can'
      if (!isAway) logger.warn({ error: reasonOf(error) }, line)
      isAway = true
      return null
    }
  }
}

/** Those who ask while an answer is on its way are given it. */
function shared<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let underWay: Promise<Answer> | null = null
  return () =>
    (underWay ??= ask().finally(() => {
      underWay = null
    }))
}
