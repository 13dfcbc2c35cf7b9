/**
 * The deploy secrets that a skill declares, as the variables of its environment. A secret `api-key` of the skill
 * `web-search` is set by the admin as FACTOTUM_SKILL_WEB_SEARCH_API_KEY or KISO_SKILL_WEB_SEARCH_API_KEY, and the skill
 * finds it under both.
 */
import type { SkillManifest, SkillVariable } from './skill-manifest.ts'

const PREFIXES = ['FACTOTUM_SKILL_', 'KISO_SKILL_'] as const

/** The names of a variable; the first one that is set holds. */
export function variableNames(skill: string, key: string): readonly string[] {
  const rest = `${skill}_${key}`.toUpperCase().replaceAll('-', '_')
  return PREFIXES.map((prefix) => `${prefix}${rest}`)
}

type Declared = Pick<SkillManifest, 'name' | 'env'>

/**
 * Why a skill must not be used beside the others: `search-key` of "web" and `key` of "web-search" are one variable, so
 * each would be given the other's secret. Null: it shares none.
 */
export function explainSharedSecret(skill: Declared, others: readonly Declared[]): string | null {
  for (const other of others) {
    const variable = sharedVariable(skill, other)
    if (variable !== null) {
      return `It would be given a secret of the skill "${other.name}": both read ${variable}. Remove one of them, or rename it, or its secret, in its manifest.`
    }
  }
  return null
}

function sharedVariable(skill: Declared, other: Declared): string | null {
  const [name, otherName] = [plainName(skill), plainName(other)]
  if (skill.name === other.name) return null
  // Else their variables cannot be the same.
  if (!name.startsWith(otherName) && !otherName.startsWith(name)) return null
  const theirs = new Set(variablesOf(other))
  return variablesOf(skill).find((variable) => theirs.has(variable)) ?? null
}

function plainName({ name }: Declared): string {
  return name.replaceAll('-', '_')
}

function variablesOf({ name, env }: Declared): readonly string[] {
  return env.flatMap(({ key }) => variableNames(name, key))
}

/** A deploy secret by the name of its variable; null: it is not set. */
export type SecretOf = (variable: string) => string | null

interface DeployEnvironment {
  readonly variables: Readonly<Record<string, string>>
  /** Required, and not set anywhere. */
  readonly missing: readonly SkillVariable[]
}

/** Each secret under all its names; an empty one counts as not set. Only what the manifest declares is asked for. */
export function deployEnvironment(
  { name, env }: Pick<SkillManifest, 'name' | 'env'>,
  secretOf: SecretOf,
): DeployEnvironment {
  const variables: Record<string, string> = {}
  const missing: SkillVariable[] = []
  for (const variable of env) {
    const names = variableNames(name, variable.key)
    const value = names.map(secretOf).find((found) => found !== null && found !== '') ?? null
    if (value !== null) for (const each of names) variables[each] = value
    else if (variable.required) missing.push(variable)
  }
  return { variables, missing }
}

/** What the admin has to set, for people. */
export function describeMissing(skill: string, missing: readonly SkillVariable[]): string {
  const names = missing.map(({ key }) => variableNames(skill, key).join(' or ')).join('; ')
  return `The skill "${skill}" needs secrets that are not set: ${names}. An admin sets them in the environment or in .env, and reloads the secrets.`
}
