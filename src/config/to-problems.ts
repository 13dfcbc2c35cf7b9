/** What the zod schema found wrong with config.toml, as problems; for an unknown key also what was probably meant. */
import type * as z from 'zod'
import type { FoundProblem } from './config-problem.ts'
import { approvalRuleSchema, approvalsSchema } from './schema/approvals.ts'
import { budgetsSchema } from './schema/budgets.ts'
import { curationSchema } from './schema/curation.ts'
import { graphqlSchema } from './schema/graphql.ts'
import { pluginsSchema } from './schema/plugins.ts'
import { didYouMean } from './closest.ts'
import { mcpServerSchema } from './schema/mcp.ts'
import { providerSchema } from './schema/provider.ts'
import { modelsSchema, priceSchema, tokenSchema, userSchema } from './schema/schema.ts'
import { settingsSchema } from './schema/settings-schema.ts'
import { quotasSchema } from './schema/quotas.ts'

const keysBySection: Readonly<Record<string, readonly string[]>> = {
  tokens: Object.keys(tokenSchema.shape),
  users: Object.keys(userSchema.shape),
  providers: Object.keys(providerSchema.shape),
  models: Object.keys(modelsSchema.shape),
  prices: Object.keys(priceSchema.shape),
  approvals: Object.keys(approvalsSchema.shape),
  budgets: Object.keys(budgetsSchema.shape),
  quotas: Object.keys(quotasSchema.shape),
  curation: Object.keys(curationSchema.shape),
  graphql: Object.keys(graphqlSchema.shape),
  plugins: Object.keys(pluginsSchema.shape),
  mcp: Object.keys(mcpServerSchema.shape),
  settings: Object.keys(settingsSchema(false).shape),
}

const RULE_KEYS = Object.keys(approvalRuleSchema.shape)

/** What the schema found, as problems: usually one, but one for each unknown key. */
export function toProblems(issue: z.core.$ZodIssue): readonly FoundProblem[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], text: describeUnknownKey(key, path) }))
  }
  if (issue.code === 'invalid_key') {
    return [{ path, text: `as a name ${issue.issues[0]?.message ?? issue.message}` }]
  }
  return [{ path, text: issue.message }]
}

/** The error for `key`, which stands at `path` (empty: outside of all sections). */
function describeUnknownKey(key: string, path: readonly string[]): string {
  const section = path[0] ?? null
  if (section === null && keysBySection['settings']?.includes(key) === true) {
    return 'is a setting; it must stand below the line [settings]'
  }
  const known =
    section === null ? Object.keys(keysBySection) : isRule(path) ? RULE_KEYS : (keysBySection[section] ?? [])
  const suggestion = didYouMean(key, known)
  return suggestion === '' ? `is not a known key; known here: ${known.join(', ')}` : `is not a known key${suggestion}`
}

function isRule([section, list]: readonly string[]): boolean {
  return section === 'approvals' && list === 'rules'
}
