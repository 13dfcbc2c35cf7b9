/**
 * The configuration as the code reads it: checked, with every default filled in. `schema.ts` makes it from config.toml.
 */
import type { ApprovalPolicy } from '../core/approval-policy.ts'
import type { Role, TokenKind } from '../core/identity.ts'
import type { AgentRole } from '../core/model-call.ts'
import type { SessionMode } from '../core/status.ts'
import type { CurationPolicy } from './schema/curation.ts'
import type { Retention } from './schema/retention.ts'

export interface TokenConfig {
  readonly name: string
  /** SHA-256 of the token. */
  readonly sha256: Buffer
  /** The token itself, when the file holds it: to keep it out of outputs, not to compare with. */
  readonly plainToken: string | null
  readonly kind: TokenKind
  /** The user that a token of kind USER is bound to. */
  readonly user: string | null
  /** Confines a connector to sessions whose ids begin with it and ":". Null: `namespace = "*"`, or no connector. */
  readonly namespace: string | null
  /** Sign the posts to webhooks of sessions that this token set. */
  readonly webhookSecrets: readonly string[]
  /** Variables that hold such secrets. */
  readonly webhookSecretEnvs: readonly string[]
  /** By config.toml: it is changed only there. */
  readonly declared: boolean
  /** From then on it is refused. */
  readonly expiresAt: Date | null
}

export interface UserConfig {
  readonly name: string
  readonly role: Role
  /** "*" or the names of the skills that this user may use. */
  readonly skills: '*' | readonly string[]
  /** Patterns of the names of tools that they may use; admins may use all. */
  readonly tools: readonly string[]
  /** Token name → the identities under which this user appears there (case-sensitive). */
  readonly aliases: ReadonlyMap<string, readonly string[]>
  /** By config.toml: it is changed only there, but for further aliases. */
  readonly declared: boolean
}

export interface ProviderConfig {
  readonly name: string
  readonly baseUrl: string
  /** The environment variable that holds the key, or null for a local provider without one. */
  readonly apiKeyEnv: string | null
  /** How chat sessions talk with it: 'responses': it keeps their conversations. */
  readonly api: 'chat' | 'responses'
  readonly request: RequestSettings
}

/** How plans and reviews are asked for. */
export type StructuredOutput = 'json_schema' | 'json_object' | 'tool' | 'prompt'

/** In what the requests of one provider differ from what most take; null: as usual, or as found out. */
export interface RequestSettings {
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Carries the key; null: "Authorization: Bearer". */
  readonly apiKeyHeader: string | null
  readonly extraBody: Readonly<Record<string, unknown>>
  /** Silence after which a call is given up; null: `llmIdleTimeoutMs`. */
  readonly idleTimeoutMs: number | null
  readonly structuredOutput: StructuredOutput | null
  readonly streams: boolean | null
  readonly systemRole: 'system' | 'developer' | 'user' | null
  readonly maxTokens: number | null
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens' | null
}

/** A server of tools that speaks the Model Context Protocol. */
export interface McpServerConfig {
  readonly name: string
  readonly reach: McpReach
  /** Of one call, and of the server's start. */
  readonly timeoutMs: number
  readonly enabled: boolean
}

/** How a server of tools is reached: as a program in the sandbox, or over HTTP. `env`, `bearer`: names of secrets. */
export type McpReach =
  | {
      readonly kind: 'PROGRAM'
      readonly command: string
      readonly args: readonly string[]
      readonly env: readonly string[]
      readonly hasNetwork: boolean
    }
  | { readonly kind: 'URL'; readonly url: string; readonly bearer: string | null; readonly allowPrivate: boolean }

export interface ModelChoice {
  readonly provider: string
  readonly model: string
}

/** Per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cached: number
}

/** In a day (UTC); null: as much as there is. */
export interface Budget {
  readonly tokensPerDay: number | null
  /** In the currency of the prices. */
  readonly costPerDay: number | null
}

export interface Budgets {
  /** Of each user without one of their own. */
  readonly user: Budget
  readonly users: ReadonlyMap<string, Budget>
  /** Of each session. */
  readonly session: Budget
}

/** What may be kept at the same time; null: as much as there is space for. */
export interface Quota {
  readonly sessions: number | null
  readonly publishedBytes: number | null
  readonly workspaceBytes: number | null
}

export interface Quotas {
  /** Of each user of role USER. */
  readonly user: Quota
  /** Of each token of a connector. */
  readonly connector: Quota
  /** What single users have instead. */
  readonly users: ReadonlyMap<string, Partial<Quota>>
}

