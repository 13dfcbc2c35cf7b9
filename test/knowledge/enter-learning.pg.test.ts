/** How a text that was learned enters the inbox, beside what is known: to be judged, held for a person, or refused. */
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { GLOBAL_SCOPE, type Scope } from '../../src/core/knowledge/fact-scope.ts'
import { normalText } from '../../src/core/text/normal-text.ts'
import type { LearningEntry } from '../../src/core/turn-write.ts'
import { enterLearning } from '../../src/knowledge/learnings/enter-learning.ts'
import { must } from '../../src/platform/must.ts'
import { createWorld, type World } from '../intake/intake-world.ts'
import { rounds } from '../harness/rounds.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
  await world.sql(`INSERT INTO sessions (id, source_kind, source_interactive) VALUES ('cli:a', 'cli', true)`)
  await world.sql(`INSERT INTO messages (id, session_id, seq, role, content, trusted, status, client, created_at)
    VALUES ('msg_a', 'cli:a', 1, 'USER', 'x', true, 'DONE', 'cli', now())`)
  await world.sql(`INSERT INTO turns (id, session_id, seq, message_id, user_name, created_at)
    VALUES ('turn_a', 'cli:a', 1, 'msg_a', 'alice', now())`)
})
afterEach(() => world[Symbol.asyncDispose]())

async function addFact(id: string, content: string): Promise<void> {
  await world.sql(
    `INSERT INTO facts (id, content, norm, source, created_at, updated_at) VALUES ($1, $2, $3, 'MANUAL', now(), now())`,
    id,
    content,
    normalText(content),
  )
  await addVersion(id, { version: 1, content, change: 'CREATED', by: 'curator' })
}

interface Version {
  readonly version: number
  readonly content: string
  readonly change: string
  readonly by: string
}

async function addVersion(id: string, { version, content, change, by }: Version): Promise<void> {
  await world.sql(
    `INSERT INTO fact_versions (fact_id, version, content, norm, change, changed_by, at)
     VALUES ($1, $2, $3, $4, $5::fact_change, $6, '2026-05-01T08:00:00Z')`,
    id,
    version,
    content,
    normalText(content),
    change,
    by,
  )
  const isLive = change !== 'INVALIDATED' && change !== 'MERGED'
  await world.sql(
    `UPDATE facts SET version = $2, content = $3, norm = $4, invalidated_at = CASE WHEN $5 THEN NULL ELSE now() END WHERE id = $1`,
    id,
    version,
    content,
    normalText(content),
    isLive,
  )
}

/** Out of use since another one holds, by a person or by the curator; the other one is there. */
async function replaceFact(id: string, { by, with: other }: { readonly by: string; readonly with: string }) {
  await addVersion(id, { version: 2, content: TEXT, change: 'REPLACED', by })
  await world.sql(
    'UPDATE facts SET invalidated_at = now(), valid_to = now(), replaced_by_id = $2 WHERE id = $1',
    id,
    other,
  )
}

async function addLearning(content: string, status: string, factId: string | null = null): Promise<void> {
  await world.sql(
    `INSERT INTO learnings (id, session_id, turn_id, user_name, content, norm, status, fact_id, scope, created_at)
     VALUES ('learn_0', 'cli:a', 'turn_a', 'alice', $1, $2, $3::learning_status, $4, 'GLOBAL', now())`,
    content,
    normalText(content),
    status,
    factId,
  )
}

async function stoodInPrompt(...factIds: string[]): Promise<void> {
  await world.sql(`INSERT INTO turn_facts (turn_id, fact_ids, session_id) VALUES ('turn_a', $1, 'cli:a')`, factIds)
}

async function entered(text: string, scope: Scope = GLOBAL_SCOPE): Promise<LearningEntry> {
  const asked = { text, turnId: 'turn_a', source: 'REVIEW', mode: 'auto', scope, refusal: null } as const
  return must(await enterLearning(world.context.database, asked), 'it says something').entry
}

const TEXT = 'The API of the shop listens on port 8080.'

