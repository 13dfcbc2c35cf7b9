/** Facts, learnings and questions as they are read: lists, search, pages, what leads where, and who sees what of it. */
import { executeSubscriptionEvent, parse, validateSubscriptionArgs } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessClassOf } from '../../src/graphql/operation/log-operation.ts'
import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { recordStatements } from './record-statements.ts'
import type { Given } from '../harness/api-client.ts'
import { createSchemaWorld, type SchemaWorld, type TokenName } from './schema-world.ts'
import { seedFact, seedKnowledge, type SeededKnowledge } from './seed-knowledge.ts'
import { seedSession, type SeededSession } from './seed.ts'

type Seeded = SeededSession & SeededKnowledge & { readonly learningId: string }

let it: SchemaWorld
/** bob is in the first, carol in the second. */
let ours: Seeded
let theirs: Seeded
beforeAll(async () => {
  it = await createSchemaWorld()
  ours = await seed('cli:ours', 'bob')
  theirs = await seed('discord:theirs', 'carol')
  const { prisma } = it.world.context.database
  // What was learned in their session was used in ours.
  await prisma.learning.update({
    where: { id: theirs.learningId },
    data: { status: 'PROMOTED', factId: theirs.factId },
  })
  const [turnId] = ours.turnIds
  await prisma.turnFacts.update({
    where: { turnId: must(turnId, 'a turn') },
    data: { factIds: [ours.factId, theirs.factId].sort() },
  })
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

async function seed(id: string, participant: string): Promise<Seeded> {
  const { database } = it.world.context
  const session = await seedSession(database, { id, participants: [participant], messages: 3 })
  const knowledge = await seedKnowledge(database, session)
  return { ...session, ...knowledge, learningId: must(knowledge.learningId, 'a learning') }
}

async function read<Data, Variables>(
  as: TokenName,
  document: api.TypedDocumentString<Data, Variables>,
  variables: Variables,
): Promise<Given<Data>> {
  const { data, messages } = await it.run(as, document, variables)
  expect(messages).toEqual([])
  return data
}

async function found(filter: api.FactFilter): Promise<string[]> {
  const { facts } = await read('alice', api.FactsDocument, { first: 100, filter })
  return facts.edges.map(({ node }) => node.content)
}

describe('facts', () => {
  test('are found by their words, by phrases, by parts of words, in any case and any script', async () => {
    const { database } = it.world.context
    const texts = [
      'The deployment runs on Fridays at 17:00.',
      'Nightly deployments are forbidden in December.',
      'La production est hébergée à Genève.',
      '本番環境は東京リージョンにあります。',
      'Discounts of 100% need the name_of_the_manager.',
      'İki sunucu İstanbul’da.',
      'Die Übergabe der Schlüssel ist im Café, Straße 7.',
      'Ключ лежит у Семёна.',
    ]
    for (const content of texts) await seedFact(database, { content })
    const [friday, december, geneva, tokyo, discount, istanbul, cafe, key] = texts
    expect(await found({ search: 'FRIDAYS deployment' })).toEqual([friday])
    expect(await found({ search: 'deployment' })).toEqual([december, friday])
    expect(await found({ search: '"on fridays"' })).toEqual([friday])
    expect(await found({ search: 'fridays or december' })).toEqual([december, friday])
    expect(await found({ search: 'deployments -december' })).toEqual([])
    expect(await found({ search: 'GENÈVE' })).toEqual([geneva])
    for (const search of ['geneve', 'HEBERGEE genevé', '"a geneve"', 'production -uber'])
      expect(await found({ search })).toEqual([geneva])
    for (const search of ['cafe', 'CAFÉ', 'schlussel ubergabe', 'bergab', 'uberg', 'strasse', 'STRASSE', 'Straße'])
      expect(await found({ search })).toEqual([cafe])
    for (const search of ['семена', 'СЕМЁНА', 'семён', 'емен']) expect(await found({ search })).toEqual([key])
    expect(await found({ search: '東京' })).toEqual([tokyo])
    for (const search of ['iki', 'İKİ', 'ISTANBUL', 'ıstanbul']) expect(await found({ search })).toEqual([istanbul])
    expect(await found({ search: '100%' })).toEqual([discount])
    expect(await found({ search: 'name_of' })).toEqual([discount])
    // Shorter than what the index of parts knows.
    expect(await found({ search: '17' })).toEqual([friday])
    expect(await found({ search: 'IN' })).toEqual([december])
    expect(await found({ search: 'è' })).toEqual([geneva])
    // Wildcards of LIKE and operators of full text mean nothing.
    expect(await found({ search: '%_%' })).toEqual([])
    expect(await found({ search: "' | & ! ( :* <->" })).toEqual([])
  })

  test('are searched for with at most 200 characters that can be stored', async () => {
    for (const search of ['x'.repeat(201), 'a\0', '\ud800']) {
      expect((await it.run('alice', api.FactsDocument, { filter: { search } })).codes).toEqual(['BAD_USER_INPUT'])
    }
  })

  test('are filtered by source, session and whether they are in use', async () => {
    const { database } = it.world.context
    const gone = await seedFact(database, { content: 'This one is over.', sessionId: ours.id })
    await it.world.sql(`UPDATE facts SET invalidated_at = now(), source = 'CURATOR' WHERE id = $1`, gone)
    const port = `The port of ${ours.id} is 4000.`
    expect(await found({ sessionId: ours.id })).toEqual([port])
    expect(await found({ sessionId: ours.id, includeInvalidated: true })).toEqual(['This one is over.', port])
    expect(await found({ sessionId: ours.id, includeInvalidated: true, source: ['CURATOR', 'SUMMARIZER'] })).toEqual([
      'This one is over.',
    ])
    expect(await found({ sessionId: ours.id, source: [] })).toEqual([port])
    expect(await found({ sessionId: 'a\0' })).toEqual([])
  })

  test('come page by page, newest first; what is added meanwhile moves nothing', async () => {
    const { database } = it.world.context
    const filter = { search: 'paged' }
    for (let n = 0; n < 7; n++) await seedFact(database, { content: `Fact ${n} is paged.` })
    const seen: string[] = []
    let after: string | null = null
    for (let page = 0; page < 4; page++) {
      const { facts }: api.FactsQuery = await read('alice', api.FactsDocument, { first: 2, after, filter })
      seen.push(...facts.edges.map(({ node }) => node.content))
      expect(facts.pageInfo.hasNextPage).toBe(page < 3)
      after = facts.pageInfo.endCursor
      await seedFact(database, { content: `Fact ${page} is paged, too late.` })
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `Fact ${n} is paged.`))
  })
})

describe('learnings and questions', () => {
  test('are filtered by status and session, and come page by page', async () => {
    const pending = await read('alice', api.LearningsDocument, { filter: { status: ['PENDING'] } })
    expect(pending.learnings.edges.map(({ node }) => node.id)).toEqual([ours.learningId])
    const all = await read('alice', api.LearningsDocument, { first: 1 })
    expect(all.learnings).toMatchObject({
      edges: [{ node: { id: theirs.learningId, session: { id: theirs.id }, task: { detail: 'echo hi' } } }],
      pageInfo: { hasNextPage: true },
    })
    const next = { first: 1, after: all.learnings.pageInfo.endCursor }
    expect((await read('alice', api.LearningsDocument, next)).learnings).toMatchObject({
      edges: [{ node: { id: ours.learningId } }],
      pageInfo: { hasNextPage: false },
    })
    const here = { filter: { sessionId: theirs.id, status: ['PENDING' as const] } }
    expect((await read('alice', api.LearningsDocument, here)).learnings.edges).toEqual([])

    const questions = await read('alice', api.QuestionsDocument, { filter: { sessionId: ours.id, status: ['OPEN'] } })
    expect(questions.questions.edges.map(({ node }) => node.id)).toEqual([ours.questionId])
    const resolved = await read('alice', api.QuestionsDocument, { filter: { status: ['RESOLVED'] } })
    expect(resolved.questions.edges).toEqual([])
  })

  test('a cursor of one list is none of another', async () => {
    const { facts } = await read('alice', api.FactsDocument, { first: 1 })
    const after = facts.edges[0]?.cursor
    expect((await it.run('alice', api.LearningsDocument, { after })).codes).toEqual(['BAD_USER_INPUT'])
    expect((await it.run('alice', api.QuestionsDocument, { after })).codes).toEqual(['BAD_USER_INPUT'])
  })
})

describe('who sees a session', () => {
  async function knowledgeOf(as: TokenName) {
    const { session } = await read(as, api.SessionKnowledgeDocument, { id: ours.id })
    return must(session, 'the session')
  }

  test('sees its summary, questions, what was learned and which facts were used, not where those come from', async () => {
    await it.world.sql(`UPDATE sessions SET summary = 'They spoke of ports.' WHERE id = $1`, ours.id)
    const session = await knowledgeOf('bob')
    expect(session).toMatchObject({
      summary: 'They spoke of ports.',
      questions: [{ id: ours.questionId, status: 'OPEN' }],
    })
    const [first, second] = session.turns.edges.map(({ node }) => node)
    expect(first?.factsShown).toMatchObject([
      { id: ours.factId, session: { id: ours.id }, learning: null, history: [] },
      { content: `The port of ${theirs.id} is 4000.`, session: null, learning: null, history: [] },
    ])
    expect(second?.factsShown.map(({ id }) => id)).toEqual([ours.factId])
    expect(first?.tasks.map(({ review }) => review?.learning?.id)).toEqual([ours.learningId, undefined])
    expect(second?.tasks.map(({ review }) => review?.learning)).toEqual([null, undefined])
  })

  test('sees where they come from, as far as they may: admins all, connectors in their namespace', async () => {
    const provenance = async (as: TokenName) =>
      (await knowledgeOf(as)).turns.edges[0]?.node.factsShown.map(({ session, learning }) => [
        session?.id,
        learning?.id,
      ])
    const everything = [
      [ours.id, undefined],
      [theirs.id, theirs.learningId],
    ]
    expect(await provenance('alice')).toEqual(everything)
    expect(await provenance('hub')).toEqual(everything)
    await it.run('alice', api.AddParticipantDocument, { sessionId: theirs.id, user: 'bob' })
    expect(await provenance('bob')).toEqual(everything)
    await it.run('alice', api.RemoveParticipantDocument, { sessionId: theirs.id, user: 'bob' })
    expect(await provenance('bob')).toEqual([
      [ours.id, undefined],
      [undefined, undefined],
    ])
  })

  test('is shown the same as everybody else while following the session together', async () => {
    const document = `subscription { sessionEvents(sessionId: "${ours.id}") { ... on ReviewEvent {
      learning { id content turn { factsShown { id session { id } learning { id } history { version } } } } } } }`
    const shownTo = async (as: TokenName) => {
      const viewer = accessClassOf(it.world.as(as))
      const args = validateSubscriptionArgs({
        schema: it.schema,
        document: parse(document),
        rootValue: {
          type: 'Review',
          taskId: ours.taskIds[0],
          verdict: 'OK',
          reason: null,
          learningId: ours.learningId,
          seq: 7,
          at: new Date(),
          sessionId: ours.id,
          turnId: ours.turnIds[0],
        },
        contextValue: { ...it.contextFor(viewer), grantedSessionId: ours.id },
      })
      if (!('schema' in args)) throw new Error(JSON.stringify(args))
      const { data, errors } = await executeSubscriptionEvent(args)
      expect(errors).toBeUndefined()
      return data?.['sessionEvents']
    }
    const [first, second] = [{ id: ours.factId, session: { id: ours.id }, learning: null }, { id: theirs.factId }]
    expect(await shownTo('bob')).toMatchObject({
      learning: {
        id: ours.learningId,
        turn: {
          factsShown: [
            { ...first, history: [] },
            { ...second, session: null, learning: null, history: [] },
          ],
        },
      },
    })
    const [known, their] = [{ history: [{ version: 1 }] }, { session: { id: theirs.id } }]
    expect(await shownTo('alice')).toMatchObject({
      learning: {
        turn: {
          factsShown: [
            { ...first, ...known },
            { ...second, ...their, ...known },
          ],
        },
      },
    })
  })
})

describe('node', () => {
  const sees = async (as: TokenName, ...ids: string[]): Promise<boolean[]> => {
    const answers = await Promise.all(
      ids.map((id) => it.run<api.FactQuery, { id: string }>(as, 'query ($id: ID!) { node(id: $id) { id } }', { id })),
    )
    return answers.map(({ data }) => data.node !== null)
  }

  test('is there for those who see the session that it belongs to; a fact for whom it is shown', async () => {
    const everywhere = await it.run<{ createQuestion: { question: { id: string } } }, object>(
      'alice',
      'mutation { createQuestion(input: { content: "Who pays?" }) { ... on CreateQuestionPayload { question { id } } } }',
    )
    const global = everywhere.data.createQuestion.question.id
    const unused = await seedFact(it.world.context.database, { content: 'Nobody has used this.' })
    const ids = [ours.learningId, theirs.learningId, ours.questionId, theirs.questionId, global, theirs.factId, unused]
    const all = ids.map(() => true)
    expect(await sees('alice', ...ids)).toEqual(all)
    expect(await sees('bob', ...ids)).toEqual([true, false, true, false, false, true, true])
    expect(await sees('carol', ...ids, ours.factId)).toEqual([false, true, false, true, false, true, true, true])
    // A connector without a namespace sees all sessions, and is no admin.
    expect(await sees('hub', ...ids, ours.factId)).toEqual([true, true, true, true, false, true, false, true])
    expect(await sees('discord', ...ids, ours.factId)).toEqual([false, true, false, true, false, true, false, false])
  })

  test('what a fact said before, and what went into it, is for admins', async () => {
    const old = await seedFact(it.world.context.database, { content: 'It was port 3000, password swordfish.' })
    const replace = 'UPDATE facts SET invalidated_at = now(), replaced_by_id = $2 WHERE id = $1'
    await it.world.sql(replace, old, theirs.factId)
    expect((await read('alice', api.FactDocument, { id: theirs.factId })).node).toMatchObject({
      replaces: [{ id: old }],
      history: [{ version: 1 }],
    })
    for (const as of ['carol', 'bob', 'hub'] as const) {
      const { node } = await read(as, api.FactDocument, { id: theirs.factId })
      expect(node).toMatchObject({ id: theirs.factId, replaces: [], history: [] })
    }
  })

  test('Fact.usedBy holds the turns that relied on it and that the viewer may see, newest first, page by page', async () => {
    const first = await read('alice', api.FactUseDocument, { id: ours.factId, first: 2 })
    const { usedBy } = first.node as { usedBy: { edges: unknown[]; pageInfo: { endCursor: string } } }
    const newestFirst = [...ours.turnIds].toReversed()
    expect(usedBy).toMatchObject({
      edges: newestFirst.slice(0, 2).map((id) => ({ node: { id, session: { id: ours.id } } })),
      pageInfo: { hasNextPage: true },
    })
    const rest = { id: ours.factId, first: 2, after: usedBy.pageInfo.endCursor }
    expect((await read('alice', api.FactUseDocument, rest)).node).toMatchObject({
      usedBy: { edges: [{ node: { id: newestFirst[2] } }], pageInfo: { hasNextPage: false } },
    })
    const seenBy = async (as: TokenName) => {
      const { node } = await read(as, api.FactUseDocument, { id: ours.factId, first: 10 })
      const fact = node as { useCount: number; usedBy: { edges: { node: { id: string } }[] } }
      return [fact.useCount, fact.usedBy.edges.map(({ node: turn }) => turn.id)]
    }
    for (const as of ['alice', 'bob', 'hub'] as const) expect(await seenBy(as)).toEqual([3, newestFirst])
    // It holds for everybody, but what was answered is theirs who are in the session.
    expect(await seenBy('carol')).toEqual([0, []])
  })
})

describe('no N+1', () => {
  const FACTS = `query ($first: Int!) { facts(first: $first, filter: { search: "counted" }) { edges { node {
    content version session { id summary } learning { content session { id } task { detail } }
    replacedBy { content } replaces { content } history { change changedBy { name } }
    useCount usedBy(first: 2) { edges { node { status message { content } } } }
  } } } }`
  const SESSIONS = `query ($first: Int!) { sessions(first: $first, filter: { search: "counted" }) { edges { node {
    summary questions { content session { id } }
    turns(first: 5) { edges { node { factsUsed { content session { id } } factsShown { content session { id } learning { id } history { version } }
      tasks { review { verdict learning { content status fact { content } question { content } } } } } } }
  } } } }`

  beforeAll(async () => {
    const { database } = it.world.context
    for (let n = 0; n < 12; n++) {
      const id = `cli:counted-${n}`
      const session = await seedSession(database, { id, participants: ['bob'], messages: 3, description: 'counted' })
      const { learningId, factId } = await seedKnowledge(database, session)
      const content = `Fact ${n} is counted.`
      const data = { status: 'PROMOTED', factId } as const
      await database.prisma.learning.update({ where: { id: must(learningId, 'a learning') }, data })
      await database.prisma.fact.update({ where: { id: factId }, data: { content } })
    }
  })

  test.each([
    ['facts', FACTS, 'alice'],
    ['sessions, for an admin', SESSIONS, 'alice'],
    ['sessions, for a user', SESSIONS, 'bob'],
  ] as const)('%s', async (_what, document, as) => {
    const cost = (first: number) =>
      recordStatements(async () => {
        const { data, messages } = await it.run<Record<string, { edges: unknown[] }>, object>(as, document, { first })
        expect(messages).toEqual([])
        expect(Object.values(data)[0]?.edges).toHaveLength(first)
      })
    const [few, many] = [await cost(2), await cost(12)]
    expect(many).toHaveLength(few.length)
    expect(few.length).toBeLessThan(30)
  })

  test('a search uses the indexes', async () => {
    // Their triggers, which note the terms of each fact, take nearly a minute for so many, and searches read no terms.
    await it.world.sql('ALTER TABLE facts DISABLE TRIGGER USER')
    for (let from = 1; from < 20_000; from += 1000)
      await it.world.sql(
        `INSERT INTO facts (id, content, norm, source, created_at, updated_at)
         SELECT 'fact_' || lpad(n::text, 26, '0'), 'Row ' || md5(n::text), 'row ' || md5(n::text), 'MANUAL', now(), now()
         FROM generate_series($1::int, $1::int + 999) AS n`,
        from,
      )
    await it.world.sql('ALTER TABLE facts ENABLE TRIGGER USER')
    await it.world.sql('ANALYZE facts')
    const statements = await recordStatements(() => found({ search: 'needle in haystack' }))
    const search = must(
      statements.find((statement) => statement.includes('websearch')),
      'the search',
    )
    const rows = await it.world.sql<{ 'QUERY PLAN': string }>(`EXPLAIN ${search}`, 101, 'needle', '%needle%')
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('facts_words')
    expect(plan).toContain('facts_parts')
    expect(plan).not.toContain('Seq Scan')
  })
})
