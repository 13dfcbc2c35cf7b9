/**
 * The `[settings]` section: every setting with its rule, its default and its explanation. The commented config.toml of
 * the first start and `--help` are written from this, so they cannot drift from what is accepted.
 */
import { isIP } from 'node:net'
import * as z from 'zod'
import { isAllowListEntry } from './allow-list.ts'
import { timeZoneIssue } from './time-zone-issue.ts'
import { says, seconds, text, trueOrFalse, wholeNumber } from '../field.ts'
import type { Settings } from '../config.ts'

/** `production` (NODE_ENV) decides the defaults of `graphiql`, `introspection` and `webhook_require_https`. */
export function settingsSchema(production: boolean) {
  return z.strictObject({ ...turnSettings, ...doorSettings(production) }, says('must be a table of settings'))
}

type SettingsSection = z.output<ReturnType<typeof settingsSchema>>

const TIME_ZONE_RULE = 'must be the name of a time zone such as "Europe/Berlin" or "UTC"'

const turnSettings = {
  time_zone: text(TIME_ZONE_RULE, (zone) => timeZoneIssue(zone) === null)
    .default('UTC')
    .meta({
      description:
        'The time zone in which agents are told times, for sessions that name none, such as "Europe/Berlin".',
    }),
  currency: text('must be three capital letters such as "EUR" (ISO 4217), or empty', (code) =>
    /^([A-Z]{3})?$/.test(code),
  )
    .default('')
    .meta({ description: 'The currency of [prices], such as "EUR", as clients are shown it. Empty: not said.' }),
  context_tokens: wholeNumber({ min: 0, max: 1_000_000 })
    .default(8000)
    .meta({
      description:
        'How much of the conversation planner and messenger are shown as it was said, newest first, in tokens of about four bytes. What ' +
        'does not fit is summarised.',
    }),
  context_messages: wholeNumber({ min: 0, max: 1000 }).default(10).meta({
    description: 'How many of the newest messages a summary leaves as they are, within half of context_tokens.',
  }),
  summarize_threshold: wholeNumber({ min: 1, max: 10_000 }).default(30).meta({
    description:
      'When so many messages of a session are in no summary, they are summarised, all but the last context_messages.',
  }),
  knowledge_max_facts: wholeNumber({ min: 1, max: 1000 }).default(50).meta({
    description: 'Without effect: what is alike is proposed to admins, however many facts there are.',
  }),
  facts_shown: wholeNumber({ min: 1, max: 200 }).default(20).meta({
    description:
      'How many facts a prompt holds at most: those that are about the message, within about 1 500 tokens. Mostly there are fewer.',
  }),
  introspection_turns: wholeNumber({ min: 0, max: 10_000 }).default(5).meta({
    description: 'After so many turns a checkpoint of the session is made: what was said is gone over. 0: never.',
  }),
  introspection_idle: seconds({ min: 0, max: 30 * 86_400 })
    .default(600)
    .meta({
      description: 'Seconds without any activity after which a checkpoint of a session is made. 0: never.',
    }),
  max_replan_depth: wholeNumber({ min: 0, max: 50 })
    .default(3)
    .meta({ description: 'How often one turn may be planned anew after a review asks for it. 0: never.' }),
  max_validation_retries: wholeNumber({ min: 0, max: 20 })
    .default(3)
    .meta({ description: 'How often the planner may mend a plan that breaks the plan rules.' }),
  max_plan_tasks: wholeNumber({ min: 1, max: 1000 })
    .default(20)
    .meta({ description: 'How many tasks a plan may have.' }),
  default_mode: z
    .enum(['plan', 'chat'], says('must be "plan" or "chat"'))
    .default('plan')
    .meta({
      description:
        'How sessions work that name no mode. "plan": a planner makes a plan of tasks, and a reviewer judges them. "chat": a model answers, and ' +
        'calls tools until it needs none.',
    }),
  chat_max_rounds: wholeNumber({ min: 1, max: 1000 })
    .default(25)
    .meta({ description: 'In mode "chat": how often the model may answer in one turn, calls of tools between.' }),
  exec_timeout: seconds({ min: 0.1, max: 86_400 }).default(120).meta({
    description:
      'Seconds after which a command is ended, with every process it started, and a call of a tool of a plugin is given up.',
  }),
  llm_idle_timeout: seconds({ min: 0.1, max: 3600 }).default(120).meta({
    description:
      'Seconds of silence after which a call of a language model is given up. A whole answer may take ten times as long.',
  }),
  provider_sessions: wholeNumber({ min: 0, max: 10_000 })
    .default(5)
    .meta({
      description:
        'How many conversations a process keeps in memory between their turns: then a turn reads nothing of what was said before, and runtimes ' +
        'of plugins stay open. 0: none.',
    }),
  provider_session_ttl: seconds({ min: 1, max: 86_400 })
    .default(480)
    .meta({ description: 'Seconds for which such a conversation is kept after its last turn.' }),
  provider_outage_wait: seconds({ min: 0, max: 604_800 }).default(3600).meta({
    description:
      'Seconds for which turns wait while the provider of a model cannot be reached or is overloaded, before they fail; 0: not at all.',
  }),
  max_queued: wholeNumber({ min: 1, max: 100_000 })
    .default(100)
    .meta({ description: 'How many messages may wait in one session; further ones are refused.' }),
  collect_window_ms: wholeNumber({ min: 0, max: 60_000 })
    .default(0)
    .meta({
      description:
        'Milliseconds without another message for which a message waits before its turn begins. What one person said by then, by one ' +
        'token, gets one turn. 0: none.',
    }),
  max_concurrent_turns: wholeNumber({ min: 1, max: 10_000 })
    .default(32)
    .meta({
      description:
        'How many turns one server process runs at the same time. While messages come and its event loop has all that it can do, those ' +
        'beyond six begin one by one, so that what people send is still answered soon.',
    }),
  max_running_per_user: wholeNumber({ min: 0, max: 100_000 })
    .default(0)
    .meta({
      description:
        'How many turns of one user run at the same time, in all server processes together; further ones wait, while those of others ' +
        'go on. 0: a quarter of max_concurrent_turns.',
    }),
  worker_idle_timeout: seconds({ min: 0, max: 86_400 }).default(300).meta({
    description:
      'Seconds after the last turn of a session for which a process remembers the secrets that were said in it. They are kept in its memory alone.',
  }),
  published_file_ttl: seconds({ min: 0, max: 100 * 365 * 86_400 })
    .default(30 * 86_400)
    .meta({ description: 'Seconds for which files that tasks published (in pub/) can be had. 0: for ever.' }),
  approval_timeout: seconds({ min: 1, max: 30 * 86_400 })
    .default(3600)
    .meta({ description: 'Seconds after which what waits for an approval counts as denied.' }),
  delegation_timeout: seconds({ min: 1, max: 30 * 86_400 })
    .default(7200)
    .meta({ description: 'Seconds after which a task that was delegated to a session of its own is given up.' }),
  audit_retention_days: wholeNumber({ min: 0, max: 36_500 }).default(400).meta({
    description: 'Days for which the audit is kept, and usage can be summed up. 0: for ever.',
  }),
  prompt_retention_days: wholeNumber({ min: 0, max: 365 }).default(7).meta({
    description:
      'Days for which admins can read what was sent to language models and what they answered, without secrets. 0: none of it is kept.',
  }),
  drain_timeout: seconds({ min: 0, max: 3600 }).default(30).meta({
    description: 'Seconds that running turns get to finish when the server is stopped, before they are handed over.',
  }),
}

