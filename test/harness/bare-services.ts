/**
 * What GraphQL stands on where there is nothing but a database behind the door: no turns, no skills, no secrets, nobody
 * who watches approvals or knowledge. For doors under test and under measurement.
 */
import { ToolCatalog } from '../../src/tools/tool-catalog.ts'
import type { LiveConfig } from '../../src/config/config.ts'
import type { Doorbell } from '../../src/events/doorbell.ts'
import type { Feed } from '../../src/events/feed.ts'
import { createApprovalNotifier } from '../../src/graphql/live/notify/approval-notifier.ts'
import type { GraphQLServices } from '../../src/graphql/context.ts'
import { createScheduleNotifier } from '../../src/graphql/live/notify/schedule-notifier.ts'
import { createRowNotifier } from '../../src/graphql/live/notify/row-notifier.ts'
import { readAudience } from '../../src/graphql/live/notify/session-audience.ts'
import { createLanguageModel } from '../../src/model/create-language-model.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Logger } from '../../src/platform/logger.ts'
import { Redactor } from '../../src/secrets/redaction.ts'
import type { Database } from '../../src/store/database.ts'
import { PluginRuntimes } from '../../src/plugins/runtimes/plugin-runtimes.ts'

export interface BareServicesOptions {
  readonly database: Database
  readonly config: LiveConfig
  readonly doorbell: Doorbell
  readonly feed: Feed
  readonly clock: Clock
  readonly logger: Logger
}

/** With the rehearsal model, or a provider without a key. */
export function bareModelChecks(
  options: Pick<BareServicesOptions, 'database' | 'config' | 'clock' | 'logger'>,
): GraphQLServices['modelChecks'] {
  const model = createLanguageModel({ ...options, keys: { apiKey: () => null }, proxyEnv: {} })
  return { ...options, model, underWay: { count: 0 } }
}

export function bareServices(options: BareServicesOptions): GraphQLServices {
  const { database, config, doorbell, feed, clock, logger } = options
  const redactorOf = (): Redactor => Redactor.none
  const skills = { scan: () => ({ skills: new Map(), problems: [] }) }
  const sandboxState = () => ({ available: false, reason: 'none', fix: 'install one' }) as const
  return {
    database,
    config,
    clock,
    skills,
    modelChecks: bareModelChecks(options),
    toolCatalog: new ToolCatalog(),
    publicUrl: { linkTo: (path) => path },
    intake: {
      database,
      config,
      clock,
      feed,
      doorbell,
      worker: { takeWith: (_sessionId, accept) => accept(null) },
      redactorOf,
      setAsideWorkspace: () => Promise.resolve(null),
      removePublished: () => Promise.resolve(),
      removeRemains: () => Promise.resolve(),
      checkWebhook: () => Promise.resolve(null),
      redeemLinkCode: () => Promise.reject(new Error('no codes are redeemed here')),
      uploads: {
        workspaceBytes: 0,
        measureNew: () => Promise.resolve(),
        withTwins: (_staged, _forAdmins, store) => store(() => null),
        remove: () => undefined,
      },
      wakeCheckpoints: () => undefined,
    },
    knowledge: { database, config, clock, doorbell, feed, hideSecrets: (text) => text },
    people: {
      database,
      doorbell,
      clock,
      live: { declared: () => config.current(), changed: () => Promise.resolve() },
    },
    plugins: {
      database,
      clock,
      live: {
        checkSettings: () => Promise.resolve(null),
        changed: () => Promise.resolve(),
        missingRuntimes: () => [],
        secretsNamed: () => [],
      },
      runtimes: new PluginRuntimes(clock),
    },
    rowNotifier: createRowNotifier({ database, doorbell, clock, logger }),
    approvals: { database, config, clock, skills, toolOf: () => undefined, feed, doorbell, redactorOf },
    approvalNotifier: createApprovalNotifier({
      doorbell,
      readAudience: (sessionId) => readAudience(database, sessionId),
      logger,
    }),
    auditTrails: { follow: () => Promise.reject(new Error('nobody follows the audit here')) },
    denials: { forbidden: () => undefined, absent: () => undefined },
    secrets: { reload: () => ({ kind: 'Reloaded', names: [] }), known: () => [], redactLine: (line) => line },
    deliveries: { database, doorbell, outbox: { wake: () => undefined } },
    scheduleNotifier: createScheduleNotifier({ doorbell, clock, logger }),
    server: {
      version: '0.0.0',
      startedAt: clock.now(),
      database: 'PostgreSQL',
      sandboxState,
      isPaused: false,
      modelFailures: () => [],
      configReadings: () => ({ loadedAt: clock.now(), warnings: [], refused: null }),
    },
  }
}
