/** A running configuration that never changes by itself, with one provider: a stub endpoint. */
import { curationSchema, toCurationPolicy } from '../../src/config/schema/curation.ts'
import type { Config, LiveConfig, Price, ProviderConfig, RequestSettings, Settings } from '../../src/config/config.ts'
import { forEachRole } from '../../src/core/model-call.ts'
import { USUAL_REQUEST } from '../../src/model/wire/request-shape.ts'
import { REHEARSAL } from '../../src/config/models/model-choice.ts'

export interface StubConfigOptions {
  /** Where the provider "stub" is; null: no provider, so the rehearsal model answers. */
  readonly baseUrl: string | null
  readonly apiKeyEnv?: string | null
  /** Other models of the provider, of every role. */
  readonly fallbacks?: readonly string[]
  readonly api?: ProviderConfig['api']
  readonly request?: Partial<RequestSettings>
  readonly settings?: Partial<Settings>
  readonly prices?: Readonly<Record<string, Price>>
}

const SETTINGS: Settings = {
  approvalTimeoutMs: 3_600_000,
  delegationTimeoutMs: 7_200_000,
  timeZone: 'UTC',
  currency: null,
  contextTokens: 8000,
  contextMessages: 10,
  summarizeThreshold: 30,
  factsShown: 20,
  introspectionTurns: 5,
  introspectionIdleMs: 600_000,
  maxReplanDepth: 3,
  maxValidationRetries: 3,
  maxPlanTasks: 20,
  defaultMode: 'PLAN',
  chatMaxRounds: 25,
  execTimeoutMs: 120_000,
  llmIdleTimeoutMs: 10_000,
  providerSessions: 5,
  providerSessionTtlMs: 480_000,
  providerOutageWaitMs: 0,
  maxQueued: 100,
  collectWindowMs: 0,
  maxConcurrentTurns: 32,
  maxRunningPerUser: 8,
  auditRetentionDays: 400,
  promptRetentionDays: 7,
  workerIdleTimeoutMs: 300_000,
  drainTimeoutMs: 30_000,
  publishedFileTtlMs: 0,
  publicUrl: null,
  requestsPerMinute: 600,
  connectionsPerUser: 1000,
  corsOrigins: [],
  console: false,
  graphiql: true,
  introspection: true,
  webhookRequireHttps: false,
  allowedHosts: [],
  metricsListen: null,
  maxResponseBytes: 16 * 1024 * 1024,
  webhookAllowList: [],
}

const NO_QUOTA = { sessions: null, publishedBytes: null, workspaceBytes: null }
const NO_BUDGET = { tokensPerDay: null, costPerDay: null }

/** Tests may replace `config` to play a reload. */
export class StubConfig implements LiveConfig {
  config: Config

  constructor({
    baseUrl,
    apiKeyEnv = null,
    api = 'chat',
    fallbacks: others = [],
    request = {},
    settings = {},
    prices = {},
  }: StubConfigOptions) {
    const provider: ProviderConfig = {
      name: 'stub',
      baseUrl: baseUrl ?? '',
      apiKeyEnv,
      api,
      request: { ...USUAL_REQUEST, ...request },
    }
    const fallbacks = others.map((model) => ({ provider: 'stub', model }))
    const choice = baseUrl === null ? REHEARSAL : { provider: 'stub', model: 'stub-1' }
    this.config = {
      tokens: new Map(),
      users: new Map(),
      logins: new Map(),
      formerNames: new Map(),
      providers: new Map(baseUrl === null ? [] : [[provider.name, provider]]),
      models: forEachRole(() => choice),
      embedder: null,
      fallbacks: forEachRole(() => fallbacks),
      prices: new Map(Object.entries(prices)),
      curation: toCurationPolicy(curationSchema.parse({})),
      approvals: { fallback: 'ALLOW', rules: [], ownUserMayDecide: false, plansWithStrangers: true },
      budgets: { user: NO_BUDGET, users: new Map(), session: NO_BUDGET },
      plugins: [],
      pluginPackages: [],
      mcp: new Map(),
      retention: { events: 0, outputs: 0, turns: 0, messages: 0, deliveries: 0, workspaces: 0 },
      quotas: { user: NO_QUOTA, connector: NO_QUOTA, users: new Map() },
      settings: { ...SETTINGS, ...settings },
    }
  }

  current(): Config {
    return this.config
  }

  onChange(): () => void {
    return () => {}
  }
}
