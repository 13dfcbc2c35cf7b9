/** Opens what happens beside turns, for app.ts: jobs, and the posting of texts to webhooks. */
import type { AppOptions } from './app-options.ts'
import { ApprovalExpiry } from './approvals/approval-expiry.ts'
import { REMOVE_OLD_AUDIT, removeOldAudit } from './audit/remove-old-audit.ts'
import { REMOVE_OLD_PROMPTS, removeOldPrompts } from './audit/remove-old-prompts.ts'
import type { LiveConfig } from './config/config.ts'
import { shareConnections } from './config/process-connections.ts'
import { AddressGuard } from './delivery/address-guard.ts'
import { Outbox } from './delivery/outbox.ts'
import { createWebhookCheck, type CheckWebhook } from './delivery/webhook-registration.ts'
import { MEASURE_WORKSPACES, measureWorkspaces } from './execution/workspace/measure-workspaces.ts'
import { SWEEP_WORKSPACES, sweepWorkspaces } from './execution/workspace/set-aside-workspace.ts'
import { JobRunner, type JobHandlers } from './jobs/job-runner.ts'
import { REMOVE_OLD, removeOld } from './retention/remove-old.ts'
import type { Stored } from './open-store.ts'
import type { Opened } from './opened.ts'
import type { Metrics } from './platform/metrics.ts'
import type { LiveHooks } from './plugins/hooks/live-hooks.ts'
import { TurnEnds } from './plugins/hooks/turn-ends.ts'
import type { Redactor } from './secrets/redaction.ts'
import type { SecretStore } from './secrets/secret-store.ts'
import { SWEEP_PUBLISHED_FILES, sweepPublishedFiles } from './store/files/sweep-published-files.ts'
import type { Tracing } from './telemetry/tracing.ts'

interface BackgroundParts {
  readonly options: Pick<AppOptions, 'home' | 'databaseConnections' | 'clock' | 'logger' | 'paused'>
  readonly stored: Pick<Stored, 'database' | 'doorbell' | 'feed' | 'clock'>
  readonly config: LiveConfig
  readonly secrets: SecretStore
  readonly hooks: LiveHooks
  readonly metrics: Metrics
  readonly tracing: Tracing
}

/** What others of the server need of it. */
export interface Background {
  readonly outbox: Outbox
  readonly approvalExpiry: ApprovalExpiry
  readonly turnEnds: TurnEnds
  readonly checkWebhook: CheckWebhook
  readonly guard: AddressGuard
}

/** While it is paused nothing of it begins. */
export async function openBackground(
  { options, stored, config, secrets, hooks, metrics, tracing }: BackgroundParts,
  opened: Opened,
): Promise<Background> {
  const { home, logger, clock: hostClock } = options
  const { database, doorbell, feed, clock } = stored
  const guard = new AddressGuard({ rules: () => config.current().settings })
  const isPaused = options.paused === true
  const outbox = new Outbox({
    database,
    config,
    keys: secrets,
    guard,
    clock,
    logger,
    metrics,
    tracing,
    doorbell,
    isPaused,
  })
  opened.add('outbox', () => outbox.stop())
  const approvalExpiry = new ApprovalExpiry({ database, feed, doorbell, clock, logger })
  const redactorOf = (sessionId: string): Redactor => secrets.redactorOf(sessionId)
  const turnEnds = new TurnEnds({ database, config, hooks, redactorOf, clock, logger })
  opened.add('ends of turns', () => turnEnds.stop())
  const { name: sweep } = SWEEP_PUBLISHED_FILES
  const handlers: JobHandlers = {
    ...outbox.handlers,
    ...approvalExpiry.handlers,
    ...turnEnds.handlers,
    [sweep]: (_payload, signal) => sweepPublishedFiles({ database, home, clock, hostClock, logger, metrics }, signal),
    [SWEEP_WORKSPACES.name]: (_payload, signal) => sweepWorkspaces({ home, hostClock, logger }, signal),
    [MEASURE_WORKSPACES.name]: (_payload, signal) => measureWorkspaces({ database, home }, signal),
    [REMOVE_OLD_AUDIT.name]: (_payload, signal) => removeOldAudit({ database, config, clock, logger, metrics }, signal),
    [REMOVE_OLD.name]: (_payload, signal) =>
      removeOld({ database, home, config, feed, clock, logger, metrics }, signal),
    [REMOVE_OLD_PROMPTS.name]: (_payload, signal) => removeOldPrompts({ database, config, logger, metrics }, signal),
  }
  const periodic = [
    ...outbox.periodic,
    ...approvalExpiry.periodic,
    ...turnEnds.periodic,
    SWEEP_PUBLISHED_FILES,
    SWEEP_WORKSPACES,
    MEASURE_WORKSPACES,
    REMOVE_OLD,
    REMOVE_OLD_AUDIT,
    REMOVE_OLD_PROMPTS,
  ]
  const checkWebhook = createWebhookCheck({ config, keys: secrets, guard })
  const background = { outbox, approvalExpiry, turnEnds, checkWebhook, guard }
  if (isPaused) return background
  const { jobs: connections } = shareConnections(options.databaseConnections)
  const jobs = new JobRunner({ url: database.url, connections, handlers, periodic, clock, logger, metrics })
  opened.add('job runner', () => jobs.stop())
  await jobs.start()
  await outbox.sweep()
  return background
}
