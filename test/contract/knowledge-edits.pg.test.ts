/**
 * What admins do with facts, learnings and questions: each result that can happen, the history, the audit, and whom it
 * is told.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rounds } from '../harness/rounds.ts'
import { normalText } from '../../src/core/text/normal-text.ts'
import { newId } from '../../src/platform/id.ts'
import { must } from '../../src/platform/must.ts'
import type { Curation } from '../../src/core/turn-write.ts'
import { storeCuration } from '../../src/store/knowledge/store-curations.ts'
import { commitTurn } from '../../src/store/turn/turn-commit.ts'
import * as api from '../generated/graphql.ts'
import type { Given } from '../harness/api-client.ts'
import { createSchemaWorld, SECRET, type SchemaWorld } from './schema-world.ts'
import { seedKnowledge, type SeededKnowledge } from './seed-knowledge.ts'
import { seedSession, type SeededSession } from './seed.ts'

let it: SchemaWorld
beforeAll(async () => {
  it = await createSchemaWorld()
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

type FactResult = api.CreateFactMutation['createFact'] | api.EditFactMutation['editFact']

/** Runs a mutation as alice, who is an admin; it must not fail. */
async function edit<Data, Variables>(
  document: api.TypedDocumentString<Data, Variables>,
  variables: Variables,
): Promise<Given<Data>> {
  const { data, messages } = await it.run('alice', document, variables)
  expect(messages).toEqual([])
  return data
}

async function create(content: string, sessionId?: string): Promise<string> {
  return idOf((await edit(api.CreateFactDocument, { content, sessionId })).createFact)
}

/** The fact as refusals speak of it. */
async function named(id: string): Promise<string> {
  const { number } = await it.world.context.database.prisma.fact.findUniqueOrThrow({ where: { id } })
  return `Fact #${number} `
}

function idOf(result: FactResult): string {
  if (result.__typename !== 'CreateFactPayload' && result.__typename !== 'EditFactPayload')
    throw new Error(JSON.stringify(result))
  return result.fact.id
}

async function factOf(id: string): Promise<Extract<NonNullable<api.FactQuery['node']>, { content: string }>> {
  const { node } = await edit(api.FactDocument, { id })
  return must(node, 'the fact') as Awaited<ReturnType<typeof factOf>>
}

/** What a curator decided that makes a fact of a learning. */
function promotion(learningId: string, content: string): Curation {
  return {
    learningId,
    by: 'curator',
    status: 'PROMOTED',
    reason: null,
    flags: [],
    repeatsFactId: null,
    repeatsLearningId: null,
    replaces: null,
    isRetry: false,
    changeId: 'chg_1',
    questionId: null,
    at: new Date(),
    question: null,
    fact: { id: newId('fact'), content, norm: normalText(content) },
  }
}

/** What the audit says was done to this fact, learning or question. */
async function auditOf(subjectId: string): Promise<object[]> {
  return await it.world.sql(
    `SELECT kind::text, actor, token_name, session_id, data->>'change' AS change, data->>'reason' AS reason
     FROM audit_entries WHERE data->>'subjectId' = $1 ORDER BY pos`,
    subjectId,
  )
}

function audited(change: string, more: { reason?: string; session_id?: string } = {}): object {
  const who = { kind: 'KNOWLEDGE', actor: 'alice', token_name: 'alice' }
  return { ...who, session_id: null, change, reason: null, ...more }
}

let seeded = 0
async function seed(
  newestTurn: 'DONE' | 'QUEUED' = 'DONE',
): Promise<SeededSession & SeededKnowledge & { readonly learningId: string }> {
  seeded += 1
  const { database } = it.world.context
  const session = await seedSession(database, { id: `cli:k${seeded}`, participants: ['bob'], messages: 1, newestTurn })
  const knowledge = await seedKnowledge(database, session)
  return { ...session, ...knowledge, learningId: must(knowledge.learningId, 'a learning') }
}

