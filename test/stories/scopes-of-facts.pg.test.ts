/**
 * Whom facts are shown: what one user teaches stays that user's until an admin widens it; no user is shown a fact
 * outside its scope, in prompts, lists, by id, or in what a turn used; and users may say that one is wrong.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { converse, Story, type Person } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_REVIEW } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

let stub: StubEndpoint
let story: Story
beforeAll(async () => {
  const by = (call: StubCall): StubAnswer => {
    if (call.role !== 'reviewer') return answerWell(call)
    return { content: { ...GOOD_REVIEW, learn: /note: (.*)/.exec(call.user)?.[1] ?? null } }
  }
  stub = await StubEndpoint.start({ by })
  const toml = `${stubProvider(stub)}\n[curation]\nadmin = "auto"\nuser = "auto"\n`
  story = await Story.begin({ config: { toml } })
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await stub.close()
})

async function factsOf(person: Person, filter: api.FactFilter = {}) {
  const { facts } = await story.as(person).run(api.FactScopesDocument, { filter })
  return facts.edges.map(({ node }) => node)
}

/** What the planner is shown when this person asks for berths. */
async function shownTo(person: Person, sessionId: string): Promise<string> {
  stub.calls.length = 0
  await converse(story.as(person), sessionId, 'Which berth is for the ferry?')
  return must(
    stub.calls.find(({ role }) => role === 'planner'),
    'a planner',
  ).user
}

async function state(content: string, scope?: api.FactScopeInput): Promise<string> {
  const { createFact } = await story.as('ada').run(api.StateFactDocument, { input: { content, scope } })
  if (createFact.__typename !== 'CreateFactPayload') throw new Error(JSON.stringify(createFact))
  return createFact.fact.id
}

test('what a user teaches is that user’s alone, until an admin widens it in one go, which can be undone', async () => {
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  const taught = 'The ferry has berth seven.'
  await converse(ben, '@ben:harbour', `note: ${taught}`)
  const [fact] = await factsOf('ada', { search: 'berth seven' })
  expect(fact).toMatchObject({ content: taught, scope: 'USER', scopeOf: 'ben' })
  const { id } = must(fact, 'a fact')

  expect(await shownTo('ben', '@ben:later')).toContain(taught)
  expect(await shownTo('ada', 'cli:ada')).not.toContain(taught)
  expect(await shownTo('cleo', '@cleo:harbour')).not.toContain(taught)
  expect(await factsOf('ben')).toMatchObject([{ id }])
  expect(await factsOf('cleo')).toEqual([])
  expect((await story.as('cleo').run(api.FactDocument, { id })).node).toBeNull()
  expect((await ben.run(api.FactDocument, { id })).node).toMatchObject({ content: taught, history: [] })

  // Another user's own twin is another fact, and does not tell of the first.
  await converse(story.as('cleo'), '@cleo:harbour', `note: ${taught}`)
  expect(await factsOf('cleo')).toMatchObject([{ content: taught, scope: 'USER', scopeOf: 'cleo' }])

  const { setFactScopes } = await ada.run(api.SetFactScopesDocument, {
    ids: [id, 'fact_none'],
    scope: { scope: 'GLOBAL' },
  })
  expect(setFactScopes).toMatchObject({
    results: [
      { factId: id, result: { fact: { id, scope: 'GLOBAL', scopeOf: null } } },
      { factId: 'fact_none', result: { __typename: 'NotFoundRefusal' } },
    ],
  })
  expect(await shownTo('ada', 'cli:ada')).toContain(taught)
  const again = await ada.run(api.SetFactScopesDocument, { ids: [id], scope: { scope: 'GLOBAL' } })
  expect(again.setFactScopes).toMatchObject({ results: [{ result: { reason: 'NOTHING_TO_DO' } }] })
  const result = setFactScopes.__typename === 'SetFactScopesPayload' ? setFactScopes.results[0]?.result : undefined
  const changeId = result?.__typename === 'SetFactScopePayload' ? result.fact.changeId : null
  await ada.run(api.UndoChangeDocument, { changeId: changeId ?? '' })
  expect(await factsOf('ada', { scope: ['USER'], scopeOf: 'ben' })).toMatchObject([{ id }])
  expect(await shownTo('ada', 'cli:ada')).not.toContain(taught)
})

