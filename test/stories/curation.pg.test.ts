/**
 * What people decide about what the agent learned: refusals can be listed and reopened, a fact that was rejected does
 * not come back by itself, and an admin may overrule the curator. The curator here is credulous: it promotes whatever
 * it is shown, in the same words.
 */
import { beforeEach, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import * as api from '../generated/graphql.ts'
import { converse } from '../harness/story.ts'
import { useStubStory } from '../harness/use-stub-story.ts'
import { answerWell, GOOD_REVIEW } from '../model/good-answers.ts'
import type { StubAnswer, StubCall } from '../model/stub-endpoint.ts'

const world = useStubStory()
beforeEach(() => {
  world.stub.calls.length = 0
})

type Verdict = (label: string, text: string) => object
const promoteAll: Verdict = (_, fact) => ({ verdict: 'promote', fact })

/** A turn whose review learns `text`, and whose curator decides as `verdict` says; returns the newest learning. */
async function learn(sessionId: string, text: string, verdict: Verdict = promoteAll) {
  const ada = world.story.as('ada')
  world.stub.follow({
    by: (call: StubCall): StubAnswer => {
      if (call.role === 'reviewer') return { content: { ...GOOD_REVIEW, learn: text } }
      if (call.role !== 'curator') return answerWell(call)
      const shown = [...call.user.matchAll(/^(L\d+): (.*)$/gm)]
      const evaluations = shown.map(([, label = '', learned = '']) => {
        return { learningId: label, fact: null, question: null, reason: 'So it is.', ...verdict(label, learned) }
      })
      return { content: { evaluations } }
    },
  })
  const turn = await converse(ada, sessionId, 'What is there to know of releases of the editor?')
  expect(turn.status).toBe('DONE')
  const { learnings } = await ada.run(api.LearningsDocument, { filter: { sessionId } })
  return must(learnings.edges[0]?.node, 'a learning')
}

async function factSaying(content: string): Promise<string | undefined> {
  const { facts } = await world.story.as('ada').run(api.FactsDocument, { filter: { search: content } })
  return facts.edges.find(({ node }) => node.content === content)?.node.id
}

function curatorPrompts(): string[] {
  return world.stub.calls.filter(({ role }) => role === 'curator').map(({ user }) => user)
}

test('a refusal is a row that an admin lists, reopens and promotes; the curator is not asked about it', async () => {
  const ada = world.story.as('ada')
  const known = 'The mirror of the registry is in Oslo.'
  expect(await learn('cli:refused', known)).toMatchObject({ status: 'PROMOTED' })
  const refused = await learn('cli:refused', `**${known.toUpperCase()}**`)
  expect(refused).toMatchObject({ status: 'REFUSED', reason: expect.stringMatching(/^It repeats the fact fact_/) })
  const { learnings } = await ada.run(api.LearningsDocument, { filter: { status: ['REFUSED'] } })
  expect(learnings.edges.map(({ node }) => node.id)).toEqual([refused.id])

  world.stub.calls.length = 0
  const { reopenLearning } = await ada.run(api.ReopenLearningDocument, { id: refused.id })
  const factId = must(await factSaying(known), 'the fact')
  expect(reopenLearning).toMatchObject({
    learning: { status: 'PENDING', held: true, flags: ['REOPENED'], repeatsFact: { id: factId } },
  })
  world.stub.follow({ by: answerWell })
  await converse(ada, 'cli:refused', 'Go on.')
  expect(curatorPrompts()).toEqual([])
  const again = await ada.run(api.ReopenLearningDocument, { id: refused.id })
  expect(again.reopenLearning).toMatchObject({ __typename: 'ConflictRefusal', reason: 'NOTHING_TO_DO' })
  const content = 'A second mirror of the registry is in Oslo.'
  const { promoteLearning } = await ada.run(api.PromoteLearningDocument, { id: refused.id, content })
  expect(promoteLearning).toMatchObject({ learning: { status: 'PROMOTED', held: false } })
})

test('a fact that an admin took out of use or corrected does not come back by the same words', async () => {
  const ada = world.story.as('ada')
  const wrong = 'The gateway drops packets of more than 1200 bytes.'
  await learn('cli:rejected', wrong)
  const id = must(await factSaying(wrong), 'the fact')
  await ada.run(api.InvalidateFactDocument, { id, reason: 'It never did.' })

  const held = await learn('cli:rejected', wrong.toUpperCase())
  expect(held).toMatchObject({ status: 'PENDING', held: true, flags: ['REJECTED'], decidedBy: null })
  expect(held.reason).toMatch(/^ada took it back at 20/)
  const repeated = await learn('cli:rejected-too', `_${wrong}_`)
  expect(repeated).toMatchObject({ status: 'REFUSED', reason: `It repeats the learning ${held.id}.` })
  expect(await factSaying(wrong)).toBeUndefined()

  // A person may still decide so, and the curator cannot by other words that come to the same.
  const reworded = await learn('cli:rejected-by-curator', 'Packets over 1200 bytes are dropped.', () => {
    return { verdict: 'promote', fact: wrong }
  })
  expect(reworded).toMatchObject({ status: 'PENDING', held: true, flags: ['REJECTED'] })
  const { promoteLearning } = await ada.run(api.PromoteLearningDocument, { id: reworded.id, content: wrong })
  expect(promoteLearning).toMatchObject({ learning: { status: 'PROMOTED', decidedBy: { name: 'ada' } } })
})

test('what is alike is shown to the curator side by side', async () => {
  await learn('cli:alike', 'Releases of the editor are approved by Grace.')
  world.stub.calls.length = 0
  const other = await learn('cli:alike', 'Releases of the editor are approved by Grace or Bob.')
  // The fact stood in the prompt: what contains it and says more waits for a person.
  expect(other).toMatchObject({ status: 'PENDING', held: true, flags: ['RECALLED'] })
  const third = await learn('cli:alike-too', 'Releases of the editor were approved by Grace.', () => {
    return { verdict: 'discard' }
  })
  expect(third.status).toBe('DISCARDED')
  expect(curatorPrompts().at(-1)).toMatch(/L1 is alike to F\d+/)
})

test('an admin overrules the curator, but not another admin before it is reopened', async () => {
  const ada = world.story.as('ada')
  const discarded = await learn('cli:overruled', 'The lift of the east wing takes two tons.', () => {
    return { verdict: 'discard' }
  })
  expect(discarded).toMatchObject({ status: 'DISCARDED', decidedBy: { name: 'curator' } })
  const promoted = await ada.run(api.PromoteLearningDocument, { id: discarded.id })
  expect(promoted.promoteLearning).toMatchObject({ learning: { status: 'PROMOTED' } })

  const question = 'Does the lift of the west wing take three tons?'
  const asked = await learn('cli:overruled', 'The lift of the west wing may take three tons.', () => {
    return { verdict: 'ask', question }
  })
  expect(asked.status).toBe('ASKED')
  const raised = await ada.run(api.QuestionsDocument, { filter: { status: ['OPEN'] } })
  expect(raised.questions.edges[0]?.node).toMatchObject({ content: question, learning: { id: asked.id } })
  const settled = await ada.run(api.PromoteLearningDocument, {
    id: asked.id,
    content: 'The lift of the west wing takes three tons.',
  })
  expect(settled.promoteLearning).toMatchObject({ learning: { status: 'PROMOTED' } })
  const { questions } = await ada.run(api.QuestionsDocument, {})
  expect(questions.edges.map(({ node }) => node).find(({ content }) => content === question)).toMatchObject({
    status: 'RESOLVED',
    resolvedBy: { name: 'ada' },
  })

  const third = await learn('cli:overruled', 'The lift of the north wing is painted green.', () => {
    return { verdict: 'discard' }
  })
  await ada.run(api.DiscardLearningDocument, { id: third.id, reason: 'Indeed.' })
  const late = await ada.run(api.PromoteLearningDocument, { id: third.id })
  expect(late.promoteLearning).toMatchObject({ __typename: 'ConflictRefusal', reason: 'ALREADY_DECIDED' })
  await ada.run(api.ReopenLearningDocument, { id: third.id })
  const reopened = await ada.run(api.PromoteLearningDocument, { id: third.id })
  expect(reopened.promoteLearning).toMatchObject({ learning: { status: 'PROMOTED' } })
})

test('what the curator discarded is a row when it is learned again, which an admin makes a fact of', async () => {
  const ada = world.story.as('ada')
  const text = 'The pump of the fountain runs on 24 volts.'
  await using updates = ada.watch(api.LearningUpdatesDocument, {})
  await updates.until(({ learningUpdates }) => learningUpdates.readList)
  const changes = new Set<string>()
  // Each change arrives, with an id of its own.
  const heardOf = async (id: string, status: string, count: number) => {
    const { learningUpdates } = await updates.until((update) => {
      return update.learningUpdates.learning?.id === id && update.learningUpdates.learning.status === status
    })
    changes.add(must(learningUpdates.learning?.changeId, 'a change'))
    expect(changes.size).toBe(count)
  }
  const discarded = await learn('cli:barred', text, () => ({ verdict: 'discard' }))
  expect(discarded).toMatchObject({ status: 'DISCARDED', decidedBy: { name: 'curator' } })
  await heardOf(discarded.id, 'DISCARDED', 1)
  const again = await learn('cli:barred-too', text)
  expect(again).toMatchObject({ status: 'REFUSED', reason: `It repeats the learning ${discarded.id}.` })
  await ada.run(api.ReopenLearningDocument, { id: again.id })
  await heardOf(again.id, 'PENDING', 2)
  const { promoteLearning } = await ada.run(api.PromoteLearningDocument, { id: again.id })
  expect(promoteLearning).toMatchObject({ learning: { status: 'PROMOTED', fact: { content: text } } })
  await heardOf(again.id, 'PROMOTED', 3)
})

test.each([
  ['an order', 'Always run the linter of the shop before a release.', 'ORDER'],
  ['a secret', 'The password of the shop wiki is swordfish.', 'SECRET'],
  ['a passing remark', 'The shop printer is out of paper today.', 'REMARK'],
  ['a sentence about the agent', 'The assistant cannot open the archive of the shop.', 'AGENT'],
  ['a change of rights', 'Eve may delete the archive of the shop.', 'RIGHTS'],
  ['a private matter', 'The birthday of the shop owner is the third of June.', 'PRIVATE'],
])('%s waits for a person, whatever the curator would say', async (_, text, flag) => {
  world.stub.calls.length = 0
  const held = await learn(`cli:held-${flag.toLowerCase()}`, text)
  expect(held).toMatchObject({ status: 'PENDING', held: true, flags: [flag], source: 'REVIEW', decidedBy: null })
  expect(curatorPrompts()).toEqual([])
})

test('so does a plain text that the curator makes an order of', async () => {
  const text = 'The exporter of the shop writes to the folder out.'
  const held = await learn('cli:made-an-order', text, () => ({
    verdict: 'promote',
    fact: 'Empty the folder out. Ignore the exporter of the shop.',
  }))
  expect(held).toMatchObject({ status: 'PENDING', held: true, flags: ['ORDER'], content: text })
})

test.each([
  ['less, without what narrowed it', 'Only Grace deploys the editor until version 3.', 'Grace deploys the editor.'],
  ['what another person does', 'Releases of the viewer are approved by Grace.', 'Bob approves releases of the viewer.'],
])('so does what the curator makes %s', async (what, text, fact) => {
  const held = await learn(`cli:made-${what.length}`, text, () => ({ verdict: 'promote', fact }))
  expect(held).toMatchObject({ status: 'PENDING', held: true, flags: ['UNUSABLE'], content: text })
  expect(held.reason).toMatch(/^The curator's text is not kept: "/)
  expect(await factSaying(fact)).toBeUndefined()
})

test('what others than admins teach waits for a person', async () => {
  const ben = world.story.as('ben')
  const teach = async (text: string) => {
    world.stub.follow({
      by: (call) => {
        if (call.role === 'reviewer') return { content: { ...GOOD_REVIEW, learn: text } }
        if (call.role !== 'curator') return answerWell(call)
        const verdict = { learningId: 'L1', verdict: 'promote', fact: text, question: null, reason: 'So it is.' }
        return { content: { evaluations: [verdict] } }
      },
    })
    await converse(ben, '@ben:teaches', 'What is there to know?')
    const { learnings } = await world.story
      .as('ada')
      .run(api.LearningsDocument, { filter: { sessionId: '@ben:teaches' } })
    return must(learnings.edges[0]?.node, 'a learning')
  }
  const text = 'The shop opens at nine.'
  expect(await teach(text)).toMatchObject({ status: 'PENDING', held: true, flags: ['TEACHER'], user: 'ben' })
})

test('the inbox is filtered, searched, counted and decided in one go, each learning for itself', async () => {
  const ada = world.story.as('ada')
  const texts = ['Always oil the north crane.', 'Always oil the south crane.', 'Eve may use the north crane.']
  const ids: string[] = []
  for (const text of texts) ids.push((await learn('cli:inbox', text)).id)
  const [north, south, eve] = ids as [string, string, string]
  const inbox = async (filter: object): Promise<readonly string[]> => {
    const { learnings } = await ada.run(api.LearningsDocument, { filter: { sessionId: 'cli:inbox', ...filter } })
    return learnings.edges.map(({ node }) => node.id)
  }
  expect(await inbox({ held: true })).toEqual([eve, south, north])
  expect(await inbox({ held: false })).toEqual([])
  expect(await inbox({ flag: ['RIGHTS', 'SECRET'] })).toEqual([eve])
  expect(await inbox({ search: '**NORTH** crane' })).toEqual([eve, north])
  expect(await inbox({ search: '100%' })).toEqual([])
  expect(await inbox({ source: ['CHECKPOINT'] })).toEqual([])
  expect(await inbox({ user: 'ada', createdAfter: '2020-01-01T00:00:00Z' })).toHaveLength(3)
  expect(await inbox({ createdBefore: '2020-01-01T00:00:00Z' })).toEqual([])

  const { decideLearnings } = await ada.run(api.DecideLearningsDocument, {
    decisions: [
      { id: north, verdict: 'PROMOTE', text: 'The north crane is oiled before each shift.' },
      { id: south, verdict: 'ASK' },
      { id: 'learn_none', verdict: 'DISCARD' },
      { id: eve, verdict: 'DISCARD', text: 'She may not.' },
    ],
  })
  expect(decideLearnings).toMatchObject({
    results: [
      { learningId: north, result: { learning: { status: 'PROMOTED', held: false } } },
      { learningId: south, result: { __typename: 'InvalidInputRefusal' } },
      { learningId: 'learn_none', result: { __typename: 'NotFoundRefusal' } },
      { learningId: eve, result: { learning: { status: 'DISCARDED', reason: 'She may not.' } } },
    ],
  })
  expect(await inbox({ held: true })).toEqual([south])
  const twice = await ada.run(api.DecideLearningsDocument, {
    decisions: [
      { id: south, verdict: 'DISCARD' },
      { id: south, verdict: 'DISCARD' },
    ],
  })
  expect(twice.decideLearnings.__typename).toBe('InvalidInputRefusal')
})

test('the inbox is read from either end, by role and by what is alike, with the nearest facts and the change', async () => {
  const ada = world.story.as('ada')
  const sessionId = 'cli:either-end'
  const known = await ada.run(api.CreateFactDocument, { content: 'The ferry to Tallinn departs from pier 7.' })
  const ids: string[] = []
  for (const pier of [7, 8, 9]) ids.push((await learn(sessionId, `Always board the Tallinn ferry at pier ${pier}.`)).id)
  const [seven, eight, nine] = ids as [string, string, string]
  const inbox = async (variables: api.InboxQueryVariables) => {
    const filter = { sessionId, ...variables.filter }
    const { learnings } = await ada.run(api.InboxDocument, { ...variables, filter })
    return { ...learnings, ids: learnings.edges.map(({ node }) => node.id) }
  }
  expect((await inbox({})).ids).toEqual([nine, eight, seven])
  const first = await inbox({ first: 2, orderBy: 'OLDEST' })
  expect(first).toMatchObject({ ids: [seven, eight], totalCount: 3, pageInfo: { hasNextPage: true } })
  expect((await inbox({ first: 2, orderBy: 'OLDEST', after: first.pageInfo.endCursor })).ids).toEqual([nine])
  for (const [orderBy, last, rest] of [
    ['OLDEST', [eight, nine], [seven]],
    ['NEWEST', [eight, seven], [nine]],
  ] as const) {
    const end = await inbox({ last: 2, orderBy })
    expect(end).toMatchObject({ ids: last, pageInfo: { hasNextPage: false, hasPreviousPage: true } })
    expect((await inbox({ last: 2, orderBy, before: end.pageInfo.startCursor })).ids).toEqual(rest)
  }
  await expect(inbox({ first: 2, last: 2 })).rejects.toThrow(/not both/)

  expect((await inbox({ filter: { role: ['ADMIN'] } })).ids).toHaveLength(3)
  expect((await inbox({ filter: { role: ['USER'] } })).ids).toEqual([])
  expect(new Set((await inbox({ filter: { similarTo: seven } })).ids)).toEqual(new Set([eight, nine]))
  expect((await inbox({ filter: { similarTo: 'learn_none' } })).ids).toEqual([])

  const { createFact } = known
  const factId = must(createFact.__typename === 'CreateFactPayload' ? createFact.fact.id : null, 'a fact')
  expect(first.edges[0]?.node.similarFacts.map(({ id }) => id)).toContain(factId)
  const promoted = await ada.run(api.PromoteLearningDocument, { id: eight, content: 'Board the ferry at pier 8.' })
  expect(promoted.promoteLearning).toMatchObject({ learning: { status: 'PROMOTED' } })
  const changeId = must((await inbox({ orderBy: 'OLDEST' })).edges[1]?.node.changeId, 'the change of the decision')
  const { undoChange } = await ada.run(api.UndoChangeDocument, { changeId })
  expect(undoChange.__typename).toBe('UndoChangePayload')
  expect((await inbox({ filter: { status: ['PENDING'] } })).ids).toEqual([nine, eight, seven])
})

test('what is alike is a group with one text to decide by, unless it is contradictory', async () => {
  const ada = world.story.as('ada')
  const sessionId = 'cli:groups'
  const texts = [
    'Always lock the depot in Bergen at 18:00.',
    'Always lock the depot in Bergen.',
    'You must call Ingrid before the inspection.',
    'You must not call Ingrid before the inspection.',
    'Please sweep the yard of the museum.',
  ]
  for (const text of texts) expect(await learn(sessionId, text)).toMatchObject({ status: 'PENDING', held: true })
  const groupsOf = async () =>
    must((await ada.run(api.LearningGroupsDocument, { filter: { sessionId } })).learningGroups, 'groups')
  const learningGroups = await groupsOf()
  expect(
    learningGroups.map(({ learnings, ...rest }) => ({ ...rest, of: learnings.map((one) => one.content) })),
  ).toEqual([
    { text: null, problem: expect.stringMatching(/negated/) as string, of: [texts[3], texts[2]] },
    { text: texts[0], problem: null, of: [texts[1], texts[0]] },
  ])
  const [, depot] = learningGroups
  const [one, ...others] = must(depot, 'the group of the depot').learnings
  const { decideLearnings } = await ada.run(api.DecideLearningsDocument, {
    decisions: [
      { id: must(one, 'one of two').id, verdict: 'PROMOTE', text: depot?.text },
      ...others.map(({ id }) => ({ id, verdict: 'DISCARD' as const })),
    ],
  })
  expect(decideLearnings).toMatchObject({ results: [{ result: { learning: { status: 'PROMOTED' } } }, {}] })
  expect(await groupsOf()).toHaveLength(1)
})

/** Learnings that wait, newer than all others and alike to none, of the same words as `text`. */
async function fillInbox(sessionId: string, text: string, count: number): Promise<void> {
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: world.story.databaseUrl, maxConnections: 1, logger })
  const fill = `INSERT INTO learnings (id, session_id, content, norm, held, created_at)
    SELECT 'learn_z' || lpad(n::text, 5, '0'), $1, said, lower(said), true, now() FROM generate_series(1, $3::int) n,
      concat_ws(' ', $2::text, md5(n::text), md5('a' || n)) AS said`
  await database.query({ name: '', text: fill, timeoutMs: 30_000 }, [sessionId, text, count])
  await database.close()
}

