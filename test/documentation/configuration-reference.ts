/** docs/configuration.md: every section, setting and variable, as their own schemas describe them. */
import { stringify } from 'smol-toml'
import type * as z from 'zod'
import { approvalRuleSchema, approvalsSchema } from '../../src/config/schema/approvals.ts'
import { budgetsSchema } from '../../src/config/schema/budgets.ts'
import { curationSchema } from '../../src/config/schema/curation.ts'
import { describeEnvironment } from '../../src/config/schema/environment.ts'
import { graphqlSchema } from '../../src/config/schema/graphql.ts'
import { pluginsSchema } from '../../src/config/schema/plugins.ts'
import { mcpServerSchema } from '../../src/config/schema/mcp.ts'
import { providerSchema } from '../../src/config/schema/provider.ts'
import { quotasSchema } from '../../src/config/schema/quotas.ts'
import { retentionSchema } from '../../src/config/schema/retention.ts'
import { modelsSchema, priceSchema, tokenSchema, userSchema } from '../../src/config/schema/schema.ts'
import { describeSettings } from '../../src/config/schema/settings-schema.ts'

const MODELS = `Which model plays which role, as "provider:model", or several in order. What stands before the first colon is a provider of this
file or, with a "/", a plugin's runtime: "<plugin>/<runtime>:<model>" ([plugins.md](plugins.md#runtimes)). Without a colon it is a model of the first
provider. So a model whose own name has a colon stands behind its provider: not "meta-llama/llama:free", which would be a runtime of a plugin
"meta-llama", but "openrouter:meta-llama/llama:free". A runtime that is not there is told of by the log, by \`factotum doctor\`, and in the
answer of \`updatePlugin\`.`

const INTRO = `# Configuration

\`FACTOTUM_HOME/config.toml\`; \`factotum --check-config\` lists everything that is wrong with it. A change takes effect within a second,
without a restart; one that breaks a rule is logged with its key, and changes nothing. This page is written from the schemas that
check the file: \`npx vitest run test/documentation --update\`.`

/** By the header of the section; a person's name, a provider's and so on stand in angle brackets. */
const SECTIONS: readonly (readonly [header: string, purpose: string, schema: z.ZodObject])[] = [
  ['[tokens.<name>]', 'Who may call the server. `factotum token` writes one ([people.md](people.md)).', tokenSchema],
  ['[users.<name>]', 'Who the tokens act for, and what they may use.', userSchema],
  ['[providers.<name>]', 'Endpoints of language models ([models.md](models.md)).', providerSchema],
  ['[models]', MODELS, modelsSchema],
  ['[prices."<provider>:<model>"]', 'What a model costs, per million tokens, in any one currency.', priceSchema],
  ['[budgets]', 'What may be used in a day (UTC) before turns wait.', budgetsSchema],
  ['[quotas]', 'What may be kept at the same time.', quotasSchema],
  [
    '[retention]',
    'What goes when it is old ([operations.md](operations.md#retention)). Off unless it is set.',
    retentionSchema,
  ],
  [
    '[approvals]',
    'What runs, what wants an approval, what never runs ([approvals.md](approvals.md)).',
    approvalsSchema,
  ],
  ['[[approvals.rules]]', 'One rule.', approvalRuleSchema],
  ['[curation]', 'What becomes a fact without a person ([curation.md](curation.md)).', curationSchema],
  ['[mcp.<name>]', 'An MCP server, whose tools become `<name>__<tool>` ([mcp.md](mcp.md)).', mcpServerSchema],
  ['[graphql]', 'Plugins of graphql-yoga; read at start.', graphqlSchema],
  ['[plugins]', 'Plugins that are npm packages.', pluginsSchema],
]

/** Markdown, not yet formatted. */
export function configurationReference(): string {
  return [INTRO, ...SECTIONS.map(section), settings(), variables()].join('\n\n')
}

function section([header, purpose, schema]: (typeof SECTIONS)[number]): string {
  const rows = Object.entries(schema.shape).map(([key, field]) => [code(key), (field as z.ZodType).description ?? ''])
  return `## \`${header}\`\n\n${purpose}\n\n${table(['key', 'meaning'], rows)}`
}

function settings(): string {
  const rows = describeSettings(false).map(({ key, defaultValue, description }) => [
    code(key),
    code(stringify({ value: defaultValue }).trim().replace('value = ', '')),
    description,
  ])
  return `## \`[settings]\`\n\n${table(['key', 'default', 'meaning'], rows)}`
}

function variables(): string {
  const rows = describeEnvironment().map(({ name, defaultValue, description }) => [
    code(name),
    defaultValue === null ? '' : code(defaultValue),
    description,
  ])
  const intro = 'Of the environment, or in `FACTOTUM_HOME/.env` (all but `FACTOTUM_HOME`); the real environment wins.'
  return `## Variables\n\n${intro}\n\n${table(['variable', 'default', 'meaning'], rows)}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escape).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function escape(cell: string): string {
  return cell.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;')
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}