describe('is refused without a question', () => {
  test('what says the same as a fact, but for its signs', async () => {
    await addFact('fact_1', TEXT)
    for (const same of [
      TEXT.toUpperCase(),
      '**The API** of the shop listens on `port 8080`',
      '- the api of the shop listens on port 8080 \u{1f680}',
      'Тhе АРI of the shop listens on port 8080',
    ])
      expect([same, await entered(same)]).toEqual([
        same,
        expect.objectContaining({ status: 'REFUSED', repeatsFactId: 'fact_1', reason: 'It repeats the fact fact_1.' }),
      ])
  })

  test('also with other kinds of hyphen, of quotes and of spaces', async () => {
    await addFact('fact_1', `The "read-only" mirror of the shop's API is in Oslo.`)
    for (const same of [
      'The “read‑only” mirror of the shop’s API is in Oslo.',
      'The „read‐only“ mirror of the shop‘s API is in Oslo',
      'The «read\u2013only» mirror of the\u00a0shop`s  API is in Oslo.',
    ])
      expect([same, await entered(same)]).toEqual([
        same,
        expect.objectContaining({ status: 'REFUSED', repeatsFactId: 'fact_1' }),
      ])
  })

  test('whatever signs are put around its words', async () => {
    await addFact('fact_1', TEXT)
    const wrap = fc.constantFrom(
      ['', ''],
      ['**', '**'],
      ['"', '"'],
      ['(', ')'],
      ['„', '“'],
      ['', ','],
      ['', ' \u{1f600}'],
    )
    await fc.assert(
      fc.asyncProperty(fc.array(wrap, { minLength: 9, maxLength: 9 }), async (signs) => {
        const words = TEXT.slice(0, -1).split(' ')
        const text = words.map((word, n) => `${signs[n]?.[0] ?? ''}${word}${signs[n]?.[1] ?? ''}`).join(' ')
        expect(await entered(text)).toMatchObject({ status: 'REFUSED', repeatsFactId: 'fact_1' })
      }),
      { numRuns: rounds(20, 300) },
    )
  })

  test.each(['PENDING', 'DISCARDED'])('what says the same as a learning that is %s', async (status) => {
    await addLearning(TEXT, status)
    expect(await entered(TEXT)).toMatchObject({ status: 'REFUSED', repeatsLearningId: 'learn_0' })
  })

  test('what only recalls a fact that stood in the prompt, also one that was merged away meanwhile', async () => {
    await addFact('fact_1', TEXT)
    await stoodInPrompt('fact_1')
    await addVersion('fact_1', { version: 2, content: TEXT, change: 'MERGED', by: 'ada' })
    expect(await entered(`As already known, ${TEXT}`)).toMatchObject({ status: 'REFUSED', repeatsFactId: 'fact_1' })
  })

  test.each([
    ['what holds a secret, which is not stored', 'The deploy password is hunter2x7', 'It may hold a secret.'],
    ['what is too long', `The log says: ${'very '.repeat(200)}long.`, /at most 500 are kept/],
    ['what is too short', 'Yes.', /too short/],
  ])('%s', async (_, text, reason) => {
    const asked = {
      text,
      turnId: 'turn_a',
      source: 'REVIEW',
      mode: 'auto',
      scope: GLOBAL_SCOPE,
      refusal: null,
    } as const
    const kept = must(await enterLearning(world.context.database, asked), 'a row')
    expect(kept.entry).toMatchObject({ status: 'REFUSED', reason: expect.stringMatching(reason) })
    expect(kept.content).not.toContain('hunter2x7')
  })
})

/** What is known, and what was refused as a repetition of it although it says something else. */
const OTHERS: readonly (readonly [string, string])[] = [
  ['The shop is reached by http://shop.example.org.', 'The shop is reached by https://shop.example.org.'],
  ['The release manager is Ann.', 'The release manager is Annabel.'],
  ['Releases are approved by Grace.', 'Releases are approved by Grace or Bob.'],
  ['The backup runs every night except on Sundays.', 'The backup runs every night.'],
  ['The discount holds for all customers.', 'The discount holds for all but one customers.'],
  ['The migration is done.', 'The migration is partially done.'],
  ['Admins deploy on Fridays.', 'Only admins deploy on Fridays.'],
  ['The cache is flushed at night.', 'The cache is rarely flushed at night.'],
  ['The team uses Jenkins.', 'The team used to use Jenkins.'],
  ['The staging server is locked.', 'The staging server is locked until Friday.'],
  ['The build is compiled with java.', 'The build is compiled with javac.'],
]

