/**
 * A store of a team's facts, and thirty questions that each need one of them, asked in seven ways. From a seed; no two
 * facts are about the same project, component and kind.
 */
import { ATTRIBUTES } from './attributes.ts'
import { SeededRandom } from '../../harness/seeded-random.ts'
import { COMPONENTS, projectName, VALUES } from './vocabulary.ts'

/** Six, and a seventh that nothing but an embedding can tell apart: not even the names are the same. */
export const WAYS = [
  'same words',
  'other words',
  'other forms',
  'another language',
  'typos',
  'a follow-up',
  'other words and names',
] as const
export type Way = (typeof WAYS)[number]

export interface StoredFact {
  readonly id: string
  readonly content: string
}

export interface Question {
  /** Of the fact that answers it. */
  readonly factId: string
  readonly way: Way
  readonly text: string
  /** The message before it; only of a follow-up. */
  readonly before: string | null
}

export interface Store {
  readonly facts: readonly StoredFact[]
  readonly questions: readonly Question[]
}

const NEEDED = 30
/** Of facts that call a component by its other name. */
const OTHER_NAME_SHARE = 0.2

interface Subject {
  readonly project: string
  readonly component: (typeof COMPONENTS)[number]
  readonly attribute: (typeof ATTRIBUTES)[number]
}

/** `size` facts: of ten times as many facts a project has twice as many, and there are five times as many projects. */
export function makeStore({ size, seed }: { readonly size: number; readonly seed: number }): Store {
  const random = new SeededRandom(seed)
  const perProject = Math.round(50 * 2 ** (Math.log10(size) - 3))
  const names = new Set<string>()
  while (names.size < Math.ceil(size / perProject)) names.add(uniqueName(random, names))
  const all = COMPONENTS.flatMap((component) => ATTRIBUTES.map((attribute) => ({ component, attribute })))
  const subjects = [...names].flatMap((project) =>
    random
      .shuffle(all)
      .slice(0, perProject)
      .map((about): Subject => ({ project, ...about })),
  )
  const chosen = random.shuffle(subjects).slice(0, size)
  const sayings = chosen.map((subject, index) => say(subject, { random, index }))
  const needed = random.shuffle(sayings).slice(0, NEEDED)
  return {
    facts: sayings.map(({ fact }) => fact),
    questions: needed.flatMap((saying) => WAYS.map((way) => ask(saying, way, random))),
  }
}

/** A store with more projects than there are names of three syllables has names of four. */
function uniqueName(random: SeededRandom, taken: ReadonlySet<string>): string {
  const name = projectName(random)
  return taken.has(name) ? name + projectName(random).slice(-3) : name
}

interface Saying {
  readonly fact: StoredFact
  readonly subject: Subject
  readonly phrase: 0 | 1
  readonly named: string
  readonly otherwise: string
}

function say(subject: Subject, { random, index }: { random: SeededRandom; index: number }): Saying {
  const phrase = random.fraction() < 0.5 ? 0 : 1
  const { name, other } = subject.component
  const [named, otherwise] = random.fraction() < OTHER_NAME_SHARE ? [other, name] : [name, other]
  const value = VALUES[subject.attribute.value](random)
  const content = fill(subject.attribute.facts[phrase], { p: subject.project, c: named, v: value })
  return { fact: { id: `fact_${String(index).padStart(8, '0')}`, content }, subject, phrase, named, otherwise }
}

function ask(saying: Saying, way: Way, random: SeededRandom): Question {
  const { subject, phrase, named, otherwise, fact } = saying
  const { project: p, component, attribute } = subject
  const same = fill(attribute.asks[phrase], { p, c: named })
  const texts: Record<Way, () => string> = {
    'same words': () => same,
    'other words': () => fill(attribute.asks[phrase === 0 ? 1 : 0], { p, c: named }),
    'other words and names': () => fill(attribute.asks[phrase === 0 ? 1 : 0], { p, c: otherwise }),
    'other forms': () => fill(attribute.forms[phrase], { p, c: named }),
    'another language': () => fill(attribute.german, { p, c: component.german }),
    typos: () => misspell(same, random),
    'a follow-up': () => attribute.followUps[phrase],
  }
  const before = way === 'a follow-up' ? `I am looking at the ${named} of ${p} today.` : null
  return { factId: fact.id, way, text: texts[way](), before }
}

function fill(pattern: string, values: Readonly<Record<string, string>>): string {
  const text = pattern.replaceAll(/\{(\w)\}/g, (_, key: string) => values[key] ?? '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** One slip in six of ten words of five letters and more, the name included. */
function misspell(text: string, random: SeededRandom): string {
  return text.replaceAll(/[\p{L}]{5,}/gu, (word) => (random.fraction() < 0.6 ? slip(word, random) : word))
}

function slip(word: string, random: SeededRandom): string {
  const at = 1 + random.below(word.length - 2)
  const [before, letter, next, rest] = [word.slice(0, at), word.charAt(at), word.charAt(at + 1), word.slice(at + 2)]
  const slips = [
    before + next + letter + rest,
    before + next + rest,
    before + letter + letter + next + rest,
    before + String.fromCharCode(97 + random.below(26)) + next + rest,
  ]
  return random.pick(slips)
}
