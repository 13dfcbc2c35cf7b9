/**
 * What the facts of a team are about. Every project has the same components and the same kinds of facts, so that facts
 * share their words; each kind is said in two ways, and each component has a second name.
 */
import type { SeededRandom } from '../../harness/seeded-random.ts'

/** `{p}` the project, `{c}` the component, `{v}` the value. The two entries of a pair are two ways to say it. */
export interface Attribute {
  readonly value: keyof typeof VALUES
  readonly facts: readonly [string, string]
  readonly asks: readonly [string, string]
  /** The same words in other forms. */
  readonly forms: readonly [string, string]
  /** After a message that named project and component. */
  readonly followUps: readonly [string, string]
  readonly german: string
}

export const COMPONENTS: readonly { readonly name: string; readonly other: string; readonly german: string }[] = [
  { name: 'billing service', other: 'invoicing module', german: 'Abrechnungsdienst' },
  { name: 'search index', other: 'lookup catalogue', german: 'Suchindex' },
  { name: 'login page', other: 'sign-in form', german: 'Anmeldeseite' },
  { name: 'mobile app', other: 'phone client', german: 'Handy-App' },
  { name: 'message queue', other: 'event broker', german: 'Nachrichtenwarteschlange' },
  { name: 'warehouse database', other: 'analytics store', german: 'Lagerdatenbank' },
  { name: 'payment gateway', other: 'checkout provider', german: 'Zahlungsanbindung' },
  { name: 'reporting dashboard', other: 'statistics panel', german: 'Berichtsübersicht' },
  { name: 'mail sender', other: 'newsletter dispatcher', german: 'Mailversand' },
  { name: 'image cache', other: 'picture buffer', german: 'Bildzwischenspeicher' },
  { name: 'import job', other: 'ingestion task', german: 'Importlauf' },
  { name: 'admin console', other: 'operator cockpit', german: 'Verwaltungsoberfläche' },
]

const PEOPLE = ['Karl', 'Karla', 'Mina', 'Oscar', 'Yusuf', 'Ines', 'Pavel', 'Greta', 'Tomás', 'Aiko', 'Björn', 'Nadia']
const CITIES = ['Frankfurt', 'Dublin', 'Oslo', 'Mumbai', 'Tokyo', 'Virginia', 'Paris', 'Sydney']
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

export const VALUES = {
  port: (random: SeededRandom) => String(3000 + random.below(6000)),
  person: (random: SeededRandom) => random.pick(PEOPLE),
  city: (random: SeededRandom) => random.pick(CITIES),
  day: (random: SeededRandom) => random.pick(DAYS),
  hour: (random: SeededRandom) => `${random.below(24)}:${random.pick(['00', '15', '30', '45'])}`,
  days: (random: SeededRandom) => `${1 + random.below(90)} days`,
  seconds: (random: SeededRandom) => `${1 + random.below(300)} seconds`,
  size: (random: SeededRandom) => `${1 + random.below(500)} GB`,
  money: (random: SeededRandom) => `${10 * (1 + random.below(900))} euros`,
  count: (random: SeededRandom) => String(2 + random.below(400)),
  version: (random: SeededRandom) => `${1 + random.below(20)}.${random.below(30)}.${random.below(10)}`,
  language: (random: SeededRandom) => random.pick(['Go', 'Rust', 'Java', 'Kotlin', 'Python', 'TypeScript', 'Elixir']),
  engine: (random: SeededRandom) => random.pick(['PostgreSQL', 'Redis', 'MongoDB', 'Kafka', 'SQLite', 'Cassandra']),
  path: (random: SeededRandom) => `/srv/${random.pick(['data', 'apps', 'vol', 'mnt'])}/${random.below(1000)}`,
} as const

/** A name of two to three syllables, unlike the words of the texts. */
export function projectName(random: SeededRandom): string {
  const [starts, middles, ends] = [
    ['Ar', 'Bel', 'Cor', 'Dra', 'El', 'Fen', 'Gal', 'Hel', 'Ix', 'Jor', 'Kel', 'Lum', 'Mer', 'Nor', 'Or', 'Pra'],
    ['a', 'ban', 'di', 'eno', 'fi', 'gra', 'ho', 'ki', 'lo', 'mu', 'no', 'qui', 'ri', 'so', 'ta', 'ule', 'va', 'zi'],
    ['bex', 'cor', 'dan', 'fyr', 'gon', 'lith', 'mar', 'nyx', 'phos', 'ris', 'thas', 'vex', 'wen', 'xis', 'zor'],
  ] as const
  return random.pick(starts) + random.pick(middles) + random.pick(ends)
}
