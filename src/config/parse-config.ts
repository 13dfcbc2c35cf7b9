/**
 * config.toml's text → Config. Pure: reads no file and no environment. Reports every problem at once, so that an admin
 * need not mend the file one error at a time.
 */
import { parse, TomlError } from 'smol-toml'
import { forEachRole, type AgentRole } from '../core/model-call.ts'
import { must } from '../platform/must.ts'
import { toCurationPolicy } from './schema/curation.ts'
import { findContradictoryRules, toApprovalPolicy } from './schema/approvals.ts'
import { toBudgets } from './schema/budgets.ts'
import { toQuotas } from './schema/quotas.ts'
import { toMcpServer } from './schema/mcp.ts'
import { checkIdentities } from './check-identities.ts'
import { checkModelChoices } from './models/check-model-choices.ts'
import type { Config, ModelChoice, Price, TokenConfig, UserConfig } from './config.ts'
import type { ConfigProblem, FoundProblem } from './config-problem.ts'
import { toProblems } from './to-problems.ts'
import { findKeyLines, findRepeated } from './key-lines.ts'
import { EVERYWHERE } from './namespace.ts'
import { findUnpriced } from './models/find-unpriced.ts'
import { modelKey, parseModel, REHEARSAL } from './models/model-choice.ts'
import { toProvider } from './schema/provider.ts'
import { fileSchema, type ConfigFile } from './schema/schema.ts'
import { readSections } from './sections.ts'
import { toSettings } from './schema/settings-schema.ts'
import { tokenHash } from './access/token-hash.ts'

export interface ConfigContext {
  /** NODE_ENV is "production": GraphiQL and introspection are off unless the file turns them on. */
  readonly production: boolean
}

export type ParsedConfig =
  | { readonly kind: 'valid'; readonly config: Config; readonly warnings: readonly ConfigProblem[] }
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[] }

export function parseConfig(toml: string, context: ConfigContext): ParsedConfig {
  const read = readToml(toml)
  if (read.kind === 'broken') return { kind: 'invalid', problems: [read.problem] }

  const parsed = fileSchema(context.production).safeParse(read.file)
  const sections = readSections(read.file)
  const issues = parsed.success ? [] : parsed.error.issues
  const found = [
    ...issues.flatMap(toProblems),
    ...checkIdentities(sections),
    ...checkModelChoices(sections),
    ...findContradictoryRules(read.file['approvals']),
  ]
  const lineOf = findKeyLines(toml)
  const locate = (problem: FoundProblem): ConfigProblem => ({ ...problem, line: lineOf(problem.path) })
  if (!parsed.success || found.length > 0) return { kind: 'invalid', problems: found.map(locate).sort(byLine) }
  const config = buildConfig(parsed.data)
  return { kind: 'valid', config, warnings: findWarnings(parsed.data, config).map(locate) }
}

type ReadToml =
  | { readonly kind: 'read'; readonly file: Readonly<Record<string, unknown>> }
  | { readonly kind: 'broken'; readonly problem: ConfigProblem }