export interface Settings {
  /** ISO 4217 code of the currency of the prices; null: the operator names none. */
  readonly currency: string | null
  /** Of the conversation, as it was said, in a prompt; about four bytes each. */
  readonly contextTokens: number
  /** Of sessions that name none. */
  readonly timeZone: string
  /** The newest messages, which a summary leaves as they are. */
  readonly contextMessages: number
  /** So many messages in no summary: the oldest are summarised. */
  readonly summarizeThreshold: number
  /** Facts in a prompt at most. */
  readonly factsShown: number
  /** So many turns after the last checkpoint the next one is due; 0: never. */
  readonly introspectionTurns: number
  /** A session in which nothing happened for so long is due for a checkpoint; 0: never. */
  readonly introspectionIdleMs: number
  readonly maxReplanDepth: number
  readonly maxValidationRetries: number
  readonly maxPlanTasks: number
  readonly execTimeoutMs: number
  readonly llmIdleTimeoutMs: number
  /** Conversations that a process keeps between turns, and for how long. */
  readonly providerSessions: number
  readonly providerSessionTtlMs: number
  /** For which turns wait while a provider is away; 0: they fail at once. */
  readonly providerOutageWaitMs: number
  readonly maxQueued: number
  readonly defaultMode: SessionMode
  /** Answers of a model in one turn of a conversation. */
  readonly chatMaxRounds: number
  readonly collectWindowMs: number
  readonly maxConcurrentTurns: number
  /** Across all processes. */
  readonly maxRunningPerUser: number
  /** How long a process keeps what people said in confidence after the session's last turn. */
  readonly workerIdleTimeoutMs: number
  /** Days for which the audit is kept; 0: for ever. */
  readonly auditRetentionDays: number
  readonly promptRetentionDays: number
  /** How long running turns may go on after SIGTERM before they are handed over. */
  readonly drainTimeoutMs: number
  /** An approval without a decision for so long expires, which counts as denied. */
  readonly approvalTimeoutMs: number
  readonly delegationTimeoutMs: number
  /** 0: for ever. */
  readonly publishedFileTtlMs: number
  /** Begins every link to this server, without a slash at its end; null: the address it listens on. */
  readonly publicUrl: string | null
  readonly requestsPerMinute: number
  /** Open at a time with one process; the token of a connector may have five times as many. */
  readonly connectionsPerUser: number
  /** Where figures can be had without a token; null: nowhere. */
  readonly metricsListen: { readonly host: string; readonly port: number } | null
  /** Of the answer to one operation, or of one event. */
  readonly maxResponseBytes: number
  /** Origins that browsers may call from; empty: same origin only. */
  readonly corsOrigins: readonly string[]
  /** Names under which the server is reached, besides those that it knows. */
  readonly allowedHosts: readonly string[]
  /** Webhooks must be https. */
  readonly webhookRequireHttps: boolean
  /** Host names, addresses and ranges that webhooks may lead to although they are not public. */
  readonly webhookAllowList: readonly string[]
  readonly console: boolean
  readonly graphiql: boolean
  readonly introspection: boolean
}

export interface Config {
  readonly tokens: ReadonlyMap<string, TokenConfig>
  readonly users: ReadonlyMap<string, UserConfig>
  /** Who is logged in to the console: hash of what the cookie holds, in hexadecimal → the token that it is bound to. */
  readonly logins: ReadonlyMap<string, TokenConfig>
  /** Names of users who have become another user → that user's name. */
  readonly formerNames: ReadonlyMap<string, string>
  /** Empty: the built-in rehearsal model answers. */
  readonly providers: ReadonlyMap<string, ProviderConfig>
  readonly models: Readonly<Record<AgentRole, ModelChoice>>
  /** In order: asked when the ones before cannot be reached. */
  readonly fallbacks: Readonly<Record<AgentRole, readonly ModelChoice[]>>
  /** Says by numbers what facts mean; null: they are found by their words alone. */
  readonly embedder: ModelChoice | null
  /** Keyed "provider:model". */
  readonly prices: ReadonlyMap<string, Price>
  readonly approvals: ApprovalPolicy
  readonly curation: CurationPolicy
  readonly budgets: Budgets
  readonly quotas: Quotas
  readonly retention: Retention
  /** Paths of users' own plugins of the GraphQL server, from FACTOTUM_HOME. */
  readonly plugins: readonly string[]
  /** Names of npm packages that are plugins. */
  readonly pluginPackages: readonly string[]
  readonly mcp: ReadonlyMap<string, McpServerConfig>
  readonly settings: Settings
}

/** The running configuration: it is replaced whole when the file changes to something valid. */
export interface LiveConfig {
  current(): Config
  /** Calls `listener` after each replacement; the returned function stops that. */
  onChange(listener: (config: Config) => void): () => void
}