describe('a fact', () => {
  test('is created, edited, invalidated and restored; each step is history, audit and a notification', async () => {
    const { id: sessionId } = await seed()
    const id = await create('  The staging host is mars.  ', sessionId)
    await edit(api.EditFactDocument, { id, content: 'The staging host is venus.', version: 1 })
    await edit(api.InvalidateFactDocument, { id, reason: 'It was switched off.' })
    expect((await factOf(id)).invalidatedAt).not.toBeNull()
    const restored = await edit(api.RestoreFactDocument, { id })
    expect(restored.restoreFact).toMatchObject({
      fact: { id, content: 'The staging host is venus.', version: 4, source: 'MANUAL', invalidatedAt: null },
    })
    const fact = await factOf(id)
    expect(fact.session).toEqual({ id: sessionId })
    expect(fact.history.map(({ at: _at, ...version }) => version)).toEqual([
      {
        version: 1,
        content: 'The staging host is mars.',
        change: 'CREATED',
        changedBy: { __typename: 'User', name: 'alice' },
        reason: null,
      },
      {
        version: 2,
        content: 'The staging host is venus.',
        change: 'EDITED',
        changedBy: { __typename: 'User', name: 'alice' },
        reason: null,
      },
      {
        version: 3,
        content: 'The staging host is venus.',
        change: 'INVALIDATED',
        changedBy: { __typename: 'User', name: 'alice' },
        reason: 'It was switched off.',
      },
      {
        version: 4,
        content: 'The staging host is venus.',
        change: 'RESTORED',
        changedBy: { __typename: 'User', name: 'alice' },
        reason: null,
      },
    ])
    const where = { session_id: sessionId }
    expect(await auditOf(id)).toEqual([
      audited('CREATED', where),
      audited('EDITED', where),
      audited('INVALIDATED', { ...where, reason: 'It was switched off.' }),
      audited('RESTORED', where),
    ])
    expect(it.rung.filter((rung) => rung === id)).toHaveLength(4)
  })

  test('that another admin changed meanwhile is not edited: the conflict names both versions', async () => {
    const id = await create('The build takes 4 minutes.')
    await edit(api.EditFactDocument, { id, content: 'The build takes 5 minutes.', version: 1 })
    const { editFact } = await edit(api.EditFactDocument, { id, content: 'The build takes 6 minutes.', version: 1 })
    expect(editFact).toMatchObject({
      __typename: 'ConflictRefusal',
      code: 'CONFLICT',
      reason: 'STALE_VERSION',
      current: { id },
    })
    expect(editFact).toHaveProperty('problem', expect.stringMatching(/version 1.*version 2/))
    expect(await factOf(id)).toMatchObject({ content: 'The build takes 5 minutes.', version: 2 })
  })

  test('edited by two admins at once is edited by one; the other is told', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await create(`Round ${round} is open.`)
      const results = await Promise.all(
        ['red', 'blue', 'green'].map((colour) =>
          edit(api.EditFactDocument, { id, content: `Round ${round} is ${colour}.`, version: 1 }),
        ),
      )
      const names = results.map(({ editFact }) => editFact.__typename).sort()
      expect(names).toEqual(['ConflictRefusal', 'ConflictRefusal', 'EditFactPayload'])
      expect((await factOf(id)).history).toHaveLength(2)
    }
  })

  test('that repeats one in use is refused and names it, also of two that are created at once', async () => {
    const id = await create('Backups run at 03:00.')
    const { createFact } = await edit(api.CreateFactDocument, { content: 'backups   run at 03:00' })
    expect(createFact).toMatchObject({ __typename: 'ConflictRefusal', reason: 'SAME_EXISTS', current: { id } })

    const other = await create('Backups are kept for a week.')
    const { editFact } = await edit(api.EditFactDocument, { id: other, content: 'BACKUPS RUN AT 03:00', version: 1 })
    expect(editFact).toMatchObject({ current: { id }, problem: expect.stringContaining(await named(id)) })
    // Saying the same again in other letters is an edit of its own; in the same letters it is nothing.
    const rewritten = await edit(api.EditFactDocument, { id, content: 'Backups run at 03:00!', version: 1 })
    expect(rewritten.editFact).toMatchObject({ fact: { version: 2 } })
    const same = await edit(api.EditFactDocument, { id, content: 'Backups run at 03:00!', version: 2 })
    expect(same.editFact).toMatchObject({ fact: { version: 2 } })

    const content = 'Two people have the same idea.'
    const both = await Promise.all([1, 2, 3, 4].map(() => edit(api.CreateFactDocument, { content })))
    const made = both.filter(({ createFact: made }) => made.__typename === 'CreateFactPayload')
    expect(made).toHaveLength(1)
  })

  test('that was invalidated may be said anew, and is then not restored beside its twin', async () => {
    const id = await create('The port is 4000.')
    await edit(api.InvalidateFactDocument, { id })
    const twin = await create('The port is 4000.')
    const { restoreFact } = await edit(api.RestoreFactDocument, { id })
    expect(restoreFact).toMatchObject({ current: { id: twin }, problem: expect.stringContaining(await named(twin)) })
  })

  test('is not invalidated or edited when it is out of use, nor restored when it is in use', async () => {
    const id = await create('Tea is served at five.')
    expect((await edit(api.RestoreFactDocument, { id })).restoreFact.__typename).toBe('ConflictRefusal')
    await edit(api.InvalidateFactDocument, { id })
    expect((await edit(api.InvalidateFactDocument, { id })).invalidateFact.__typename).toBe('ConflictRefusal')
    const change = { id, content: 'Tea is served at six.', version: 2 }
    expect((await edit(api.EditFactDocument, change)).editFact.__typename).toBe('ConflictRefusal')
    expect((await factOf(id)).history).toHaveLength(2)
  })

  test('merged with others keeps its history, says what replaced it, and can be restored', async () => {
    const ids = [await create('Deploys need a green build.'), await create('Deploys need two approvals.')]
    const content = 'Deploys need a green build and two approvals.'
    const { mergeFacts } = await edit(api.MergeFactsDocument, { ids, content })
    if (mergeFacts.__typename !== 'MergeFactsPayload') throw new Error(JSON.stringify(mergeFacts))
    const { fact } = mergeFacts
    expect(fact).toMatchObject({ content, version: 1, replaces: ids.map((id) => ({ id })) })
    for (const id of ids) {
      expect(await factOf(id)).toMatchObject({
        replacedBy: { id: fact.id },
        invalidatedAt: expect.any(String),
        history: [
          { change: 'CREATED' },
          { change: 'MERGED', changedBy: { __typename: 'User', name: 'alice' }, reason: `merged into ${fact.id}` },
        ],
      })
      expect(await auditOf(id)).toEqual([audited('CREATED'), audited('MERGED', { reason: `merged into ${fact.id}` })])
    }
    expect(await auditOf(fact.id)).toEqual([audited('CREATED')])
    expect(it.rung).toEqual(expect.arrayContaining([fact.id, ...ids]))
    const [first = ''] = ids
    await edit(api.RestoreFactDocument, { id: first })
    expect(await factOf(first)).toMatchObject({ replacedBy: null, invalidatedAt: null, version: 3 })
  })

  test('merges name two facts at least, each once, all there and all in use; else nothing happens', async () => {
    const [one, two] = [await create('Merge me one.'), await create('Merge me two.')]
    const merge = async (...ids: string[]) =>
      (await edit(api.MergeFactsDocument, { ids, content: 'Merged.' })).mergeFacts
    expect(await merge(one)).toMatchObject({ issues: [{ path: ['ids'], problem: expect.stringContaining('two') }] })
    expect(await merge(one, one)).toMatchObject({ issues: [{ problem: expect.stringContaining('once') }] })
    const many = Array.from({ length: 101 }, () => newId('fact'))
    expect(await merge(...many)).toMatchObject({ issues: [{ problem: expect.stringContaining('100') }] })
    const missing = newId('fact')
    expect(await merge(one, missing)).toMatchObject({ __typename: 'NotFoundRefusal', missingId: missing })
    await edit(api.InvalidateFactDocument, { id: two })
    expect(await merge(one, two)).toMatchObject({ __typename: 'ConflictRefusal' })
    expect((await factOf(one)).history).toHaveLength(1)
  })
})

