/** The people of the soak and what config.toml says of them: members, some who change their role, and connectors. */
import type { SeededRandom } from '../harness/seeded-random.ts'

/** Sessions are of one of these; two have a connector that is confined to it. */
export const PREFIXES = ['left', 'right', 'cli'] as const
export type Prefix = (typeof PREFIXES)[number]

/** The admin who sees to everything and never changes. */
export const ROOT = 'root'

/** What a person who changes is at present; GONE: their token is not let in. */
export type State = 'USER' | 'ADMIN' | 'GONE'

export interface Person {
  readonly name: string
  readonly token: string
  /** Whether their role changes. They take part in sessions and say nothing. */
  readonly changes: boolean
}

export interface Connector {
  readonly name: string
  readonly token: string
  readonly prefix: Prefix
}

const CHANGES_EVERY = 5

export function makePeople(count: number, random: SeededRandom): Person[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `p${n}`,
    token: tokenOf(`p${n}`, random),
    changes: n % CHANGES_EVERY === 0,
  }))
}

export function makeConnectors(random: SeededRandom): Connector[] {
  return (['left', 'right'] as const).map((prefix) => ({ name: prefix, token: tokenOf(prefix, random), prefix }))
}

export function tokenOf(name: string, random: SeededRandom): string {
  return `token-of-${name}-${random.between(1e15, 9e15)}`
}

export interface SoakConfig {
  readonly rootToken: string
  readonly people: readonly Person[]
  readonly states: ReadonlyMap<string, State>
  readonly connectors: readonly Connector[]
}

export function soakToml({ rootToken, people, states, connectors }: SoakConfig): string {
  return [
    userToml(ROOT, 'ADMIN', rootToken),
    ...people.map(({ name, token }) => userToml(name, states.get(name) ?? 'USER', token)),
    ...connectors.map(
      ({ name, token, prefix }) =>
        `[tokens.${name}]\nkind = "connector"\nnamespace = "${prefix}"\ntoken = "${token}"\n`,
    ),
    '[settings]\nrequests_per_minute = 10000000\ndrain_timeout = 0\n',
    '[[approvals.rules]]\neffect = "require"\ncommand = "tee"\n',
  ].join('')
}

/** Connectors name people by their aliases. */
function userToml(name: string, state: State, token: string): string {
  const role = state === 'ADMIN' ? 'role = "admin"' : 'role = "user"\nskills = []'
  const aliases = ['left', 'right'].map((connector) => `aliases.${connector} = "${name}@${connector}"\n`).join('')
  const user = `[users.${name}]\n${role}\n${aliases}`
  return state === 'GONE' ? user : `${user}[tokens.${name}]\nkind = "user"\nuser = "${name}"\ntoken = "${token}"\n`
}
