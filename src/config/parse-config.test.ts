import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AGENT_ROLES } from '../core/model-call.ts'
import type { Config } from './config.ts'
import { describeProblem } from './config-problem.ts'
import { parseConfig, type ParsedConfig } from './parse-config.ts'
import { hashToken } from './access/token-hash.ts'
import { newWebhookSecret } from './access/webhook-secret.ts'

const development = { production: false }
const hash = (token: string): string => hashToken(token).toString('hex')

const identities = `
[tokens.cli]
sha256 = "${hash('cli-token')}"
kind = "user"
user = "marco"

[tokens.discord]
sha256 = "${hash('discord-token').toUpperCase()}"
kind = "connector"
namespace = "discord"

[users.marco]
role = "admin"
aliases.discord = "Marco#1234"

[users.anna]
role = "user"
skills = ["search"]
`

const full = `${identities}
[providers.openrouter]
base_url = "https://openrouter.ai/api/v1"
api_key_env = "OPENROUTER_API_KEY"
[providers.local]
base_url = "http://127.0.0.1:11434/v1"

[models]
planner = "openrouter:some/model:free"
messenger = "small"

[prices."openrouter:some/model:free"]
input = 0.6
output = 2.5
[prices.small]
input = 1
output = 2
cached = 0.1

[settings]
context_messages = 7
exec_timeout = 0.5
cors_origins = ["https://app.example.org", "http://localhost:5173"]
graphiql = false
`

function accept(toml: string, context = development): Config {
  const parsed = parseConfig(toml, context)
  if (parsed.kind === 'invalid') throw new Error(parsed.problems.map(describeProblem).join('\n'))
  return parsed.config
}

function problemsOf(toml: string): readonly string[] {
  const parsed: ParsedConfig = parseConfig(toml, development)
  return parsed.kind === 'invalid' ? parsed.problems.map(describeProblem) : []
}

function warningsOf(toml: string): readonly string[] {
  const parsed = parseConfig(toml, development)
  return parsed.kind === 'valid' ? parsed.warnings.map(describeProblem) : []
}

