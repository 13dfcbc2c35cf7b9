/**
 * Models of config.toml that are meant to be a plugin's runtime, "<plugin>/<runtime>:<model>", where there is none of
 * that name: a mistyped one, or the name of another model that begins like one, as "some/model:free" does.
 */
import { AGENT_ROLES, type AgentRole } from '../../core/model-call.ts'
import { didYouMean } from '../../platform/closest.ts'
import type { Config, ModelChoice } from '../config.ts'
import { isRuntime, modelKey } from './model-choice.ts'

/** A plugin that is there. */
export interface RuntimesOfPlugin {
  readonly plugin: string
  readonly enabled: boolean
  /** Null: it cannot be loaded, so they are not known. */
  readonly runtimes: readonly string[] | null
}

/** A model of config.toml that cannot answer, and what to change. */
export interface MissingRuntime {
  /** "<plugin>/<runtime>:<model>". */
  readonly model: string
  readonly roles: readonly AgentRole[]
  readonly says: string
  readonly fix: string
}

/** In the order of the roles. `known`: all plugins that are there, enabled or not. */
export function missingRuntimes(
  config: Pick<Config, 'models' | 'fallbacks' | 'providers'>,
  known: readonly RuntimesOfPlugin[],
): readonly MissingRuntime[] {
  return [...runtimesNamed(config)].flatMap(([model, { choice, roles }]) => {
    const problem = problemOf(choice, config, known)
    return problem === null ? [] : [{ model, roles, ...problem }]
  })
}

/** The roles that are to be played by the runtime "<plugin>/<runtime>". */
export function rolesOfRuntime(config: Pick<Config, 'models' | 'fallbacks'>, name: string): readonly AgentRole[] {
  return [...runtimesNamed(config).values()].flatMap(({ choice, roles }) => (choice.provider === name ? roles : []))
}

interface Named {
  readonly choice: ModelChoice
  readonly roles: AgentRole[]
}

function runtimesNamed({ models, fallbacks }: Pick<Config, 'models' | 'fallbacks'>): Map<string, Named> {
  const found = new Map<string, Named>()
  for (const role of AGENT_ROLES)
    for (const choice of [models[role], ...fallbacks[role]].filter(({ provider }) => isRuntime(provider))) {
      const named = found.get(modelKey(choice)) ?? { choice, roles: [] }
      named.roles.push(role)
      found.set(modelKey(choice), named)
    }
  return found
}

function problemOf(
  choice: ModelChoice,
  { providers }: Pick<Config, 'providers'>,
  known: readonly RuntimesOfPlugin[],
): Pick<MissingRuntime, 'says' | 'fix'> | null {
  const [plugin = '', runtime = ''] = choice.provider.split('/')
  const found = known.find((one) => one.plugin === plugin)
  if (found === undefined) {
    const near = didYouMean(
      plugin,
      known.map((one) => one.plugin),
    )
    const first = providers.keys().next().value ?? 'provider'
    const fix = `If it is the whole name of a model, write "${first}:${modelKey(choice)}"; otherwise install the plugin.`
    return { says: `There is no plugin "${plugin}"${near}, whose runtime "${runtime}" is to answer.`, fix }
  }
  if (!found.enabled)
    return { says: `The plugin "${plugin}" is disabled, so its runtime "${runtime}" cannot answer.`, fix: ENABLE }
  if (found.runtimes === null || found.runtimes.includes(runtime)) return null
  const has = found.runtimes.length === 0 ? 'none' : found.runtimes.join(', ')
  const says = `The plugin "${plugin}" has no runtime "${runtime}"${didYouMean(runtime, found.runtimes)}.`
  return { says, fix: `Correct it in [models]; its runtimes: ${has}.` }
}

const ENABLE = 'Enable it (updatePlugin, or the page of plugins), or name another model in [models].'