describe('a learning', () => {
  test('is promoted as it is, or in other words; the fact knows where it comes from', async () => {
    const first = await seed()
    const { promoteLearning } = await edit(api.PromoteLearningDocument, { id: first.learningId })
    expect(promoteLearning).toMatchObject({
      learning: {
        status: 'PROMOTED',
        decidedBy: { name: 'alice' },
        fact: { content: `The disk of ${first.id} is full.` },
      },
    })
    const second = await seed()
    const promoted = await edit(api.PromoteLearningDocument, {
      id: second.learningId,
      content: 'Disks fill up in May.',
    })
    const { learning } = promoted.promoteLearning as Extract<typeof promoteLearning, { learning: unknown }>
    const fact = await factOf(must(learning.fact, 'a fact').id)
    expect(fact).toMatchObject({
      content: 'Disks fill up in May.',
      source: 'MANUAL',
      session: { id: second.id },
      learning: { id: second.learningId, content: `The disk of ${second.id} is full.` },
    })
    const where = { session_id: second.id }
    expect(await auditOf(second.learningId)).toEqual([audited('PROMOTED', where)])
    expect(await auditOf(fact.id)).toEqual([audited('CREATED', where)])
    expect(it.rung).toEqual(expect.arrayContaining([second.learningId, fact.id]))
  })

  test('is asked about: the question is open in its session', async () => {
    const { id: sessionId, learningId } = await seed()
    const { askLearning } = await edit(api.AskLearningDocument, { id: learningId, question: 'Which disk is it?' })
    expect(askLearning).toMatchObject({
      learning: { status: 'ASKED', question: { content: 'Which disk is it?', status: 'OPEN', source: 'ADMIN' } },
    })
    const { session } = (await it.run('bob', api.SessionKnowledgeDocument, { id: sessionId })).data
    expect(session?.questions.map(({ content }) => content)).toContain('Which disk is it?')
    expect(await auditOf(learningId)).toEqual([audited('ASKED', { session_id: sessionId })])
  })

  test('is discarded, with a reason, and stays on record', async () => {
    const { id: sessionId, learningId } = await seed()
    const { discardLearning } = await edit(api.DiscardLearningDocument, { id: learningId, reason: 'It was a test.' })
    expect(discardLearning).toMatchObject({ learning: { status: 'DISCARDED', reason: 'It was a test.' } })
    const reason = 'It was a test.'
    expect(await auditOf(learningId)).toEqual([audited('DISCARDED', { session_id: sessionId, reason })])
  })

  test('is decided once, by the first', async () => {
    const { learningId: id } = await seed()
    const results = await Promise.all([
      edit(api.PromoteLearningDocument, { id }).then(({ promoteLearning }) => promoteLearning),
      edit(api.AskLearningDocument, { id, question: 'Really?' }).then(({ askLearning }) => askLearning),
      edit(api.DiscardLearningDocument, { id }).then(({ discardLearning }) => discardLearning),
    ])
    const kinds = results.map(({ __typename }) => __typename.replace(/^.*Payload$/, 'Payload'))
    expect(kinds.toSorted()).toEqual(['ConflictRefusal', 'ConflictRefusal', 'Payload'])
    expect(results.find(({ __typename }) => __typename === 'ConflictRefusal')).toMatchObject({
      problem: expect.stringContaining('decided by alice already'),
    })
    expect(await auditOf(id)).toHaveLength(1)
  })

  test('is decided once, by an admin or by the curator in the commit of a turn: one fact, never two', async () => {
    for (let round = 0; round < 20; round++) {
      const { id: sessionId, learningId } = await seed('QUEUED')
      const begun = must(await it.world.begin(sessionId), 'a turn')
      const content = `Round ${round} was curated.`
      const curation = promotion(learningId, content)
      const lease = { sessionId, node: 1, epoch: 1 }
      const { database } = it.world.context
      const [{ promoteLearning }] = await Promise.all([
        edit(api.PromoteLearningDocument, { id: learningId }),
        commitTurn(database, { lease, turn: begun.turn }, { events: [], curations: [curation] }),
      ])
      const facts = await database.prisma.fact.findMany({ where: { sessionId, source: { in: ['CURATOR', 'MANUAL'] } } })
      const learning = await database.prisma.learning.findUniqueOrThrow({ where: { id: learningId } })
      // One is the fact that the session was seeded with.
      expect(facts).toHaveLength(2)
      expect(facts.map(({ id }) => id)).toContain(learning.factId)
      const isAdmins = promoteLearning.__typename === 'PromoteLearningPayload'
      expect(learning.decidedBy).toBe(isAdmins ? 'alice' : 'curator')
      expect(await auditOf(learningId)).toHaveLength(1)
    }
  })

  test('that a fact in use says already is not promoted, and stays pending', async () => {
    const { id, learningId } = await seed()
    const factId = await create(`the disk of ${id} is full`)
    const { promoteLearning } = await edit(api.PromoteLearningDocument, { id: learningId })
    const problem = expect.stringContaining(await named(factId))
    expect(promoteLearning).toMatchObject({ __typename: 'ConflictRefusal', problem })
    const pending = { filter: { status: ['PENDING' as const], sessionId: id } }
    expect((await edit(api.LearningsDocument, pending)).learnings.edges).toHaveLength(1)
  })
})

