/**
 * The commented config.toml of the first start. The explanations and defaults are the schema's own. A line that begins
 * with "# " explains; one that begins with "#" alone is a setting to uncomment, and all of them together are valid.
 */
import { stringify } from 'smol-toml'
import type * as z from 'zod'
import { approvalRuleSchema, approvalsSchema } from './schema/approvals.ts'
import { budgetsSchema } from './schema/budgets.ts'
import { providerSchema } from './schema/provider.ts'
import { modelsSchema, priceSchema, tokenSchema, userSchema } from './schema/schema.ts'
import { describeSettings } from './schema/settings-schema.ts'
import { curationSchema } from './schema/curation.ts'
import { graphqlSchema } from './schema/graphql.ts'
import { pluginsSchema } from './schema/plugins.ts'
import { mcpServerSchema } from './schema/mcp.ts'
import { quotasSchema } from './schema/quotas.ts'
import { retentionSchema } from './schema/retention.ts'

/** `sha256` is that of the token with which the user "admin" enters. */
export function sampleConfig(sha256: string): string {
  return `${[intro, tokens(sha256), users(), providers(), models(), prices(), budgets(), quotas(), retention(), approvals(), curation(), graphql(), plugins(), mcp(), settings()].map((lines) => lines.join('\n')).join('\n\n')}\n`
}

const intro = [
  '# The configuration of Factotum. A change takes effect within a second, without a restart; one that breaks a rule is',
  '# logged and changes nothing. "factotum --check-config" checks this file.',
  '# Lines that begin with "# " explain. Remove the "#" of the others to use them.',
]

function tokens(sha256: string): string[] {
  return [
    ...title('Tokens: who may call the server. Each client has one, and sends "Authorization: Bearer <token>".'),
    ...explain(tokenSchema),
    '[tokens.cli]',
    `sha256 = "${sha256}"`,
    'kind = "user"',
    'user = "admin"',
    '',
    ...commented('[tokens.discord]', `sha256 = "${'0'.repeat(64)}"`, 'kind = "connector"', 'namespace = "discord"'),
  ]
}

function users(): string[] {
  return [
    ...title('Users: who the tokens act for.'),
    ...explain(userSchema),
    '[users.admin]',
    'role = "admin"',
    '',
    ...commented('[users.anna]', 'role = "user"', 'skills = ["search"]', 'aliases.discord = "Anna#1234"'),
  ]
}

function providers(): string[] {
  return [
    ...title('Providers: OpenAI-compatible endpoints. Without one, the built-in rehearsal model answers.'),
    ...explain(providerSchema),
    ...commented(
      '[providers.openrouter]',
      'base_url = "https://openrouter.ai/api/v1"',
      'api_key_env = "OPENROUTER_API_KEY"',
    ),
  ]
}

function models(): string[] {
  return [
    ...title('Models: which one plays which role, as "provider:model", or "model" of the first provider.'),
    ...explain(modelsSchema),
    ...commented('[models]', ...Object.keys(modelsSchema.shape).map((role) => `${role} = "openrouter:some/model"`)),
  ]
}

function prices(): string[] {
  return [
    ...title('Prices: what a model costs, in any one currency. With them, the costs of turns are recorded.'),
    ...explain(priceSchema),
    ...commented('[prices."openrouter:some/model"]', 'input = 0.6', 'output = 2.5', 'cached = 0.06'),
  ]
}

function approvals(): string[] {
  return [
    ...title('Approvals: which commands and skills run, need an approval, or may not run.'),
    ...explain(approvalsSchema),
    '# A rule has the keys:',
    '#',
    ...explain(approvalRuleSchema),
    ...commented(
      '[approvals]',
      'default = "allow"',
      '[[approvals.rules]]',
      'effect = "require"',
      'command = "git push"',
      '[[approvals.rules]]',
      'effect = "deny"',
      'command = "curl"',
      'role = "user"',
    ),
  ]
}

function budgets(): string[] {
  return [
    ...title(
      'Budgets: what may be used in a day. When one is used up, turns wait until midnight UTC, or until it is raised.',
    ),
    ...explain(budgetsSchema),
    ...commented(
      '[budgets]',
      'user_tokens_per_day = 2000000',
      'user_cost_per_day = 5.0',
      'session_tokens_per_day = 500000',
      'session_cost_per_day = 2.0',
      '[budgets.users.admin]',
      'tokens_per_day = "unlimited"',
      'cost_per_day = 50.0',
    ),
  ]
}

function quotas(): string[] {
  const { users: _users, ...defaults } = quotasSchema.parse({})
  return [
    ...title('Quotas: what may be kept at the same time. What is deleted, or has expired, counts no more.'),
    ...explain(quotasSchema),
    ...commented('[quotas]', ...stringify(defaults).trim().split('\n'), '[quotas.users.admin]', 'sessions = 5000'),
  ]
}

function retention(): string[] {
  return [
    ...title(
      'Retention: what goes when it is old. See docs/operations.md; "factotum retention --dry-run" counts first.',
    ),
    ...explain(retentionSchema),
    ...commented('[retention]', 'events = 90', 'outputs = 30', 'turns = 365', 'messages = 365', 'deliveries = 30'),
  ]
}

function curation(): string[] {
  return [
    ...title('Curation: what becomes a fact without a person. See docs/curation.md.'),
    ...explain(curationSchema),
    ...commented('[curation]', 'admin = "hold_suspicious"', 'user = "hold"', '[curation.checkpoint]', 'admin = "hold"'),
  ]
}

function graphql(): string[] {
  return [
    ...title('GraphQL: what you add to the server.'),
    ...explain(graphqlSchema),
    ...commented('[graphql]', 'plugins = ["./my-plugin.ts"]'),
  ]
}

function plugins(): string[] {
  return [
    ...title(
      'Plugins that are npm packages; those of the folder plugins/ are found by themselves. See docs/plugins.md.',
    ),
    ...explain(pluginsSchema),
    ...commented('[plugins]', 'packages = ["factotum-plugin-weather"]'),
  ]
}

function mcp(): string[] {
  return [
    ...title('Tools of MCP servers (Model Context Protocol); each is offered as "<name>__<tool>". See docs/mcp.md.'),
    ...explain(mcpServerSchema),
    ...commented(
      '[mcp.files]',
      'command = "node"',
      'args = ["node_modules/.bin/mcp-server-filesystem", "/workspace"]',
      '[mcp.tracker]',
      'url = "https://mcp.example.org/mcp"',
      'bearer = "TRACKER_TOKEN"',
    ),
  ]
}

function settings(): string[] {
  const lines = describeSettings(false).flatMap(({ key, defaultValue, description }) =>
    [`# ${description}`].concat(commented(stringify({ [key]: defaultValue }).trim())),
  )
  return [...title('Settings, with their defaults.'), '[settings]', ...lines]
}

function title(text: string): string[] {
  return [`# ${'-'.repeat(100)}`, `# ${text}`, '#']
}

/** The keys of a section, each with the schema's explanation. */
function explain(schema: z.ZodObject): string[] {
  const lines = Object.entries(schema.shape).map(
    ([key, field]) => `#   ${key.padEnd(12)} ${(field as z.ZodType).description ?? ''}`,
  )
  return [...lines, '#']
}

function commented(...lines: string[]): string[] {
  return lines.map((line) => `#${line}`)
}