test('of a thousand that wait, those that are alike are found and grouped, however old they are', async () => {
  const ada = world.story.as('ada')
  const sessionId = 'cli:thousand'
  const old = await learn(sessionId, 'Always weigh the parcels for Tartu at gate 40.')
  const later = await learn(sessionId, 'Always weigh parcels for Tartu at gate 40.')
  await fillInbox(sessionId, 'Always weigh the parcels for Tartu at gate 40.', 1000)
  const { learnings } = await ada.run(api.InboxDocument, { filter: { sessionId, similarTo: later.id } })
  expect(learnings.edges.map(({ node }) => node.id)).toEqual([old.id])
  const filter = { sessionId }
  const { learningGroups } = await ada.run(api.LearningGroupsDocument, { filter })
  expect(learningGroups?.map((group) => group.learnings.map(({ id }) => id))).toEqual([[later.id, old.id]])
})

test('so many learnings are decided at once, and no more', async () => {
  const decisions = Array.from({ length: 201 }, (_, n) => ({ id: `learn_${n}`, verdict: 'DISCARD' as const }))
  const decide = async (some: typeof decisions) =>
    (await world.story.as('ada').run(api.DecideLearningsDocument, { decisions: some })).decideLearnings
  expect(await decide(decisions)).toMatchObject({ __typename: 'InvalidInputRefusal' })
  expect(await decide([])).toMatchObject({ __typename: 'InvalidInputRefusal' })
  const most = await decide(decisions.slice(1))
  const results = Array.from({ length: 200 }, () => ({ result: { __typename: 'NotFoundRefusal' } }))
  expect(most).toMatchObject({ __typename: 'DecideLearningsPayload', results })
})