describe('a pinned fact', () => {
  test('is pinned and unpinned once, audited, as it was otherwise; not when it is out of use', async () => {
    const id = await create(`${newId('fact')} is pinned`)
    const pin = async (pinned: boolean) => (await edit(api.SetFactPinnedDocument, { id, pinned })).setFactPinned
    const said = (pinned: boolean) => ({ __typename: 'SetFactPinnedPayload', fact: { id, version: 1, pinned } })
    for (const pinned of [true, true, false, false]) expect(await pin(pinned)).toMatchObject(said(pinned))
    expect(await auditOf(id)).toMatchObject([{ change: 'CREATED' }, { change: 'PINNED' }, { change: 'UNPINNED' }])
    await edit(api.InvalidateFactDocument, { id })
    expect(await pin(true)).toMatchObject({ __typename: 'ConflictRefusal', reason: 'INVALIDATED' })
    const none = await edit(api.SetFactPinnedDocument, { id: 'fact_none', pinned: true })
    expect(none.setFactPinned.__typename).toBe('NotFoundRefusal')
  })

  test('is replaced by no curator that has judged before, in a turn’s commit or a job’s', async () => {
    const { database } = it.world.context
    for (const isJob of [false, true]) {
      const { id: sessionId, learningId } = await seed('QUEUED')
      const begun = must(await it.world.begin(sessionId), 'a turn')
      const factId = await create(`the disk of ${sessionId} is old`)
      await database.prisma.learning.update({ where: { id: learningId }, data: { held: false } })
      const curation = { ...promotion(learningId, `${sessionId} has a new disk`), replaces: { factId, version: 1 } }
      await edit(api.SetFactPinnedDocument, { id: factId, pinned: true })
      const decide = async (): Promise<unknown> =>
        isJob
          ? storeCuration(database, sessionId, curation)
          : commitTurn(
              database,
              { lease: { sessionId, node: 1, epoch: 1 }, turn: begun.turn },
              { events: [], curations: [curation] },
            )
      const both = () =>
        it.world.sql(
          'SELECT invalidated_at IS NULL AS live, status::text FROM facts f, learnings l WHERE f.id = $1 AND l.id = $2',
          factId,
          learningId,
        )
      await decide()
      expect(await both()).toEqual([{ live: true, status: 'PENDING' }])
      await edit(api.SetFactPinnedDocument, { id: factId, pinned: false })
      if (isJob) await decide()
      expect(await both()).toEqual([{ live: !isJob, status: isJob ? 'PROMOTED' : 'PENDING' }])
    }
  })

  test('is in no proposal that is accepted', async () => {
    const ids = [await create(`${newId('fact')} is one`), await create(`${newId('fact')} is two`)]
    const { prisma } = it.world.context.database
    const id = newId('proposal')
    const steps = [{ operation: 'MERGE', content: `${newId('fact')} is both`, reason: null }]
    await prisma.proposal.create({ data: { id, steps, createdAt: new Date() } })
    for (const factId of ids)
      await prisma.proposalSource.create({ data: { proposalId: id, step: 0, factId, version: 1, content: 'x' } })
    const accept = async () => (await edit(api.AcceptProposalDocument, { id })).acceptProposal
    const pin = (pinned: boolean) => edit(api.SetFactPinnedDocument, { id: ids[1] ?? '', pinned })
    await pin(true)
    expect(await accept()).toMatchObject({ __typename: 'ConflictRefusal', reason: 'NOT_ALLOWED' })
    await pin(false)
    // As who made them has reviewed them.
    expect(await accept()).toMatchObject({ __typename: 'ConflictRefusal', reason: 'NOT_ALLOWED' })
    await it.world.sql('UPDATE facts SET reviewed_at = NULL WHERE id = ANY ($1)', ids)
    expect(await accept()).toMatchObject({ __typename: 'AcceptProposalPayload' })
  })
})

