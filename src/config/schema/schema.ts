/**
 * config.toml as a zod schema: keys as they stand in the file, each with its rule and its explanation. Rules that need
 * more than one value (a token's user must exist) are in `check-identities.ts` and `check-models.ts`.
 */
import * as z from 'zod'
import { approvalsSchema } from './approvals.ts'
import { budgetsSchema } from './budgets.ts'
import { isVariableName, name, says, text } from '../field.ts'
import { isNamespace, NAMESPACE_RULE } from '../namespace.ts'
import { isPlatformIdentity, PLATFORM_IDENTITY_RULE } from '../access/platform-identity.ts'
import { curationSchema } from './curation.ts'
import { graphqlSchema } from './graphql.ts'
import { mcpSchema } from './mcp.ts'
import { pluginsSchema } from './plugins.ts'
import { providerSchema } from './provider.ts'
import { quotasSchema } from './quotas.ts'
import { retentionSchema } from './retention.ts'
import { settingsSchema } from './settings-schema.ts'
import { isSha256 } from '../access/token-hash.ts'
import { isWebhookSecret, WEBHOOK_SECRET_RULE } from '../access/webhook-secret.ts'

const hidden = { hidden: true }

const VARIABLE_RULE = 'must be the NAME of an environment variable, such as "CHAT_WEBHOOK_SECRET"'

export const tokenSchema = z.strictObject(
  {
    sha256: text(
      'must be 64 hexadecimal digits, the SHA-256 of the token and not the token itself; "factotum token --print" prints both',
      isSha256,
      hidden,
    )
      .optional()
      .meta({ description: 'The SHA-256 of the token; "factotum token --print" prints a new token and this line.' }),
    token: text(
      'must be 1 to 512 visible ASCII characters without spaces, as it travels in a header',
      (value) => /^[\x21-\x7e]{1,512}$/.test(value),
      hidden,
    )
      .optional()
      .meta({
        description: 'Instead of sha256: the token itself. It works, but all who can read this file can use it.',
      }),
    kind: z.enum(['user', 'connector'], says('must be "user" or "connector"')).meta({
      description: '"user": acts for one user. "connector": acts for many, and names the sender of each message.',
    }),
    user: name().optional().meta({ description: 'For kind "user": whom the token acts for, a name of [users].' }),
    namespace: text(NAMESPACE_RULE, isNamespace)
      .optional()
      .meta({
        description:
          'For kind "connector": confines it to sessions whose id starts with this and ":". Default: the name of the token. ' +
          '"*": every session can be read and posted in by it.',
      }),
    webhook_secret: oneOrTwo(WEBHOOK_SECRET_RULE, isWebhookSecret)
      .optional()
      .meta({
        description:
          'Signs the posts to the webhooks that it sets; without one it cannot set webhooks. A list of two while one ' +
          'replaces the other: posts then carry both signatures.',
      }),
    webhook_secret_env: oneOrTwo(VARIABLE_RULE, isVariableName).optional().meta({
      description: 'Instead: the name of the environment variable (or line of .env) with the secret.',
    }),
  },
  says('must be a section [tokens.<name>]', hidden),
)

const isToolPattern = (value: string): boolean => /^[A-Za-z0-9_*-]{1,64}$/.test(value)

export const userSchema = z.strictObject(
  {
    role: z
      .enum(['admin', 'user'], says('must be "admin" or "user"'))
      .meta({ description: '"admin": everything. "user": own sessions only, and commands only inside the sandbox.' }),
    skills: z
      .union(
        [z.literal('*'), z.array(text('must be the name of a skill', (value) => value !== ''))],
        says('must be "*" or a list of names of skills'),
      )
      .optional()
      .meta({
        description: 'The skills that the user may use: "*" or a list. Required for role "user"; admins may use all.',
      }),
    tools: z
      .array(text('must be the name of a tool, "<source>__<tool>", or a pattern such as "weather__*"', isToolPattern))
      .default([])
      .meta({ description: 'The tools that the user may use, as patterns: "weather__*". Admins may use all.' }),
    aliases: z
      .record(
        z.string(),
        text(PLATFORM_IDENTITY_RULE, isPlatformIdentity),
        says('must name one platform identity per token: aliases.<token> = "…"'),
      )
      .default({})
      .meta({ description: 'aliases.<token>: who this user is on the platform of that connector; compared exactly.' }),
  },
  says('must be a section [users.<name>]'),
)