describe('waits to be judged side by side', () => {
  test.each(OTHERS)('beside "%s": %s', async (known, text) => {
    await addFact('fact_1', known)
    expect(await entered(text)).toMatchObject({ status: 'PENDING', held: false, similarFactIds: ['fact_1'] })
  })

  test.each(OTHERS)('also the other way round, beside what "%s" becomes: %s', async (text, known) => {
    await addFact('fact_1', known)
    expect(await entered(text)).toMatchObject({ status: 'PENDING', held: false, similarFactIds: ['fact_1'] })
  })

  test('what held before and then not, by the curator’s word: it may hold again', async () => {
    await addFact('fact_1', TEXT)
    await addLearning(TEXT, 'PROMOTED', 'fact_1')
    await addFact('fact_2', 'The API of the shop listens on port 8081.')
    await replaceFact('fact_1', { by: 'curator', with: 'fact_2' })
    expect(await entered(TEXT)).toMatchObject({ status: 'PENDING', held: false })
  })

  test('what went into a fact that holds no more', async () => {
    await addFact('fact_1', TEXT)
    await addLearning(TEXT, 'PROMOTED', 'fact_1')
    await addFact('fact_2', 'The API of the shop listens on port 8080, that of the yard on 8090.')
    await addVersion('fact_1', { version: 2, content: TEXT, change: 'MERGED', by: 'summarizer' })
    await world.sql(`UPDATE facts SET replaced_by_id = 'fact_2' WHERE id = 'fact_1'`)
    expect(await entered(TEXT)).toMatchObject({ status: 'REFUSED', repeatsLearningId: 'learn_0' })
    // From before learnings had scopes.
    await world.sql('UPDATE learnings SET scope = NULL')
    expect(await entered(TEXT)).toMatchObject({ status: 'REFUSED', repeatsLearningId: 'learn_0' })
    await world.sql(`UPDATE facts SET invalidated_at = now(), valid_to = now() WHERE id = 'fact_2'`)
    expect(await entered(TEXT)).toMatchObject({ status: 'PENDING', held: false })
  })

  test('what became a fact that is shown elsewhere by now', async () => {
    const cleo = { scope: 'USER', scopeOf: 'cleo' } as const
    await addFact('fact_1', 'Shop API: port 8080, since May.')
    await addLearning(TEXT, 'PROMOTED', 'fact_1')
    await world.sql(`UPDATE facts SET scope = 'USER', scope_of = 'cleo'`)
    await world.sql(`UPDATE learnings SET scope = 'USER', scope_of = 'cleo'`)
    expect(await entered(TEXT, cleo)).toMatchObject({ status: 'REFUSED', repeatsLearningId: 'learn_0' })
    await world.sql(`UPDATE facts SET scope = 'PROJECT', scope_of = 'quay'`)
    expect(await entered(TEXT, cleo)).toMatchObject({ status: 'PENDING', held: false })
    await world.sql(`UPDATE facts SET scope = 'GLOBAL', scope_of = ''`)
    expect(await entered(TEXT, cleo)).toMatchObject({ status: 'REFUSED', repeatsLearningId: 'learn_0' })
  })

  test.each(['PENDING', 'DISCARDED'])(
    'what says the same as a learning without a scope that is %s elsewhere',
    async (status) => {
      await addLearning(TEXT, status)
      await world.sql('UPDATE learnings SET scope = NULL')
      expect(await entered(TEXT)).toMatchObject({ status: 'PENDING', held: false })
      expect(await entered(TEXT, { scope: 'SESSION', scopeOf: 'cli:b' })).toMatchObject({ status: 'PENDING' })
      const own = await entered(TEXT, { scope: 'SESSION', scopeOf: 'cli:a' })
      expect(own).toMatchObject({ status: 'REFUSED', repeatsLearningId: 'learn_0' })
    },
  )

  test('what says the same as a learning that became a question: its answer may', async () => {
    await addLearning(TEXT, 'ASKED')
    expect(await entered(TEXT)).toMatchObject({ status: 'PENDING', held: false })
  })
})