describe('a question', () => {
  test('is opened in all sessions or one, once, and resolved once, with an answer or without', async () => {
    const { id: sessionId } = await seed()
    const content = 'Who owns the billing service?'
    const everywhere = await edit(api.CreateQuestionDocument, { content })
    const here = await edit(api.CreateQuestionDocument, { content, sessionId })
    if (everywhere.createQuestion.__typename !== 'CreateQuestionPayload') throw new Error(JSON.stringify(everywhere))
    if (here.createQuestion.__typename !== 'CreateQuestionPayload') throw new Error(JSON.stringify(here))
    const again = await edit(api.CreateQuestionDocument, { content: 'who owns the billing service', sessionId })
    const { id } = here.createQuestion.question
    expect(again.createQuestion).toMatchObject({ __typename: 'ConflictRefusal', problem: expect.stringContaining(id) })

    const { resolveQuestion } = await edit(api.ResolveQuestionDocument, { id, answer: ' Ben does. ' })
    expect(resolveQuestion).toMatchObject({
      question: { status: 'RESOLVED', answer: 'Ben does.', resolvedBy: { name: 'alice' } },
    })
    const twice = await edit(api.ResolveQuestionDocument, { id, answer: 'Cleo does.' })
    expect(twice.resolveQuestion).toMatchObject({ __typename: 'ConflictRefusal' })
    const where = { session_id: sessionId }
    expect(await auditOf(id)).toEqual([audited('OPEN', where), audited('RESOLVED', where)])
    // What was resolved may be asked again.
    const asked = await edit(api.CreateQuestionDocument, { content, sessionId })
    expect(asked.createQuestion.__typename).toBe('CreateQuestionPayload')
    const unanswered = await edit(api.ResolveQuestionDocument, { id: everywhere.createQuestion.question.id })
    expect(unanswered.resolveQuestion).toMatchObject({ question: { status: 'RESOLVED', answer: null } })
  })
})