test('a project’s facts are shown in its sessions, by a label that the user did not write', async () => {
  const ada = story.as('ada')
  const fact = 'The ferry of the quay project has berth nine.'
  const open = { externalId: 'quay', metadata: { project: 'quay' } }
  await ada.run(api.OpenSessionDocument, { input: { id: 'cli:quay', metadata: open.metadata } })
  await converse(ada, 'cli:quay', `note: ${fact}`)
  expect(await factsOf('ada', { scope: ['PROJECT'] })).toMatchObject([{ content: fact, scopeOf: 'quay' }])
  expect(await shownTo('ada', 'cli:quay')).toContain(fact)
  expect(await shownTo('ada', 'cli:other')).not.toContain(fact)

  await story.as('ben').run(api.OpenSessionDocument, { input: { id: '@ben:quay', metadata: open.metadata } })
  expect(await shownTo('ben', '@ben:quay')).not.toContain(fact)
  // Nor may his word show it to an admin there, whose answer he reads.
  expect(await shownTo('ada', '@ben:quay')).not.toContain(fact)
  expect((await factsOf('ben')).map(({ content }) => content)).not.toContain(fact)
  await ada.run(api.AddParticipantDocument, { sessionId: 'cli:quay', user: 'ben' })
  expect(await shownTo('ben', 'cli:quay')).toContain(fact)
  expect((await factsOf('ben')).map(({ content }) => content)).toContain(fact)
})

test('in a session with others, nothing is shown that is one user’s; what is the session’s is', async () => {
  const ada = story.as('ada')
  await state('The ferry of cleo has berth one.', { scope: 'USER', of: 'cleo' })
  await state('The ferry of the pier has berth two.', { scope: 'SESSION', of: 'cli:quay' })
  await ada.run(api.AddParticipantDocument, { sessionId: 'cli:quay', user: 'cleo' })
  const prompt = await shownTo('cleo', 'cli:quay')
  expect(prompt).not.toContain('berth one')
  expect(prompt).toContain('berth two')
  expect(await shownTo('cleo', '@cleo:alone')).toContain('berth one')
  expect(await shownTo('cleo', '@cleo:alone')).not.toContain('berth two')

  const nobody = await ada.run(api.StateFactDocument, {
    input: { content: 'x y', scope: { scope: 'USER', of: 'eve' } },
  })
  expect(nobody.createFact.__typename).toBe('NotFoundRefusal')
  const unnamed = await ada.run(api.StateFactDocument, { input: { content: 'x y', scope: { scope: 'PROJECT' } } })
  expect(unnamed.createFact.__typename).toBe('InvalidInputRefusal')
})

test('what a turn used is shown to those alone who are shown the facts', async () => {
  const turn = await converse(story.as('cleo'), '@cleo:used', 'Which berth is for the ferry?')
  const used = async (person: Person) => {
    const { turn: seen } = await story.as(person).run(api.FactsUsedDocument, { id: turn.id })
    return seen?.factsShown.map(({ content }) => content) ?? []
  }
  expect(await used('cleo')).toContain('The ferry of cleo has berth one.')
  await story.as('ada').run(api.AddParticipantDocument, { sessionId: '@cleo:used', user: 'ben' })
  expect(await used('ben')).not.toContain('The ferry of cleo has berth one.')
  expect(await used('ada')).toContain('The ferry of cleo has berth one.')
})

test('a user says that a fact is wrong; admins are asked, and no others', async () => {
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  const id = await state('The ferry to the north has berth three.')
  const hidden = await state('The ferry to the south has berth four.', { scope: 'USER', of: 'cleo' })
  expect((await ben.run(api.DisputeFactDocument, { id: hidden, reason: 'No.' })).disputeFact.__typename).toBe(
    'NotFoundRefusal',
  )
  const reason = 'It moved to berth five.'
  expect((await ben.run(api.DisputeFactDocument, { id, reason })).disputeFact).toMatchObject({ fact: { id } })
  expect((await ben.run(api.DisputeFactDocument, { id, reason })).disputeFact).toMatchObject({ reason: 'SAME_EXISTS' })
  expect(await shownTo('cleo', '@cleo:harbour')).not.toContain(reason)

  const { questions } = await ada.run(api.QuestionsDocument, { filter: { status: ['OPEN'] } })
  const question = must(questions.edges[0]?.node, 'a question')
  expect(question).toMatchObject({ source: 'DISPUTE', content: `ben says that this is wrong: ${reason}` })
  const settled = { id: question.id, outcome: 'NEITHER', text: 'The ferry to the north has berth five.' } as const
  await ada.run(api.ResolveQuestionDocument, settled)
  expect(await factsOf('ben', { search: 'to the north' })).toMatchObject([{ content: settled.text, scope: 'GLOBAL' }])
})