describe('waits for a person', () => {
  test.each(OTHERS.slice(2, 3))('what contains a fact of the prompt "%s" and says more: %s', async (known, text) => {
    await addFact('fact_1', known)
    await stoodInPrompt('fact_1')
    expect(await entered(text)).toMatchObject({ status: 'PENDING', held: true, flags: ['RECALLED'] })
  })

  test('what a person took out of use, until it is restored', async () => {
    await addFact('fact_1', TEXT)
    await addVersion('fact_1', { version: 2, content: TEXT, change: 'INVALIDATED', by: 'ada' })
    expect(await entered(TEXT.toUpperCase())).toMatchObject({
      status: 'PENDING',
      held: true,
      flags: ['REJECTED'],
      reason: 'ada took it back at 2026-05-01T08:00:00.000Z (fact fact_1).',
    })
    await addVersion('fact_1', { version: 3, content: TEXT, change: 'RESTORED', by: 'ada' })
    expect(await entered(TEXT)).toMatchObject({ status: 'REFUSED', repeatsFactId: 'fact_1' })
  })

  test('what a person put another fact in the place of, also where the curator had used other words', async () => {
    await addFact('fact_1', TEXT)
    await addLearning(TEXT, 'PROMOTED', 'fact_1')
    await addFact('fact_2', 'The API of the shop listens on port 8081.')
    await replaceFact('fact_1', { by: 'ada', with: 'fact_2' })
    const reason = 'ada took it back at 2026-05-01T08:00:00.000Z (fact fact_1).'
    expect(await entered(TEXT)).toMatchObject({ status: 'PENDING', held: true, flags: ['REJECTED'], reason })
    await world.sql(`UPDATE learnings SET content = 'Shop: 8080.', norm = $1`, normalText('Shop: 8080.'))
    expect(await entered('Shop: 8080.')).toMatchObject({ held: true, flags: ['REJECTED'], reason })
  })

  test('what a person accepted to be dropped, put in other words or merged, in a proposal', async () => {
    const reason = 'ada took it back at 2026-05-01T08:00:00.000Z (fact fact_1).'
    await addFact('fact_1', TEXT)
    await addLearning('Shop: 8080.', 'PROMOTED', 'fact_1')
    await addVersion('fact_1', { version: 2, content: 'The shop: port 9090.', change: 'CONSOLIDATED', by: 'ada' })
    expect(await entered(TEXT)).toMatchObject({ held: true, flags: ['REJECTED'], reason })
    expect(await entered('Shop: 8080.')).toMatchObject({ held: true, flags: ['REJECTED'], reason })
    expect(await entered('The shop: port 9090.')).toMatchObject({ status: 'REFUSED', repeatsFactId: 'fact_1' })
    await addVersion('fact_1', { version: 3, content: 'The shop: port 9090.', change: 'CONSOLIDATED', by: 'ada' })
    await world.sql(`UPDATE facts SET invalidated_at = now() WHERE id = 'fact_1'`)
    expect(await entered('The shop: port 9090.')).toMatchObject({ held: true, flags: ['REJECTED'], reason })
  })

  test('a fact of a person that went into another one', async () => {
    await addFact('fact_1', TEXT)
    await addFact('fact_2', 'The API of the shop listens on port 8080, that of the yard on 8090.')
    await addVersion('fact_1', { version: 2, content: TEXT, change: 'MERGED', by: 'ada' })
    await world.sql(`UPDATE facts SET replaced_by_id = 'fact_2' WHERE id = 'fact_1'`)
    const reason = 'ada merged it into another fact at 2026-05-01T08:00:00.000Z (fact fact_1).'
    expect(await entered(TEXT)).toMatchObject({ status: 'PENDING', held: true, flags: ['REJECTED'], reason })
  })

  test('what a person corrected', async () => {
    await addFact('fact_1', TEXT)
    await addVersion('fact_1', { version: 2, content: 'The API of the shop: port 9090.', change: 'EDITED', by: 'ada' })
    expect(await entered(TEXT)).toMatchObject({ held: true, flags: ['REJECTED'] })
    await addVersion('fact_1', { version: 3, content: TEXT, change: 'EDITED', by: 'ada' })
    expect(await entered(TEXT)).toMatchObject({ status: 'REFUSED' })
  })

  test('what the curator had put in other words, and a person took out of use', async () => {
    await addFact('fact_1', 'Shop API: port 8080, since May.')
    await addLearning(TEXT, 'PROMOTED', 'fact_1')
    expect(await entered(TEXT)).toMatchObject({ status: 'REFUSED', repeatsLearningId: 'learn_0' })
    await addVersion('fact_1', { version: 2, content: 'Shop API: port 8080.', change: 'INVALIDATED', by: 'ada' })
    expect(await entered(TEXT)).toMatchObject({ held: true, flags: ['REJECTED'] })
  })

  test('not what another one is shown, which says nothing of it', async () => {
    await addFact('fact_1', TEXT)
    await addLearning('Shop: 8080.', 'PROMOTED', 'fact_1')
    await world.sql(`UPDATE facts SET scope = 'USER', scope_of = 'cleo'`)
    await world.sql(`UPDATE learnings SET scope = 'USER', scope_of = 'cleo'`)
    await addVersion('fact_1', { version: 2, content: TEXT, change: 'INVALIDATED', by: 'ada' })
    for (const text of [TEXT, 'Shop: 8080.']) {
      expect(await entered(text)).toMatchObject({ status: 'PENDING', held: false, reason: null })
      expect(await entered(text, { scope: 'USER', scopeOf: 'cleo' })).toMatchObject({ flags: ['REJECTED'] })
    }
  })

  test('what was rejected in a project, there and as what everybody is told', async () => {
    const shop = { scope: 'PROJECT', scopeOf: 'shop' } as const
    await addFact('fact_1', TEXT)
    await addLearning('Shop: 8080.', 'PROMOTED', 'fact_1')
    await world.sql(`UPDATE facts SET scope = 'PROJECT', scope_of = 'shop'`)
    await world.sql(`UPDATE learnings SET scope = 'PROJECT', scope_of = 'shop'`)
    await addVersion('fact_1', { version: 2, content: TEXT, change: 'INVALIDATED', by: 'ada' })
    for (const text of [TEXT, 'Shop: 8080.']) {
      // Whom it reaches may know nothing of the project.
      const reason = 'A person rejected it in a project.'
      expect(await entered(text)).toMatchObject({ status: 'PENDING', held: true, flags: ['REJECTED'], reason })
      const there = { held: true, flags: ['REJECTED'], reason: expect.stringMatching(/^ada .*fact_1/) as string }
      expect(await entered(text, shop)).toMatchObject(there)
      expect(await entered(text, { ...shop, scopeOf: 'yard' })).toMatchObject({ status: 'PENDING', held: false })
      expect(await entered(text, { scope: 'USER', scopeOf: 'cleo' })).toMatchObject({ held: false })
    }
    await world.sql(`UPDATE facts SET scope = 'GLOBAL', scope_of = ''`)
    expect(await entered(TEXT, shop)).toMatchObject({ held: true, flags: ['REJECTED'] })
  })

  test('what a person discarded in a project, as what everybody is told, until a fact of the project says it', async () => {
    await addLearning(TEXT, 'DISCARDED')
    await world.sql(
      `UPDATE learnings SET scope = 'PROJECT', scope_of = 'shop', decided_by = 'curator', decided_at = now()`,
    )
    expect(await entered(TEXT)).toMatchObject({ status: 'PENDING', held: false })
    await world.sql(`UPDATE learnings SET decided_by = 'ada'`)
    const reason = 'A person rejected it in a project.'
    expect(await entered(TEXT)).toMatchObject({ status: 'PENDING', held: true, flags: ['REJECTED'], reason })
    const shop = { scope: 'PROJECT', scopeOf: 'shop' } as const
    expect(await entered(TEXT, shop)).toMatchObject({ status: 'REFUSED', repeatsLearningId: 'learn_0' })
    expect(await entered(TEXT, { ...shop, scopeOf: 'yard' })).toMatchObject({ status: 'PENDING', held: false })
    expect(await entered(TEXT, { scope: 'USER', scopeOf: 'cleo' })).toMatchObject({ held: false })
    await addFact('fact_1', TEXT)
    await world.sql(`UPDATE facts SET scope = 'PROJECT', scope_of = 'shop'`)
    expect(await entered(TEXT)).toMatchObject({ status: 'PENDING', held: false })
  })

  test('not what the server itself changed', async () => {
    await addFact('fact_1', TEXT)
    await addVersion('fact_1', { version: 2, content: 'Port 8080: the shop.', change: 'EDITED', by: 'summarizer' })
    expect(await entered(TEXT)).toMatchObject({ status: 'PENDING', held: false })
  })
})
