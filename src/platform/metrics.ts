/**
 * The figures that /metrics shows (Prometheus text format). One object per app with a registry of its own, so that two
 * apps in one process do not add up. Labels take few values: no ids, no names that users choose.
 */
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client'
import { systemClock } from './clock.ts'

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const LONG_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900]

const PLAIN = { labelNames: [], buckets: SECONDS }

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new FiguresRegistry()
  const instruments = new Instruments(registry)
  const { gaugeOf } = instruments
  return {
    registry,
    gaugeOf,
    ...metricsOfDoor(instruments),
    ...metricsOfWork(instruments),
    ...metricsOfPlugins(instruments),
  }
}

interface ReadGauge<Label extends string> {
  readonly labelNames: readonly Label[]
  readonly read: (gauge: Gauge<Label>) => Promise<void> | void
}

/** Long enough for the first figures of the event loop: a sample each 10 ms. */
const FIRST_SAMPLES_MS = 30

/**
 * Shows the figures of the process itself (memory, CPU, event loop), too. They wake it a hundred times a second, so
 * they are taken from when they are first asked for.
 */
class FiguresRegistry extends Registry {
  #ofProcess: Promise<void> | null = null

  override async metrics(): Promise<string> {
    await this.#measureProcess()
    return super.metrics()
  }

  override async getMetricsAsJSON(): Promise<MetricObjectWithValues<MetricValue<string>>[]> {
    await this.#measureProcess()
    return super.getMetricsAsJSON()
  }

  #measureProcess(): Promise<void> {
    if (this.#ofProcess === null) {
      collectDefaultMetrics({ register: this })
      this.#ofProcess = systemClock.sleep(FIRST_SAMPLES_MS)
    }
    return this.#ofProcess
  }
}

class Instruments {
  readonly #registers: Registry[]

  constructor(registry: Registry) {
    this.#registers = [registry]
  }

  readonly counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> =>
    new Counter({ name: `factotum_${name}`, help, labelNames, registers: this.#registers })

  readonly gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]): Gauge<Label> =>
    new Gauge({ name: `factotum_${name}`, help, labelNames, registers: this.#registers })

  /** One that is read when it is asked for. */
  readonly gaugeOf = <Label extends string>(
    name: string,
    help: string,
    { labelNames, read }: ReadGauge<Label>,
  ): void => {
    const gauge: Gauge<Label> = new Gauge({
      name: `factotum_${name}`,
      help,
      labelNames,
      registers: this.#registers,
      collect: () => read(gauge),
    })
  }

  readonly histogram = <Label extends string>(
    name: string,
    help: string,
    { labelNames, buckets }: { readonly labelNames: readonly Label[]; readonly buckets: number[] },
  ): Histogram<Label> =>
    new Histogram({ name: `factotum_${name}`, help, labelNames, buckets, registers: this.#registers })
}

/** What clients ask for and are sent. */
function metricsOfDoor({ counter, gauge, histogram }: Instruments) {
  return {
    httpRequests: counter('http_requests_total', 'HTTP requests answered.', ['route', 'status']),
    operations: counter(
      'graphql_operations_total',
      'GraphQL operations, by type, transport and outcome (ok, errors, refused).',
      ['type', 'transport', 'outcome'],
    ),
    operationSeconds: histogram('graphql_operation_seconds', 'Time to answer a query or mutation.', {
      labelNames: ['type'],
      buckets: SECONDS,
    }),
    connections: gauge('connections', 'Open streaming connections.', ['transport']),
    subscribers: gauge('subscribers', 'Running subscriptions.', ['kind']),
    eventExecutions: counter(
      'event_executions_total',
      'Events executed and serialised, once per distinct selection.',
      [],
    ),
    eventsDelivered: counter('events_delivered_total', 'Events written to subscribers.', []),
    slowConsumers: counter('slow_consumers_total', 'Connections that were cut because they did not keep up.', [
      'transport',
    ]),
    maskedErrors: counter('masked_errors_total', 'Unexpected errors that clients saw only a correlation id of.', []),
  }
}

/** What turns and everything behind them do. */
function metricsOfWork({ counter, gauge, histogram }: Instruments) {
  return {
    turns: counter(
      'turns_total',
      'Turns that this process let go of, by status: Done, Failed, Stopped (cancelled or handed over), Paused (waits, and is counted again).',
      ['status'],
    ),
    turnSeconds: histogram('turn_seconds', 'From taking a turn to letting go of it, by status, as turns_total.', {
      labelNames: ['status'],
      buckets: LONG_SECONDS,
    }),
    runningTurns: gauge('running_turns', 'Turns running in this process.', []),
    claims: counter('claims_total', 'Sessions that this process took, by way: message, notified, polled.', ['way']),
    saidBefore: counter('turns_said_before_total', 'Turns, by where what was said before was: memory, database.', [
      'from',
    ]),
    takenOver: counter(
      'sessions_taken_over_total',
      'Sessions that this process freed of others that died or hang.',
      [],
    ),
    modelCalls: counter('model_calls_total', 'Language model calls, by role and status.', ['role', 'status']),
    modelSeconds: histogram('model_call_seconds', 'Duration of calls that were answered, by provider and model.', {
      labelNames: ['provider', 'model'],
      buckets: LONG_SECONDS,
    }),
    modelFailures: counter('model_failures_total', 'Calls that failed, by provider, model and code.', [
      'provider',
      'model',
      'code',
    ]),
    modelTokens: counter('model_tokens_total', 'Language model tokens, by role and kind (input, output, cached).', [
      'role',
      'kind',
    ]),
    modelCost: counter(
      'model_cost_total',
      'What calls have cost, by provider and model, in the currency of the prices.',
      ['provider', 'model'],
    ),
    checkpoints: counter('checkpoints_total', 'Checkpoints of sessions, by reason and outcome (done, failed).', [
      'reason',
      'outcome',
    ]),
    commands: counter('commands_total', 'Commands that tasks ran, by outcome.', ['outcome']),
    retentionRemoved: counter('retention_removed_total', 'What went because of its age, by kind.', ['kind']),
    jobs: counter('jobs_total', 'Background jobs that ran, by name and outcome (done, failed).', ['name', 'outcome']),
    deliveries: counter('deliveries_total', 'Attempts to post to a webhook, by outcome.', ['status']),
    deliverySeconds: histogram('delivery_seconds', 'Duration of an attempt to post to a webhook.', PLAIN),
    auditSealed: counter('audit_sealed_total', 'Audit entries that this process has sealed.', []),
    auditUnsealedSeconds: gauge(
      'audit_unsealed_seconds',
      'Age of the oldest audit entry that is in no seal yet, as of the last poll; more than 60 means that sealing is stuck.',
      [],
    ),
    databaseErrors: counter('database_errors_total', 'Operations that failed because of the database, by code.', [
      'code',
    ]),
  }
}

/** What becomes of calls of plugins, by the plugin's name. */
function metricsOfPlugins({ counter }: Instruments) {
  return {
    pluginCalls: counter('plugin_calls_total', 'Calls of plugins, by outcome: ok, threw, wrong, late, lost, ended.', [
      'plugin',
      'outcome',
    ]),
    pluginCrashes: counter('plugin_crashes_total', 'How often plugins ended without being stopped.', ['plugin']),
    pluginEventsLeftOut: counter(
      'plugin_events_left_out_total',
      'Events that plugins were not given: too many waited.',
      ['plugin'],
    ),
  }
}
