/**
 * What differs between two configurations, in words: names of tokens, users and keys, numbers and what is on or off,
 * never a value that could be a secret.
 */
import type { Config, UserConfig } from './config.ts'

/** Empty: nothing that has an effect. Each is a sentence without its full stop. */
export function describeChange(before: Config, after: Config): string[] {
  return [
    ...describeEntries('token', [before.tokens, after.tokens], () => ['changed']),
    ...describeEntries('user', [before.users, after.users], describeUser),
    ...describeEntries('provider', [before.providers, after.providers], () => ['changed']),
    ...describeEntries('MCP server', [before.mcp, after.mcp], () => ['changed']),
    ...changedKeys('model', before.models, after.models),
    ...(isSame(before.embedder, after.embedder) ? [] : ['model embedder changed']),
    ...(isSame(before.prices, after.prices) ? [] : ['prices changed']),
    ...(isSame(before.budgets, after.budgets) ? [] : ['budgets changed']),
    ...(isSame(before.quotas, after.quotas) ? [] : ['quotas changed']),
    ...changedKeys('retention:', before.retention, after.retention),
    ...(isSame(before.approvals.rules, after.approvals.rules) ? [] : ['rules of approvals changed']),
    ...changedKeys('approvals:', { ...before.approvals, rules: null }, { ...after.approvals, rules: null }),
    ...(isSame(before.curation, after.curation) ? [] : ['curation changed']),
    ...changedKeys('setting', before.settings, after.settings),
  ]
}

function describeEntries<Entry>(
  kind: string,
  [before, after]: readonly [ReadonlyMap<string, Entry>, ReadonlyMap<string, Entry>],
  describe: (before: Entry, after: Entry) => string[],
): string[] {
  const added = [...after.keys()].filter((name) => !before.has(name)).map((name) => `${kind} ${name} added`)
  const removed = [...before.keys()].filter((name) => !after.has(name)).map((name) => `${kind} ${name} removed`)
  const changed = [...after].flatMap(([name, entry]) => {
    const old = before.get(name)
    if (old === undefined || isSame(old, entry)) return []
    return describe(old, entry).map((what) => `${kind} ${name} ${what}`)
  })
  return [...added, ...removed, ...changed]
}

function describeUser(before: UserConfig, after: UserConfig): string[] {
  return [
    ...(before.role === after.role ? [] : [`has role ${after.role} instead of ${before.role}`]),
    ...(isSame(before.skills, after.skills) ? [] : [`may use other skills (${describeSkills(after.skills)})`]),
    ...(isSame(before.tools, after.tools) ? [] : [`may use other tools (${describeSkills(after.tools)})`]),
    ...(isSame(before.aliases, after.aliases) ? [] : ['has other aliases']),
  ]
}

export function describeSkills(skills: UserConfig['skills']): string {
  if (skills === '*') return 'all'
  return skills.length === 0 ? 'none' : [...skills].sort().join(', ')
}

function changedKeys(kind: string, before: object, after: object): string[] {
  const old = new Map(Object.entries(before))
  return Object.entries(after)
    .filter(([key, value]) => !isSame(old.get(key), value))
    .map(([key, value]) => {
      const name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      const unit = name.endsWith('_ms') ? ' ms' : ''
      const [from, to] = [old.get(key), value].map((one) => shown(one, unit))
      const how = from === undefined || to === undefined ? '' : ` from ${from} to ${to}`
      return `${kind} ${name.replace(/_ms$/, '')} changed${how}`
    })
}

/** Undefined: it is, or holds, a text, which could be a secret. */
function shown(value: unknown, unit: string): string | undefined {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'number') return `${value}${unit}`
  return typeof value === 'boolean' ? String(value) : undefined
}

function isSame(a: unknown, b: unknown): boolean {
  return asText(a) === asText(b)
}

function asText(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, item: unknown) => (item instanceof Map ? [...item] : item))
}