function readToml(toml: string): ReadToml {
  try {
    return { kind: 'read', file: parse(toml, { unsafeKeyBehaviour: 'throw' }) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // Only the first line of the message: the rest quotes the file, in which a token may stand.
    const reason = (error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '')
    return { kind: 'broken', problem: { path: [], text: describeToml(toml, error, reason), line: error.line } }
  }
}

function describeToml(toml: string, { line, column }: TomlError, reason: string): string {
  if (reason.includes('unsafe property')) return 'a key is called "__proto__" or "constructor", which no name may be'
  const repeated = reason.includes('redefine') ? findRepeated(toml, line) : null
  if (repeated === null) return `is not valid TOML (column ${column}): ${reason}`
  const remedy = repeated.what.startsWith('[') ? 'move what follows there' : 'take one of them out'
  return `has ${repeated.what}, which stands in line ${repeated.line} already: ${remedy}`
}

function byLine(a: ConfigProblem, b: ConfigProblem): number {
  return (a.line ?? Infinity) - (b.line ?? Infinity) || 0
}

/** Not with the hash in it: a weak token could be guessed from that, and logs travel further than this file. */
const plainTokenWarning =
  'the token itself is in the file, and all who can read it can use it; replace the line by sha256 = "…" ' +
  '(printf %s TOKEN | sha256sum), or take a new one from "factotum token --print"'

function findWarnings(file: ConfigFile, config: Config): readonly FoundProblem[] {
  const plain = Object.entries(file.tokens)
    .filter(([, token]) => token.token !== undefined)
    .map(([name]) => ({
      path: ['tokens', name, 'token'],
      text: plainTokenWarning,
    }))
  const unused = Object.entries(file.users).flatMap(([userName, user]) =>
    Object.keys(user.aliases)
      .filter((tokenName) => file.tokens[tokenName]?.kind === 'user')
      .map((tokenName) => ({
        path: ['users', userName, 'aliases', tokenName],
        text: `has no effect: the token "${tokenName}" always acts for the user it is bound to; aliases are for connectors`,
      })),
  )
  return [...plain, ...findUnconfined(file), ...unused, ...findOfUnknown(file), ...findUnpriced(file, config)]
}

function findUnconfined({ tokens }: ConfigFile): readonly FoundProblem[] {
  return Object.entries(tokens)
    .filter(([, { kind, namespace }]) => kind === 'connector' && namespace === EVERYWHERE)
    .map(([name]) => ({
      path: ['tokens', name, 'namespace'],
      text: `"*" lets this token read every session and post in it; without the line it is confined to ids that begin with "${name}:"`,
    }))
}

/** Budgets and quotas of unknown users are mistakes. */
function findOfUnknown({ budgets, quotas, users }: ConfigFile): readonly FoundProblem[] {
  return Object.entries({ budgets, quotas }).flatMap(([section, { users: own }]) =>
    Object.keys(own)
      .filter((userName) => users[userName] === undefined)
      .map((userName) => ({
        path: [section, 'users', userName],
        text: 'has no effect: there is no user of this name in [users]',
      })),
  )
}

function buildConfig(file: ConfigFile): Config {
  const providerNames = Object.keys(file.providers)
  return {
    tokens: mapEntries(file.tokens, buildToken),
    users: mapEntries(file.users, buildUser),
    logins: new Map(),
    formerNames: new Map(),
    providers: mapEntries(file.providers, toProvider),
    ...buildModels(file, providerNames),
    approvals: toApprovalPolicy(file.approvals),
    curation: toCurationPolicy(file.curation),
    prices: new Map(
      Object.entries(file.prices).map(([text, price]): [string, Price] => [
        modelKey(parseModel(text, providerNames)),
        { input: price.input, output: price.output, cached: price.cached ?? price.input },
      ]),
    ),
    budgets: toBudgets(file.budgets),
    quotas: toQuotas(file.quotas),
    retention: file.retention,
    plugins: file.graphql.plugins,
    pluginPackages: file.plugins.packages,
    mcp: mapEntries(file.mcp, toMcpServer),
    settings: toSettings(file.settings),
  }
}

function mapEntries<From, To>(
  section: Record<string, From>,
  build: (entry: From, name: string) => To,
): Map<string, To> {
  return new Map(Object.entries(section).map(([name, entry]) => [name, build(entry, name)]))
}

function buildToken(token: ConfigFile['tokens'][string], name: string): TokenConfig {
  return {
    name,
    sha256: must(tokenHash(token), 'a checked token has a hash'),
    plainToken: token.token ?? null,
    kind: token.kind === 'user' ? 'USER' : 'CONNECTOR',
    user: token.user ?? null,
    namespace: token.kind === 'user' || token.namespace === EVERYWHERE ? null : (token.namespace ?? name),
    webhookSecrets: listOf(token.webhook_secret),
    webhookSecretEnvs: listOf(token.webhook_secret_env),
    declared: true,
    expiresAt: null,
  }
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}

function buildUser(user: ConfigFile['users'][string], name: string): UserConfig {
  const admin = user.role === 'admin'
  return {
    name,
    role: admin ? 'ADMIN' : 'USER',
    skills: admin ? '*' : must(user.skills, 'a checked user of role "user" has skills'),
    tools: user.tools,
    aliases: new Map(Object.entries(user.aliases).map(([token, identity]) => [token, [identity]])),
    declared: true,
  }
}

function buildModels(
  { models }: ConfigFile,
  providers: readonly string[],
): Pick<Config, 'models' | 'fallbacks' | 'embedder'> {
  const listed = (role: AgentRole): readonly ModelChoice[] => {
    const texts = models[role] ?? models.planner
    if (texts === undefined) return [REHEARSAL]
    return listOf(texts).map((text) => parseModel(text, providers))
  }
  return {
    models: forEachRole((role) => must(listed(role)[0], 'a checked list of models is not empty')),
    fallbacks: forEachRole((role) => listed(role).slice(1)),
    embedder: models.embedder === undefined ? null : parseModel(models.embedder, providers),
  }
}