describe('a valid configuration', () => {
  test('holds tokens by their hash, with what they are bound to', () => {
    const { tokens } = accept(full)
    expect(tokens.get('cli')).toEqual({
      name: 'cli',
      sha256: hashToken('cli-token'),
      plainToken: null,
      kind: 'USER',
      user: 'marco',
      namespace: null,
      webhookSecrets: [],
      webhookSecretEnvs: [],
      declared: true,
      expiresAt: null,
    })
    expect(tokens.get('discord')).toEqual({
      name: 'discord',
      sha256: hashToken('discord-token'),
      plainToken: null,
      kind: 'CONNECTOR',
      user: null,
      namespace: 'discord',
      webhookSecrets: [],
      webhookSecretEnvs: [],
      declared: true,
      expiresAt: null,
    })
  })

  test('confines a connector to its own name where none is given; "*" frees it, with a warning', () => {
    const withTwo = (line: string): string => `${full}\n[tokens.two]\nkind = "connector"\ntoken = "two-token"\n${line}`
    expect(accept(withTwo('')).tokens.get('two')).toMatchObject({ namespace: 'two' })
    expect(warningsOf(withTwo('')).filter((line) => line.includes('namespace'))).toEqual([])
    const free = withTwo('namespace = "*"')
    expect(accept(free).tokens.get('two')).toMatchObject({ namespace: null })
    expect(warningsOf(free).filter((line) => line.includes('namespace'))).toEqual([
      expect.stringMatching(
        /tokens\.two\.namespace: "\*" lets this token read every session and post in it; .* begin with "two:"/,
      ),
    ])
  })

  test('holds a token itself when the file does', () => {
    const { tokens } = accept(`${full}\n[tokens.one]\nkind = "connector"\ntoken = "one-token"`)
    expect(tokens.get('one')).toMatchObject({ sha256: hashToken('one-token'), plainToken: 'one-token' })
  })

  test('holds the secrets for webhooks: one, or two while one replaces the other, or the variable with it', () => {
    const [old, fresh] = [newWebhookSecret(), newWebhookSecret()]
    const { tokens } = accept(`${full}
[tokens.one]
kind = "connector"
token = "one-token"
webhook_secret = "${old}"
[tokens.two]
kind = "connector"
token = "two-token"
webhook_secret = ["${old}", "${fresh}"]
webhook_secret_env = "CHAT_WEBHOOK_SECRET"
`)
    expect(tokens.get('one')).toMatchObject({ webhookSecrets: [old], webhookSecretEnvs: [] })
    expect(tokens.get('two')).toMatchObject({
      webhookSecrets: [old, fresh],
      webhookSecretEnvs: ['CHAT_WEBHOOK_SECRET'],
    })
  })

  test('holds users; admins may use every skill whatever their list says', () => {
    const { users } = accept(full.replace('role = "admin"', 'role = "admin"\nskills = []'))
    expect(users.get('marco')).toEqual({
      name: 'marco',
      role: 'ADMIN',
      skills: '*',
      tools: [],
      aliases: new Map([['discord', ['Marco#1234']]]),
      declared: true,
    })
    expect(users.get('anna')).toEqual({
      name: 'anna',
      role: 'USER',
      skills: ['search'],
      tools: [],
      aliases: new Map(),
      declared: true,
    })
  })

  test('splits models at the first colon, gives a bare model to the first provider, and lets roles default to the planner', () => {
    const { models, providers } = accept(full)
    expect(models).toEqual({
      planner: { provider: 'openrouter', model: 'some/model:free' },
      reviewer: { provider: 'openrouter', model: 'some/model:free' },
      messenger: { provider: 'openrouter', model: 'small' },
      assistant: { provider: 'openrouter', model: 'some/model:free' },
      curator: { provider: 'openrouter', model: 'some/model:free' },
      summarizer: { provider: 'openrouter', model: 'some/model:free' },
      paraphraser: { provider: 'openrouter', model: 'some/model:free' },
      introspector: { provider: 'openrouter', model: 'some/model:free' },
    })
    expect([...providers.values()]).toMatchObject([
      { name: 'openrouter', baseUrl: 'https://openrouter.ai/api/v1', apiKeyEnv: 'OPENROUTER_API_KEY', api: 'chat' },
      { name: 'local', baseUrl: 'http://127.0.0.1:11434/v1', apiKeyEnv: null, api: 'chat' },
    ])
  })

  test('reads in what the requests of a provider differ', () => {
    const odd = `${identities}
[providers.azure]
base_url = "https://me.openai.azure.com/openai/deployments/four"
api_key_env = "AZURE_KEY"
api_key_header = "api-key"
headers = { "X-Title" = "Factotum" }
query = { "api-version" = "2025-01-01-preview" }
extra_body = { temperature = 0.2 }
timeout = 900
structured_output = "tool"
stream = false
system_role = "developer"
max_tokens = 4096
max_tokens_field = "max_completion_tokens"
[models]
planner = "azure:four"
`
    expect(accept(odd).providers.get('azure')?.request).toEqual({
      headers: { 'X-Title': 'Factotum' },
      query: { 'api-version': '2025-01-01-preview' },
      apiKeyHeader: 'api-key',
      extraBody: { temperature: 0.2 },
      idleTimeoutMs: 900_000,
      structuredOutput: 'tool',
      streams: false,
      systemRole: 'developer',
      maxTokens: 4096,
      maxTokensField: 'max_completion_tokens',
    })
  })

  test('takes a list of models, the first of which is asked first; roles without one take all of the planner', () => {
    const toml = full.replace('planner = "openrouter:some/model:free"', 'planner = ["openrouter:a", "local:b", "c"]')
    const { models, fallbacks } = accept(toml)
    expect(models.reviewer).toEqual({ provider: 'openrouter', model: 'a' })
    expect(fallbacks.reviewer).toEqual([
      { provider: 'local', model: 'b' },
      { provider: 'openrouter', model: 'c' },
    ])
    expect(fallbacks.messenger).toEqual([])
    expect(() => accept(toml.replace('local:b', 'nope:b'))).toThrow('there is no provider "nope"')
  })

  test('keys prices by "provider:model"; cached input costs as much as input where nothing is said', () => {
    expect([...accept(full).prices]).toEqual([
      ['openrouter:some/model:free', { input: 0.6, output: 2.5, cached: 0.6 }],
      ['openrouter:small', { input: 1, output: 2, cached: 0.1 }],
    ])
  })

  test('turns seconds into milliseconds', () => {
    const { settings } = accept(full)
    expect(settings).toMatchObject({ contextMessages: 7, execTimeoutMs: 500, graphiql: false, introspection: true })
    expect(settings.corsOrigins).toEqual(['https://app.example.org', 'http://localhost:5173'])
  })

  test('has the documented defaults, and the rehearsal model', () => {
    const rehearsal = { provider: 'rehearsal', model: 'rehearsal' }
    const { settings, models, providers, prices } = accept(identities)
    expect(settings).toEqual({
      providerOutageWaitMs: 3_600_000,
      approvalTimeoutMs: 3_600_000,
      delegationTimeoutMs: 7_200_000,
      auditRetentionDays: 400,
      promptRetentionDays: 7,
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
      llmIdleTimeoutMs: 120_000,
      providerSessions: 5,
      providerSessionTtlMs: 480_000,
      maxQueued: 100,
      collectWindowMs: 0,
      maxConcurrentTurns: 32,
      maxRunningPerUser: 8,
      workerIdleTimeoutMs: 300_000,
      drainTimeoutMs: 30_000,
      publishedFileTtlMs: 2_592_000_000,
      publicUrl: null,
      requestsPerMinute: 600,
      connectionsPerUser: 1000,
      metricsListen: null,
      maxResponseBytes: 16 * 1024 * 1024,
      corsOrigins: [],
      allowedHosts: [],
      console: true,
      graphiql: true,
      introspection: true,
      webhookRequireHttps: false,
      webhookAllowList: [],
    })
    expect(models).toEqual(Object.fromEntries(AGENT_ROLES.map((role) => [role, rehearsal])))
    expect([providers.size, prices.size]).toEqual([0, 0])
  })

  test('has GraphiQL and introspection off in production unless it turns them on', () => {
    const production = { production: true }
    expect(accept(identities, production).settings).toMatchObject({ graphiql: false, introspection: false })
    expect(accept(`${identities}\n[settings]\ngraphiql = true`, production).settings).toMatchObject({
      graphiql: true,
      introspection: false,
    })
  })

  test('may hold a token itself: the same hash, and a warning that tells neither', () => {
    const toml = identities.replace(`sha256 = "${hash('cli-token')}"`, 'token = "plain-token"')
    expect(accept(toml).tokens.get('cli')?.sha256).toEqual(hashToken('plain-token'))
    const warnings = warningsOf(toml)
    expect(warnings).toEqual([
      expect.stringMatching(/^line 3, tokens\.cli\.token: the token itself is in the file.*"factotum token --print"$/),
    ])
    expect(warnings.join('')).not.toMatch(new RegExp(`plain-token|${hash('plain-token')}`))
  })

  test('warns of an alias under a token that never reads aliases', () => {
    const toml = identities.replace('aliases.discord', 'aliases.cli')
    expect(warningsOf(toml)).toEqual([expect.stringContaining('users.marco.aliases.cli: has no effect')])
    expect(warningsOf(identities)).toEqual([])
  })
})

