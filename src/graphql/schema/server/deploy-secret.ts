/** The names of the deploy secrets, and what asks for them; never what they are. */
import type { Config, McpReach } from '../../../config/config.ts'
import { variableNames } from '../../../execution/skills/deploy-environment.ts'
import type { InstalledSkill } from '../../../execution/skills/skill-folder.ts'
import type { PluginsContext } from '../../../plugins/change-plugin.ts'
import type { KnownSecret } from '../../../secrets/secret-store.ts'
import { builder } from '../builder.ts'
import { connectionOf, fromFront } from '../paging/connection-type.ts'
import { cutByName, pageByName } from '../paging/page-by-name.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { upTo } from '../paging/page-sizes.ts'

type Source = KnownSecret['source']

const SecretSourceEnum = builder.enumType('SecretSource', {
  description: 'Where a deploy secret is set.',
  values: {
    ENVIRONMENT: { description: 'In the environment of the process; it wins over the file.' },
    ENV_FILE: { description: 'In the file .env of the home.' },
  } as const satisfies Record<Source, { readonly description: string }>,
})

type UseKind = 'PROVIDER' | 'WEBHOOK' | 'SKILL' | 'MCP_SERVER' | 'PLUGIN'

const SecretUseKindEnum = builder.enumType('SecretUseKind', {
  description: 'What asks for a deploy secret.',
  values: {
    PROVIDER: { description: 'A provider of models, as its key.' },
    WEBHOOK: { description: 'A token, to sign the posts to the webhooks of its sessions.' },
    SKILL: { description: 'A skill, whose manifest declares it.' },
    MCP_SERVER: { description: 'A server of tools, as a variable or to be let in.' },
    PLUGIN: { description: 'An enabled plugin, whose settings name it. Whether it works without is not known.' },
  } as const satisfies Record<UseKind, { readonly description: string }>,
})

interface SecretUse {
  readonly kind: UseKind
  readonly name: string
  readonly required: boolean
}

const SecretUseType = builder.objectRef<SecretUse>('SecretUse').implement({
  description: 'What asks for a deploy secret.',
  authScopes: { admin: true },
  fields: (t) => ({
    kind: t.expose('kind', { type: SecretUseKindEnum, description: 'What it is.' }),
    name: t.exposeString('name', {
      description: 'The name of the provider, the token, the skill, the server or the plugin.',
    }),
    required: t.exposeBoolean('required', { description: 'It does not work without.' }),
  }),
})

interface DeploySecret {
  readonly name: string
  readonly source: Source | null
  readonly uses: readonly SecretUse[]
}

const MAX_USES = 100

const DeploySecretType = builder.objectRef<DeploySecret>('DeploySecret').implement({
  description: 'A secret of the whole deployment, by the name of its variable. What it is cannot be asked for.',
  authScopes: { admin: true },
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'The variable. Of a skill that lacks one, the first of the two names that it may have.',
    }),
    source: t.expose('source', {
      type: SecretSourceEnum,
      nullable: true,
      description: 'Where it is set; null: nowhere, and something asks for it.',
    }),
    wantedBy: t.field({
      type: [SecretUseType],
      extensions: upTo(MAX_USES, 1),
      description: `What asks for it; nothing, when it is only kept out of outputs. The first ${MAX_USES}.`,
      resolve: ({ uses }) => uses.slice(0, MAX_USES),
    }),
  }),
})

const DeploySecretConnection = connectionOf(DeploySecretType, { name: 'DeploySecret', order: 'by name' })

interface Want {
  /** The first of them that is set holds. */
  readonly variables: readonly string[]
  readonly use: SecretUse
}

/** Those that are set and those that are asked for. */
function listSecrets(known: readonly KnownSecret[], wants: readonly Want[]): DeploySecret[] {
  const sources = new Map<string, Source>(known.map(({ name, source }) => [name, source]))
  const uses = new Map<string, SecretUse[]>(known.map(({ name }) => [name, []]))
  for (const { variables, use } of wants) {
    const name = variables.find((variable) => sources.has(variable)) ?? variables[0] ?? ''
    uses.set(name, [...(uses.get(name) ?? []), use])
  }
  return [...uses].map(([name, of]) => ({ name, source: sources.get(name) ?? null, uses: of }))
}

interface Asking {
  readonly skills: Iterable<InstalledSkill>
  readonly plugins: ReturnType<PluginsContext['live']['secretsNamed']>
}

function wantsOf({ providers, tokens, mcp }: Config, { skills, plugins }: Asking): Want[] {
  const ofProviders = [...providers.values()].flatMap(({ name, apiKeyEnv }): Want[] =>
    apiKeyEnv === null ? [] : [{ variables: [apiKeyEnv], use: { kind: 'PROVIDER', name, required: true } }],
  )
  const ofWebhooks = [...tokens.values()].flatMap(({ name, webhookSecretEnvs }) =>
    webhookSecretEnvs.map((variable): Want => {
      return { variables: [variable], use: { kind: 'WEBHOOK', name, required: true } }
    }),
  )
  const ofSkills = [...skills].flatMap(({ name, env }) =>
    env.map(({ key, required }): Want => {
      return { variables: variableNames(name, key), use: { kind: 'SKILL', name, required } }
    }),
  )
  const ofServers = [...mcp.values()].flatMap(({ name, reach }) =>
    namesIn(reach).map((variable): Want => {
      return { variables: [variable], use: { kind: 'MCP_SERVER', name, required: true } }
    }),
  )
  const ofPlugins = plugins.map(({ plugin: name, variable }): Want => {
    return { variables: [variable], use: { kind: 'PLUGIN', name, required: false } }
  })
  return [...ofProviders, ...ofWebhooks, ...ofSkills, ...ofServers, ...ofPlugins]
}

function namesIn(reach: McpReach): readonly string[] {
  return reach.kind === 'PROGRAM' ? reach.env : reach.bearer === null ? [] : [reach.bearer]
}

builder.queryField('secrets', (t) =>
  t.field({
    type: DeploySecretConnection,
    nullable: true,
    authScopes: { admin: true },
    description:
      'The deploy secrets by name: those that are set, and those that something asks for and that are set nowhere. As the ' +
      'process that answers knows them; `reloadSecrets` reads .env at once. For admins.',
    args: fromFront(t),
    resolve: (_root, args, { secrets, config, skills, plugins }, info) => {
      const request = readPageRequest('secrets1', args, info)
      const asking = { skills: skills.scan().skills.values(), plugins: plugins.live.secretsNamed() }
      const all = listSecrets(secrets.known(), wantsOf(config.current(), asking))
      return pageByName('secrets1', request, cutByName(all, request))
    },
  }),
)