const originRule = 'must be an origin such as "https://app.example.org": scheme, host and port, without a path or "*"'

const publicUrlRule = 'must be an address such as "https://agent.example.org", without "?" and "#", or empty'

const listenRule = 'must be an address and a port such as "127.0.0.1:9464" or "[::1]:9464", or empty'

const hostRule = 'must be the name of a host such as "agent.lan", without a scheme, port or "*"'

const allowListRule = 'must be the name of a host, an address, or a range of addresses such as "10.1.0.0/16"'

function perCaller() {
  return {
    requests_per_minute: wholeNumber({ min: 1, max: 10_000_000 })
      .default(600)
      .meta({
        description:
          'How many requests a token may make in a minute, in all server processes together: they notify each other within a ' +
          'second. An operation counts as one for each 100 that it costs (docs/api.md).',
      }),
    connections_per_user: wholeNumber({ min: 1, max: 10_000 })
      .default(1000)
      .meta({
        description:
          'How many WebSockets, event streams and requests that wait for a turn a user may have open at a time with one ' +
          'server process, with all tokens and logins; the token of a connector five times as many.',
      }),
  }
}

function doorSettings(production: boolean) {
  return {
    public_url: text(publicUrlRule, isPublicUrl)
      .default('')
      .meta({
        description:
          'The address under which people reach this server, such as "https://agent.example.org": links to published ' +
          'files begin with it. Empty: the address it listens on.',
      }),
    ...perCaller(),
    metrics_listen: text(listenRule, isListenAddress)
      .default('')
      .meta({
        description:
          'An address such as "127.0.0.1:9464" on which /metrics, and /ready with all details, need no token. Read when the ' +
          "server starts. Empty: they need an admin's token.",
      }),
    max_response_mib: wholeNumber({ min: 1, max: 256 }).default(16).meta({
      description: 'How many MiB the answer to one operation, or one event, may have; what is larger is refused.',
    }),
    cors_origins: z
      .array(text(originRule, isOrigin), says('must be a list of origins, such as ["https://app.example.org"]'))
      .default([])
      .meta({
        description:
          'Web pages of these origins may call the server from a browser, besides its own and, without ' +
          'NODE_ENV=production, those of localhost.',
      }),
    allowed_hosts: z
      .array(text(hostRule, isHostName), says('must be a list of names, such as ["agent.lan"]'))
      .default([])
      .meta({
        description:
          'Names under which people and programs reach this server, besides the one in public_url, localhost and ' +
          'addresses: a request for another name is refused, so that no website can pass for this server.',
      }),
    webhook_require_https: trueOrFalse().default(production).meta({
      description: 'Refuses webhooks without https. Default: false, but true with NODE_ENV=production.',
    }),
    webhook_allow_list: z
      .array(text(allowListRule, isAllowListEntry), says('must be a list, such as ["connector.lan", "10.1.0.0/16"]'))
      .default([])
      .meta({
        description:
          'Host names, addresses and ranges that webhooks may lead to although they are not on the public internet. ' +
          'A host or address named here may have any port; others 80, 443, 8080 or 8443.',
      }),
    console: trueOrFalse().default(true).meta({
      description: 'Serves the console, the page for people, at "/".',
    }),
    graphiql: trueOrFalse().default(!production).meta({
      description:
        'Serves GraphiQL, the query editor in the browser. Default: true, but false with NODE_ENV=production.',
    }),
    introspection: trueOrFalse().default(!production).meta({
      description: 'Lets clients read the GraphQL schema. Default: true, but false with NODE_ENV=production.',
    }),
  }
}