/** The full sample with one thing changed. */
function change(from: string | RegExp, to: string): string {
  const changed = full.replace(from, to)
  if (changed === full) throw new Error(`the sample does not contain ${String(from)}`)
  return changed
}

/** [what breaks it, the file, the key that the error names, the remedy that it contains] */
// prettier-ignore
const broken: readonly (readonly [what: string, toml: string, key: string, remedy: string])[] = [
  ['nothing at all', '', 'tokens', 'at least one section [tokens.<name>] is needed; "factotum token --print" prints one'],
  ['no users', '[tokens]', 'users', 'at least one section [users.<name>] is needed'],
  ['broken TOML', 'a = "x', 'line 1', 'is not valid TOML (column 5): unfinished string'],
  ['a section twice', `${full}\n[users . "anna"]`, 'line 44', 'has [users . "anna"], which stands in line 16 already: move what follows there'],
  ['a key twice', '[a]\nx = 1\n[b]\nx = 1\n"x" = 2', 'line 5', 'has "x", which stands in line 4 already: take one of them out'],
  ['a key for a section', 'a = 1\n[a]', 'line 2', 'redefine'],
  ['a name that objects have', `${full}\n[users.__proto__]`, 'line 44', 'a key is called "__proto__"'],
  ['an unknown section', `${full}\n[secrets]`, 'line 44, secrets', 'known here: tokens, users, providers, models, approvals, prices'],
  ['a mistyped section', `${full}\n[setting]`, 'setting', '(did you mean "settings"?)'],
  ['a list of sections', `${identities}\n[[models]]`, 'models', 'must be a section [models]; it is a list'],
  ['a value for a section', `tokens = "abc"`, 'tokens', 'must be sections [tokens.<name>]'],

  ['a setting outside of its section', `max_queued = 5\n${full}`, 'line 1, max_queued', 'below the line [settings]'],
  ['a time zone that is none', change('context_messages = 7', 'time_zone = "Mars"'), 'settings.time_zone', 'such as "Europe/Berlin"'],
  ['a mistyped setting', change('context_messages', 'context_mesages'), 'settings.context_mesages', '(did you mean "context_messages"?)'],
  ['a setting of a later version', change('context_messages', 'introspection_interval'), 'settings.introspection_interval', 'is not a known key'],
  ['text for a number', change('messages = 7', 'messages = "7"'), 'settings.context_messages', 'a whole number from 0 to 1000; it is "7"'],
  ['a fraction', change('messages = 7', 'messages = 7.5'), 'settings.context_messages', 'a whole number from 0 to 1000; it is 7.5'],
  ['a negative number', change('messages = 7', 'messages = -1'), 'settings.context_messages', 'from 0 to 1000; it is -1'],
  ['no time at all', change('timeout = 0.5', 'timeout = 0'), 'settings.exec_timeout', 'seconds from 0.1 to 86400; it is 0'],
  ['endless time', change('timeout = 0.5', 'timeout = inf'), 'settings.exec_timeout', 'seconds from 0.1 to 86400'],
  ['a date', change('timeout = 0.5', 'timeout = 2026-01-01'), 'settings.exec_timeout', 'from 0.1 to 86400; it is a date'],
  ['text for a flag', change('graphiql = false', 'graphiql = "no"'), 'settings.graphiql', 'must be true or false; it is "no"'],
  ['an origin with a path', change('localhost:5173', 'localhost:5173/'), 'settings.cors_origins.1', 'without a path'],
  ['a currency that is none', change('graphiql = false', 'graphiql = false\ncurrency = "euro"'), 'settings.currency', 'must be three capital letters such as "EUR"'],
  ['an own address without https://', change('graphiql = false', 'graphiql = false\npublic_url = "agent.example"'), 'settings.public_url', 'must be an address such as "https://agent.example.org"'],
  ['an own address with a password', change('graphiql = false', 'graphiql = false\npublic_url = "https://a:b@agent.example"'), 'settings.public_url', 'must be an address'],
  ['a file that expires before it is there', change('graphiql = false', 'graphiql = false\npublished_file_ttl = -1'), 'settings.published_file_ttl', 'a number of seconds from 0 to'],
  ['any origin', change('http://localhost:5173', '*'), 'settings.cors_origins.1', 'without a path or "*"; it is "*"'],
  ['an origin without a list', change(/\[.*localhost.*\]/, '"https://a.example"'), 'settings.cors_origins', 'must be a list of origins'],
  ['an allow list with an address that is none', change('graphiql = false', 'graphiql = false\nwebhook_allow_list = ["300.1.1.1"]'), 'settings.webhook_allow_list.0', 'a range of addresses such as "10.1.0.0/16"; it is "300.1.1.1"'],
  ['an allow list with a URL', change('graphiql = false', 'graphiql = false\nwebhook_allow_list = ["https://chat.example"]'), 'settings.webhook_allow_list.0', 'must be the name of a host'],
  ['a webhook secret that is too short', change('namespace = "discord"', 'namespace = "discord"\nwebhook_secret = "whsec_c2VjcmV0"'), 'tokens.discord.webhook_secret', '"factotum token --print" prints one'],
  ['a webhook secret of another kind', change('namespace = "discord"', 'namespace = "discord"\nwebhook_secret = ["hunter2hunter2hunter2"]'), 'tokens.discord.webhook_secret.0', 'must be "whsec_" followed by'],
  ['three webhook secrets', change('namespace = "discord"', 'namespace = "discord"\nwebhook_secret_env = ["A", "B", "C"]'), 'tokens.discord.webhook_secret_env', 'or a list of two'],

  ['a token name in capitals', change('[tokens.cli]', '[tokens.CLI]'), 'tokens.CLI', 'as a name must be 1 to 32 lower-case letters'],
  ['a token with nothing', `${full}\n[tokens.web]\nkind = "connector"`, 'tokens.web.sha256', '"factotum token --print" prints a new token'],
  ['a token without a kind', change('kind = "connector"\n', ''), 'tokens.discord.kind', 'is missing; it must be "user" or "connector"'],
  ['an unknown kind', change('"connector"', '"bot"'), 'tokens.discord.kind', 'must be "user" or "connector"; it is "bot"'],
  ['a token for its hash', change(hash('cli-token'), 'fct_0123456789'), 'tokens.cli.sha256', 'the SHA-256 of the token and not the token itself'],
  ['a token beside its hash', change('kind = "user"', 'kind = "user"\ntoken = "abc"'), 'tokens.cli.token', 'keep sha256 and remove this line'],
  ['a token with a space', change(`sha256 = "${hash('cli-token')}"`, 'token = "a b"'), 'tokens.cli.token', 'visible ASCII characters without spaces'],
  ['a token under two names', `${full}\n[tokens.web]\nkind = "connector"\ntoken = "cli-token"`, 'tokens.web', 'is the same token as tokens.cli'],
  ['a user token without a user', change('user = "marco"\n', ''), 'tokens.cli.user', 'must name whom it acts for, one of [users]'],
  ['a user token for nobody', change('user = "marco"', 'user = "marko"'), 'tokens.cli.user', 'there is no user "marko" (did you mean "marco"?)'],
  ['a user token with a namespace', change('user = "marco"', 'user = "marco"\nnamespace = "x"'), 'tokens.cli.namespace', 'is only for kind "connector"; remove the line'],
  ['a connector with a user', change('namespace = "discord"', 'user = "marco"'), 'tokens.discord.user', 'names the sender of each message; remove the line'],
  ['a namespace with a colon', change('namespace = "discord"', 'namespace = "discord:"'), 'tokens.discord.namespace', 'without ":"'],
  ['a namespace of users', change('namespace = "discord"', 'namespace = "@marco"'), 'tokens.discord.namespace', 'not beginning with "@"'],
  ['the namespace of schedules', change('namespace = "discord"', 'namespace = "schedule"'), 'tokens.discord.namespace', 'must not be "schedule"'],
  ['a connector that is called like it', `${full}\n[tokens.schedule]\nkind = "connector"\ntoken = "one-token"`, 'tokens.schedule.namespace', 'must not be "schedule"'],
  ['an unknown key of a token', change('namespace = ', 'prefix = '), 'tokens.discord.prefix', 'known here: sha256, token, kind, user, namespace'],

  ['an unknown role', change('role = "admin"', 'role = "owner"'), 'users.marco.role', 'must be "admin" or "user"; it is "owner"'],
  ['a user without skills', change('skills = ["search"]\n', ''), 'users.anna.skills', 'must be "*" or a list of names of skills ([] for none)'],
  ['skills as one word', change('["search"]', '"search"'), 'users.anna.skills', 'must be "*" or a list of names of skills; it is "search"'],
  ['an alias for an unknown token', change('aliases.discord', 'aliases.discrod'), 'users.marco.aliases.discrod', 'there is no token "discrod" (did you mean "discord"?)'],
  ['an alias that is a list', change('"Marco#1234"', '["Marco#1234"]'), 'users.marco.aliases.discord', 'must be 1 to 255 characters'],
  ['an empty alias', change('"Marco#1234"', '""'), 'users.marco.aliases.discord', 'must be 1 to 255 characters'],
  ['an alias with NUL', change('#1234', String.raw`\u0000`), 'users.marco.aliases.discord', 'without NUL'],
  ['an alias of two users', change('["search"]', '[]\naliases.discord = "Marco#1234"'), 'users.anna.aliases.discord', '"Marco#1234" is already the alias of users.marco'],

  ['a provider without an address', change('base_url = "http://127.0.0.1:11434/v1"\n', ''), 'providers.local.base_url', 'is missing; it must be an http or https address'],
  ['a provider elsewhere', change('http://127', 'ftp://127'), 'providers.local.base_url', 'must be an http or https address'],
  ['the address of one endpoint', change('11434/v1', '11434/v1/chat/completions'), 'providers.local.base_url', 'without "/chat/completions"'],
  ['an address with a password', change('http://127', 'http://me:secret@127'), 'providers.local.base_url', 'without "/chat/completions" or a key'],
  ['a key for the name of its variable', change('"OPENROUTER_API_KEY"', '"sk-or-v1-0123"'), 'providers.openrouter.api_key_env', 'must be the NAME of the environment variable'],
  ['a key in the shape of a name', change('"OPENROUTER_API_KEY"', '"gsk_0123456789abcdefABCDEF"'), 'providers.openrouter.api_key_env', 'the key itself belongs into the environment'],
  ['the name of the built-in model', change('[providers.local]', '[providers.rehearsal]'), 'providers.rehearsal', 'choose another'],

  ['no planner', change('planner = "openrouter:some/model:free"\n', ''), 'models.planner', 'such as "openrouter:some/model"'],
  ['a model of an unknown provider', change('= "small"', '= "opnrouter:x"'), 'models.messenger', 'there is no provider "opnrouter" (did you mean "openrouter"?)'],
  ['a model whose name has a colon', change('= "small"', '= "llama3:8b"'), 'models.messenger', 'if "llama3:8b" is the whole name of a model, write "openrouter:llama3:8b"'],
  ['a provider without a model', change('= "small"', '= "local:"'), 'models.messenger', 'names no model'],
  ['an empty model', change('= "small"', '= ""'), 'models.messenger', 'must be "provider:model"'],
  ['a model without providers', `${identities}\n[models]\nplanner = "x"`, 'models.planner', 'add a section [providers.<name>]'],
  ['a role of a later version', change('messenger =', 'translator ='), 'models.translator', 'known here: planner, reviewer, messenger'],
  ['a price of an unknown provider', change('[prices.small]', '[prices."remote:small"]'), 'prices."remote:small"', 'there is no provider "remote"'],
  ['two prices of one model', `${full}\n[prices."openrouter:small"]\ninput = 1\noutput = 1`, 'prices."openrouter:small"', 'is the same model as prices."small"'],
  ['half a price', change('output = 2\n', ''), 'prices.small.output', 'is missing; it must be a number, 0 or more'],
  ['a price below nothing', change('output = 2\n', 'output = -2\n'), 'prices.small.output', '0 or more: the price per million tokens; it is -2'],
]

