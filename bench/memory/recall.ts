/** What one choice finds in one store: how many of the needed facts, in what time, at how many tokens. */
import type { KnownFact } from '../../src/agents/agent.ts'
import type { Reach } from '../../src/core/knowledge/fact-scope.ts'
import { makeStore, WAYS, type Question, type Way } from '../../test/knowledge/corpus/store.ts'
import type { Database } from '../../src/store/database.ts'
import { median } from '../figures.ts'

/** What is asked; the facts of everybody when no reach is said. */
export interface Asked extends Pick<Question, 'text' | 'before'> {
  readonly reach?: Reach
}

/** Facts for a question, best first. */
export type Choice = (database: Database, asked: Asked) => Promise<readonly KnownFact[]>

export interface Found {
  readonly choice: string
  readonly size: number
  readonly seed: number
  readonly needed: number
  readonly byWay: Readonly<Record<Way, { readonly at10: number; readonly at20: number }>>
  /** Of the facts in a planner's prompt: characters through four, which is near for English. */
  readonly tokens: number
  readonly medianMs: number
}

const WARM_UPS = 12
const ROWS_AT_ONCE = 2000

/** Who asks, an admin of the team: of what others taught, an admin's plans are shown what a person has reviewed. */
export const ASKING = ['ada'] as const

/** Fills an empty database with the facts of a store, which a curator made and the team has reviewed. */
export async function fillStore(
  database: Database,
  store: { readonly size: number; readonly seed: number },
): Promise<readonly Question[]> {
  const { facts, questions } = makeStore(store)
  for (let from = 0; from < facts.length; from += ROWS_AT_ONCE) {
    const part = facts.slice(from, from + ROWS_AT_ONCE)
    await database.query(INSERT, [part.map(({ id }) => id), part.map(({ content }) => content)])
  }
  await database.query({ name: '', text: 'VACUUM ANALYZE' }, [])
  return questions
}

const INSERT = {
  name: 'bench.fill-store',
  text: `INSERT INTO facts (id, content, norm, source, created_at, updated_at, reviewed_by, reviewed_at)
    SELECT id, content, lower(content), 'CURATOR', now(), now(), 'bea', now() FROM unnest($1::text[], $2::text[]) AS f (id, content)`,
  timeoutMs: 25_000,
}

export async function measureChoice(
  database: Database,
  questions: readonly Question[],
  { name, choose, ...store }: { name: string; choose: Choice; size: number; seed: number },
): Promise<Found> {
  for (const question of questions.slice(0, WARM_UPS)) await choose(database, question)
  const byWay = Object.fromEntries(WAYS.map((way) => [way, { at10: 0, at20: 0 }])) as Record<
    Way,
    { at10: number; at20: number }
  >
  const times: number[] = []
  const tokens: number[] = []
  for (const question of questions) {
    const beganMs = performance.now()
    const chosen = await choose(database, question)
    times.push(performance.now() - beganMs)
    tokens.push(chosen.reduce((sum, { content }, index) => sum + `F${index + 1}: ${content}\n`.length, 0) / 4)
    const place = chosen.findIndex(({ id }) => id === question.factId)
    if (place >= 0 && place < 10) byWay[question.way].at10 += 1
    if (place >= 0 && place < 20) byWay[question.way].at20 += 1
  }
  const needed = questions.length / WAYS.length
  return { choice: name, ...store, needed, byWay, tokens: median(tokens), medianMs: median(times) }
}