describe('texts', () => {
  const refused: [string, string, RegExp][] = [
    ['empty', '', /blank/],
    ['white space alone', ' \n\t\u3000\u200b ', /blank/],
    ['stops alone', ' ... ', /blank/],
    ['longer than 2000 characters', 'x'.repeat(2001), /at most 2000 characters long, not 2001/],
    ['with NUL', 'a\0b', /NUL/],
    ['with half a character', 'a\ud800b', /Unicode/],
  ]
  test.each(refused)('%s: refused everywhere', async (_what, text, message) => {
    const { factId: id, learningId, questionId } = await seed()
    const results = [
      (await edit(api.CreateFactDocument, { content: text })).createFact,
      (await edit(api.EditFactDocument, { id, content: text, version: 1 })).editFact,
      (await edit(api.MergeFactsDocument, { ids: [id, newId('fact')], content: text })).mergeFacts,
      (await edit(api.InvalidateFactDocument, { id, reason: text })).invalidateFact,
      (await edit(api.PromoteLearningDocument, { id: learningId, content: text })).promoteLearning,
      (await edit(api.AskLearningDocument, { id: learningId, question: text })).askLearning,
      (await edit(api.DiscardLearningDocument, { id: learningId, reason: text })).discardLearning,
      (await edit(api.CreateQuestionDocument, { content: text })).createQuestion,
      (await edit(api.ResolveQuestionDocument, { id: questionId, answer: text })).resolveQuestion,
    ]
    for (const result of results) {
      expect(result).toMatchObject({ code: 'INVALID_INPUT', issues: [{ problem: expect.stringMatching(message) }] })
    }
  })

  test('any other text is kept as it is, but for the white space around it, and found again', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).map((rest) => `W${rest}`)
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        fc.pre(!content.includes('\0'))
        const { createFact } = await edit(api.CreateFactDocument, { content })
        if (createFact.__typename === 'ConflictRefusal') return
        const id = idOf(createFact)
        expect((await factOf(id)).content).toBe(content.trim())
        const found = await edit(api.FactsDocument, { first: 100, filter: { search: content } })
        expect(found.facts.edges.map(({ node }) => node.id)).toContain(id)
      }),
      { numRuns: rounds(20, 60) },
    )
  })

  test('hold no secret that the server knows, nor does the audit', async () => {
    const id = await create(`The password of staging is ${SECRET}.`)
    await edit(api.InvalidateFactDocument, { id, reason: `${SECRET} was changed.` })
    const hidden = { content: 'The password of staging is [REDACTED].' }
    expect(await factOf(id)).toMatchObject({ ...hidden, history: [hidden, { reason: '[REDACTED] was changed.' }] })
    expect(JSON.stringify(await auditOf(id))).not.toContain(SECRET)
    expect(await it.world.sql('SELECT 1 FROM facts WHERE norm LIKE $1', `%${SECRET}%`)).toEqual([])
  })

  test('2000 characters are not too long', async () => {
    const content = '字'.repeat(2000)
    expect(await factOf(await create(content))).toMatchObject({ content })
  })
})

describe('what is not there', () => {
  const nul = 'fact_\0'
  test.each([newId('fact'), newId('learning'), nul, 'cli:nobody', ''])('%j is NOT_FOUND for every edit', async (id) => {
    const results = [
      (await edit(api.EditFactDocument, { id, content: 'x', version: 1 })).editFact,
      (await edit(api.MergeFactsDocument, { ids: [id, newId('fact')], content: 'x' })).mergeFacts,
      (await edit(api.InvalidateFactDocument, { id })).invalidateFact,
      (await edit(api.RestoreFactDocument, { id })).restoreFact,
      (await edit(api.PromoteLearningDocument, { id })).promoteLearning,
      (await edit(api.AskLearningDocument, { id, question: 'x' })).askLearning,
      (await edit(api.DiscardLearningDocument, { id })).discardLearning,
      (await edit(api.ResolveQuestionDocument, { id })).resolveQuestion,
      (await edit(api.CreateFactDocument, { content: 'x', sessionId: id })).createFact,
      (await edit(api.CreateQuestionDocument, { content: 'x', sessionId: id })).createQuestion,
    ]
    for (const result of results) expect(result).toMatchObject({ __typename: 'NotFoundRefusal', missingId: id })
  })
})