function isOrigin(value: string): boolean {
  return /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value
}

/** An address, not a name, so that it is clear who reaches it. */
function isListenAddress(value: string): boolean {
  return value === '' || toListenAddress(value) !== null
}

function toListenAddress(value: string): Settings['metricsListen'] {
  const [, host = '', port = ''] = /^\[?([0-9a-f.:]+?)\]?:(\d{1,5})$/i.exec(value) ?? []
  return isIP(host) !== 0 && (isIP(host) === 4 || value.startsWith('[')) && Number(port) <= 65_535
    ? { host, port: Number(port) }
    : null
}

function isHostName(value: string): boolean {
  return /^[a-z0-9_]([a-z0-9_.-]{0,252})$/i.test(value)
}

function isPublicUrl(value: string): boolean {
  return value === '' || (/^https?:\/\/[^?#@\s]+$/.test(value) && URL.canParse(value))
}

/** The settings as the code reads them. */
export function toSettings(section: SettingsSection): Settings {
  return {
    timeZone: section.time_zone,
    currency: section.currency === '' ? null : section.currency,
    contextTokens: section.context_tokens,
    contextMessages: section.context_messages,
    summarizeThreshold: section.summarize_threshold,
    factsShown: section.facts_shown,
    introspectionTurns: section.introspection_turns,
    introspectionIdleMs: toMs(section.introspection_idle),
    maxReplanDepth: section.max_replan_depth,
    maxValidationRetries: section.max_validation_retries,
    maxPlanTasks: section.max_plan_tasks,
    defaultMode: section.default_mode === 'chat' ? 'CHAT' : 'PLAN',
    chatMaxRounds: section.chat_max_rounds,
    execTimeoutMs: toMs(section.exec_timeout),
    llmIdleTimeoutMs: toMs(section.llm_idle_timeout),
    providerSessions: section.provider_sessions,
    providerSessionTtlMs: toMs(section.provider_session_ttl),
    providerOutageWaitMs: toMs(section.provider_outage_wait),
    maxQueued: section.max_queued,
    collectWindowMs: section.collect_window_ms,
    maxConcurrentTurns: section.max_concurrent_turns,
    maxRunningPerUser: section.max_running_per_user || Math.ceil(section.max_concurrent_turns / 4),
    workerIdleTimeoutMs: toMs(section.worker_idle_timeout),
    auditRetentionDays: section.audit_retention_days,
    promptRetentionDays: section.prompt_retention_days,
    drainTimeoutMs: toMs(section.drain_timeout),
    approvalTimeoutMs: toMs(section.approval_timeout),
    delegationTimeoutMs: toMs(section.delegation_timeout),
    publishedFileTtlMs: toMs(section.published_file_ttl),
    publicUrl: section.public_url === '' ? null : section.public_url.replace(/\/+$/, ''),
    requestsPerMinute: section.requests_per_minute,
    connectionsPerUser: section.connections_per_user,
    metricsListen: toListenAddress(section.metrics_listen),
    maxResponseBytes: section.max_response_mib * 1024 * 1024,
    corsOrigins: section.cors_origins,
    allowedHosts: section.allowed_hosts,
    webhookRequireHttps: section.webhook_require_https,
    webhookAllowList: section.webhook_allow_list,
    console: section.console,
    graphiql: section.graphiql,
    introspection: section.introspection,
  }
}

function toMs(durationSeconds: number): number {
  return Math.round(durationSeconds * 1000)
}

export interface SettingDoc {
  readonly key: string
  readonly defaultValue: unknown
  readonly description: string
}

/** Every setting with its default and its explanation, in the order of the schema. */
export function describeSettings(production: boolean): readonly SettingDoc[] {
  return Object.entries(settingsSchema(production).shape).map(([key, field]) => ({
    key,
    defaultValue: field.parse(undefined),
    description: field.description ?? '',
  }))
}
