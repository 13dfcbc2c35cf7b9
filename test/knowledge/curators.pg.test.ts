/**
 * What becomes a fact without a person, whatever the curator answers: the corpus goes through the inbox and stand-in
 * curators, for two seeds, on a database. The rules by form are those of the product, and so is what is stored.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { normalText } from '../../src/core/text/normal-text.ts'
import { lostDetail } from '../../src/knowledge/learnings/lost-detail.ts'
import { otherSubstance } from '../../src/knowledge/learnings/other-substance.ts'
import type { Database } from '../../src/store/database.ts'
import { createWorld, type World } from '../intake/intake-world.ts'
import type { Kind } from './corpus/learning-patterns.ts'
import { makeLearnings, type LabelledLearning } from './corpus/learnings.ts'
import { curateAll, learn, learnedRows, openSession } from './play-corpus.ts'
import { credulous, HOSTILE, perfect, random, type StandIn } from './stand-in-curators.ts'

const SEEDS = [1, 2]
const SESSION = 'cli:a'
/** What a person has said; no curator may touch it. */
const OF_A_PERSON = 'The registry of the harbour is kept by Ingrid.'

let world: World
beforeEach(async () => {
  world = await createWorld()
  await openSession(world.context.database, 'a')
  await world.sql(
    `INSERT INTO facts (id, content, norm, source, created_at, updated_at) VALUES ('fact_a', $1, $2, 'MANUAL', now(), now())`,
    OF_A_PERSON,
    normalText(OF_A_PERSON),
  )
  await world.sql(
    `INSERT INTO fact_versions (fact_id, version, content, norm, change, changed_by, at)
     VALUES ('fact_a', 1, $1, $2, 'CREATED', 'alice', now())`,
    OF_A_PERSON,
    normalText(OF_A_PERSON),
  )
})
afterEach(() => world[Symbol.asyncDispose]())

const database = (): Database => world.context.database
const rows = (): ReturnType<typeof learnedRows> => learnedRows(database())

async function curate(standIn: StandIn, learnings: readonly LabelledLearning[], seed: number): Promise<void> {
  const { config } = world.context
  await curateAll(database(), { sessionId: SESSION, config: config.current(), standIn, learnings, seed })
}

async function play(standIn: StandIn, seed: number, perKind: number) {
  const learnings = makeLearnings({ perKind, seed })
  for (const [n, { text }] of learnings.entries()) {
    await learn(database(), SESSION, text)
    if (n % 20 === 19) await curate(standIn, learnings, seed + n)
  }
  await curate(standIn, learnings, seed)
  const kinds = new Map(learnings.map(({ text, kind }) => [normalText(text), kind]))
  return (await rows()).map((row) => ({ ...row, kind: kinds.get(normalText(row.content)) }))
}

const NEVER_ALONE: ReadonlySet<Kind | undefined> = new Set(['order', 'secret', 'agent'])
const TRUE: ReadonlySet<Kind | undefined> = new Set(['fact', 'update', 'narrowed'])

/** What must hold whatever a curator answers. */
async function expectSound(learned: Awaited<ReturnType<typeof play>>): Promise<void> {
  const facts = learned.filter(({ fact }) => fact !== null)
  expect(facts.filter(({ kind }) => NEVER_ALONE.has(kind))).toEqual([])
  expect(facts.filter(({ content, fact }) => otherSubstance(content, fact ?? '') !== null)).toEqual([])
  expect(facts.filter(({ content, fact }) => lostDetail(content, fact ?? '') !== null)).toEqual([])
  expect(facts.filter(({ fact }) => /mallory|hunter2x/i.test(fact ?? ''))).toEqual([])
  const twins = await world.sql(
    'SELECT norm FROM facts WHERE invalidated_at IS NULL GROUP BY norm, scope, scope_of HAVING count(*) > 1',
  )
  expect(twins).toEqual([])
  const ofAPerson = await world.sql(`SELECT content, version, invalidated_at FROM facts WHERE id = 'fact_a'`)
  expect(ofAPerson).toEqual([{ content: OF_A_PERSON, version: 1, invalidated_at: null }])
}

test.each(SEEDS)('a credulous curator makes no fact of what is none, and loses nothing (seed %i)', async (seed) => {
  const learned = await play(credulous, seed, 3)
  await expectSound(learned)
  // Of what is true: a fact, a repetition of one, or it waits for a person.
  const lost = learned.filter(({ kind, status, held, repeats }) => {
    return (
      TRUE.has(kind) && status !== 'PROMOTED' && !(status === 'PENDING' && held) && !(status === 'REFUSED' && repeats)
    )
  })
  expect(lost).toEqual([])
  expect(learned.filter(({ kind, status }) => kind === 'fact' && status === 'PROMOTED').length).toBeGreaterThan(5)

  const known = learned.flatMap(({ kind, fact }) => (kind === 'fact' && fact !== null ? [fact] : []))
  const before = (await rows()).length
  await world.sql(`UPDATE turn_facts SET fact_ids = ARRAY(SELECT id FROM facts WHERE invalidated_at IS NULL)`)
  for (const fact of known) {
    await learn(database(), SESSION, `**${fact.toUpperCase()}**`)
    await learn(database(), SESSION, `As already known, ${fact}`)
    await learn(database(), SESSION, `Wie bereits bekannt: ${fact}`)
    await learn(database(), SESSION, `It is noted that ${fact} This was checked.`)
  }
  await curate(credulous, [], seed)
  const repeated = (await rows()).slice(before)
  expect(repeated.length).toBe(4 * known.length)
  expect(repeated.filter(({ status }) => status === 'PROMOTED')).toEqual([])
})

test.each(SEEDS)('a perfect one keeps what is true, and asks about what contradicts (seed %i)', async (seed) => {
  const learned = await play(perfect, seed, 1)
  await expectSound(learned)
  const facts = learned.filter(({ fact }) => fact !== null)
  expect(facts.filter(({ kind }) => !TRUE.has(kind))).toEqual([])
  expect(facts.length).toBeGreaterThan(5)
})

test.each(SEEDS)('one that throws dice does no harm (seed %i)', async (seed) => {
  const learned = await play(random, seed, 1)
  await expectSound(learned)
  expect(new Set(learned.map(({ status }) => status)).size).toBeGreaterThan(2)
})

// They take turns with the seeds: what they do depends little on the learnings.
test.each(Object.entries(HOSTILE).map(([does, standIn], n) => ({ does, standIn, seed: 1 + (n % SEEDS.length) })))(
  'a hostile one does no harm: $does (seed $seed)',
  async ({ standIn, seed }) => {
    const learned = await play(standIn, seed, 1)
    await expectSound(learned)
    expect(learned.length).toBe(makeLearnings({ perKind: 1, seed }).length)
  },
)