describe('an invalid configuration', () => {
  test.each(broken.map(([what, toml, key, remedy]) => ({ what, toml, key, remedy })))(
    '$what',
    ({ toml, key, remedy }) => {
      const aboutTheKey = problemsOf(toml).filter((line) => line.includes(key))
      expect(aboutTheKey.join('\n')).toContain(remedy)
    },
  )

  test('is described whole: every problem, in the order of the file, each with its line', () => {
    const toml = full
      .replace('user = "marco"', 'user = "nobody"')
      .replace('skills = ["search"]', 'skils = "*"')
      .replace('graphiql = false', 'graphiql = 0')
    expect(problemsOf(toml)).toEqual([
      'line 5, tokens.cli.user: there is no user "nobody"; it must be one of [users]',
      'line 16, users.anna.skills: is missing; for role "user" it must be "*" or a list of names of skills ([] for none)',
      'line 18, users.anna.skils: is not a known key (did you mean "skills"?)',
      'line 42, settings.graphiql: must be true or false; it is 0',
    ])
  })

  test('is never described with what could be a secret', () => {
    const secret = fc.stringMatching(/^S3[a-zA-Z0-9_./+ -]{8,40}$/)
    const places = [
      (value: string) => change(hash('cli-token'), value),
      (value: string) => change(`sha256 = "${hash('cli-token')}"`, `token = "${value} "`),
      (value: string) => change(`sha256 = "${hash('cli-token')}"`, `token = "${value}`),
      (value: string) => change('"OPENROUTER_API_KEY"', `"-${value}"`),
      (value: string) => change('https://openrouter', `https://user:${value}@openrouter`),
      (value: string) => `${full}\n[tokens]\nweb = "${value}"`,
    ]
    fc.assert(
      fc.property(secret, fc.constantFrom(...places), (value, place) => {
        const problems = problemsOf(place(value))
        expect(problems).not.toEqual([])
        expect(problems.join('\n')).not.toContain(value)
      }),
    )
  })

  test('never throws, whatever the text is', () => {
    const fragments = [
      '[tokens',
      '.cli',
      ']',
      '\n',
      'a',
      '=',
      '"',
      "'",
      '{',
      '}',
      '[users.x]',
      '[[models]]',
      '1',
      ',',
      'settings',
      '#',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...fragments)), (parts) => {
        expect(parseConfig(parts.join(''), development).kind).toBe('invalid')
      }),
    )
  })
})