const modelRule = 'must be "provider:model", or "model" of the first provider'
const modelText = text(modelRule, (value) => /^\S(.*\S)?$/.test(value))
const MAX_FALLBACKS = 8
const modelOrList = z.union([modelText, z.array(modelText).min(1).max(MAX_FALLBACKS)], {
  error: () => `${modelRule}, or a list of up to ${MAX_FALLBACKS}, of which the first that can be reached answers`,
})

export const modelsSchema = z.strictObject(
  {
    planner: modelOrList
      .optional()
      .meta({ description: 'Turns a message into a plan. A list falls back in order: ["a:x", "b:y"].' }),
    reviewer: modelOrList.optional().meta({ description: "Judges what a command did. Default: the planner's model." }),
    messenger: modelOrList.optional().meta({ description: "Writes the answers. Default: the planner's model." }),
    assistant: modelOrList.optional().meta({
      description: 'Answers and calls tools in sessions of mode "chat". Default: the planner\'s model.',
    }),
    curator: modelOrList
      .optional()
      .meta({ description: "Decides which learnings become facts. Default: the planner's model." }),
    summarizer: modelOrList
      .optional()
      .meta({ description: "Keeps summaries and the facts short. Default: the planner's model." }),
    paraphraser: modelOrList
      .optional()
      .meta({ description: "Retells what strangers wrote, without their instructions. Default: the planner's model." }),
    introspector: modelOrList
      .optional()
      .meta({ description: "Goes over a session at its checkpoints. Default: the planner's model." }),
    embedder: modelText.optional().meta({
      description:
        'Finds facts by what they mean besides by their words: a model for embeddings, of a provider with "/embeddings". ' +
        'Default: none, and facts are found by their words.',
    }),
  },
  says('must be a section [models]'),
)

const priceRule = says('must be a number, 0 or more: the price per million tokens')
const price = z.number(priceRule).min(0, priceRule)
export const priceSchema = z.strictObject(
  {
    input: price.meta({ description: 'Per million input tokens.' }),
    output: price.meta({ description: 'Per million output tokens.' }),
    cached: price
      .optional()
      .meta({ description: 'Per million input tokens served from the cache. Default: as input.' }),
  },
  says('must be a section [prices."provider:model"]'),
)

/** The whole file. `production` (NODE_ENV) decides a few defaults of `[settings]`. */
export function fileSchema(production: boolean) {
  return z.strictObject({
    tokens: z.record(name(), tokenSchema, says('must be sections [tokens.<name>]', hidden)).default({}),
    users: z.record(name(), userSchema, says('must be sections [users.<name>]')).default({}),
    providers: z.record(name(), providerSchema, says('must be sections [providers.<name>]')).default({}),
    models: modelsSchema.default({}),
    approvals: approvalsSchema.prefault({}),
    prices: z.record(modelText, priceSchema, says('must be sections [prices."provider:model"]')).default({}),
    budgets: budgetsSchema.prefault({}),
    quotas: quotasSchema.prefault({}),
    retention: retentionSchema.prefault({}),
    curation: curationSchema.prefault({}),
    graphql: graphqlSchema.prefault({}),
    plugins: pluginsSchema.prefault({}),
    mcp: mcpSchema.default({}),
    settings: settingsSchema(production).prefault({}),
  })
}

export type ConfigFile = z.output<ReturnType<typeof fileSchema>>

/** A text that satisfies `isValid`, or a list of one or two; none is quoted in an error. */
function oneOrTwo(rule: string, isValid: (value: string) => boolean) {
  const one = text(rule, isValid, hidden)
  return z.union([one, z.array(one).min(1).max(2)], { error: () => `${rule}, or a list of two` })
}