describe('[mcp.<name>]', () => {
  test('a program, and an address', () => {
    const { mcp } = accept(`${full}
[mcp.files]
command = "node"
args = ["index.js"]
env = ["FILES_KEY"]
[mcp.web]
url = "https://example.org/mcp"
bearer = "WEB_KEY"
timeout = 1.5
enabled = false
`)
    expect([...mcp.values()]).toEqual([
      {
        name: 'files',
        reach: { kind: 'PROGRAM', command: 'node', args: ['index.js'], env: ['FILES_KEY'], hasNetwork: false },
        timeoutMs: 60_000,
        enabled: true,
      },
      {
        name: 'web',
        reach: { kind: 'URL', url: 'https://example.org/mcp', bearer: 'WEB_KEY', allowPrivate: false },
        timeoutMs: 1500,
        enabled: false,
      },
    ])
  })

  test.each([
    ['skills', 'command = "x"', /as a name must be/],
    ['memory', 'command = "x"', /as a name must be .*"mcp", "memory", "plugins", "session", "skills"/],
    ['session', 'command = "x"', /as a name must be/],
    ['Files', 'command = "x"', /as a name must be/],
    ['x', '', /must have either command or url/],
    ['x', 'command = "x"\nurl = "https://x.org"', /must have either command or url/],
    ['x', 'url = "https://x.org"\nargs = []', /has args, which goes with command alone/],
    ['x', 'command = "x"\nbearer = "A_KEY"', /has bearer, which goes with url alone/],
    ['x', 'url = "http://x.org"', /needs allow_private/],
    ['x', 'command = "x"\nenv = ["KEY=value"]', /must be the NAME of a secret/],
    ['x', 'url = "https://me:secret@x.org"', /without a key in it/],
    ['x', 'comand = "x"', /is not a known key \(did you mean "command"\?\)/],
  ])('refuses %s: %s', (name, lines, problem) => {
    const parsed = parseConfig(`${full}\n[mcp.${name}]\n${lines}`, development)
    const problems = parsed.kind === 'invalid' ? parsed.problems.map(describeProblem) : []
    expect(problems.join('\n')).toMatch(problem)
    expect(problems.join('\n')).not.toContain('secret@')
  })
})
