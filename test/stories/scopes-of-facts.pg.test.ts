/**
 * Whom facts are shown: what one user teaches stays that user's until an admin widens it; no user is shown a fact
 * outside its scope, in prompts, lists, by id, or in what a turn used; and users may say that one is wrong.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { ApiClient } from '../harness/api-client.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { runAsAdmin } from '../harness/database.ts'
import { converse, send, Story, turnEnd, watchAll, type Person } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_INTROSPECTION, GOOD_PLAN, GOOD_REVIEW, shownLabels } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

let stub: StubEndpoint
let story: Story
beforeAll(async () => {
  const by = (call: StubCall): StubAnswer => {
    if (call.role === 'curator' && /^L1: .*the island/m.test(call.user)) return askAboutAll(call)
    if (call.role === 'introspector') {
      const noticed = /in short: (.*)/.exec(call.user)?.[1]
      return { content: { ...GOOD_INTROSPECTION, learnings: noticed === undefined ? [] : [noticed] } }
    }
    if (call.role === 'planner' && call.user.includes('the lighthouse?'))
      return { content: { ...GOOD_PLAN, tasks: ASKED } }
    // Relies on all that it is shown.
    if (call.role === 'planner') return { content: { ...GOOD_PLAN, facts: shownLabels(call.user, 'F') } }
    if (call.role !== 'reviewer') return answerWell(call)
    return { content: { ...GOOD_REVIEW, learn: /note: (.*)/.exec(call.user)?.[1] ?? null } }
  }
  stub = await StubEndpoint.start({ by })
  const toml = `${stubProvider(stub)}\n[curation]\nadmin = "auto"\nuser = "auto"\n${DORA}${approvalRules('effect = "require"\ncommand = "printf"')}`
  story = await Story.begin({ config: { toml } })
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await stub.close()
})

/** The command waits for an approval. */
const ASKED = GOOD_PLAN.tasks.map((task) => (task.type === 'exec' ? { ...task, detail: 'printf hi' } : task))

/** Another admin. */
const DORA =
  '[users.dora]\nrole = "admin"\n[tokens.dora]\nkind = "user"\nuser = "dora"\ntoken = "dora-token-0123456789"\n'
type AnyPerson = Person | 'dora'
const as = (person: AnyPerson): ApiClient =>
  person === 'dora' ? new ApiClient(story.app.url, 'dora-token-0123456789') : story.as(person)

/** A curator that tells all that it is shown of the island. */
function askAboutAll({ user }: StubCall): StubAnswer {
  const known = [...user.matchAll(/^F\d+: (.*the island.*)$/gm)].map(([, text]) => text).join(' ')
  const ask = {
    verdict: 'ask',
    fact: null,
    known: null,
    question: `Which berth is it? ${known}`,
    reason: `Known: ${known}`,
  }
  return { content: { evaluations: [{ learningId: 'L1', ...ask }] } }
}

async function factsOf(person: Person, filter: api.FactFilter = {}) {
  const { facts } = await story.as(person).run(api.FactScopesDocument, { filter })
  return facts.edges.map(({ node }) => node)
}

/** What the planner is shown when this person asks for berths. */
async function shownTo(person: AnyPerson, sessionId: string): Promise<string> {
  stub.calls.length = 0
  await converse(as(person), sessionId, 'Which berth is for the ferry?')
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

test('what a session with others delegates is not shown what is one user’s either: its answer is read there', async () => {
  const ada = story.as('ada')
  await state('The ferry of ada has berth three.', { scope: 'USER', of: 'ada' })
  await ada.run(api.OpenSessionDocument, { input: { id: 'cli:shared', participants: ['ada', 'cleo'] } })
  const shownToChildOf = async (sessionId: string): Promise<string> => {
    stub.calls.length = 0
    await converse(ada, sessionId, '/delegate Which berth is for the ferry?')
    return must(
      stub.calls.find(({ role }) => role === 'planner'),
      'a planner of the child',
    ).user
  }
  expect(await shownToChildOf('cli:shared')).not.toContain('berth three')
  expect(await shownToChildOf('cli:not-shared')).toContain('berth three')
})

test('in a session with others, the curator is not shown what is one user’s, so nobody reads it in what it asks', async () => {
  const ada = story.as('ada')
  const kept = 'The ferry of ben to the island has berth eleven.'
  await state(kept, { scope: 'USER', of: 'ben' })
  await ada.run(api.OpenSessionDocument, { input: { id: 'cli:pier' } })
  for (const user of ['ben', 'cleo']) await ada.run(api.AddParticipantDocument, { sessionId: 'cli:pier', user })
  stub.calls.length = 0
  await converse(story.as('ben'), 'cli:pier', 'note: The ferry of ben to the island has berth twelve.')
  const prompt = must(
    stub.calls.find(({ role }) => role === 'curator'),
    'a curator',
  ).user
  expect(prompt).toContain('berth twelve')
  expect(prompt).not.toContain('berth eleven')
  const { session } = await story.as('cleo').run(api.QuestionsOfSessionDocument, { id: 'cli:pier' })
  expect(session?.questions.map(({ content }) => content)).toEqual(['Which berth is it?'])

  await converse(story.as('ben'), '@ben:pier', 'note: The ferry of ben to the island has berth thirteen.')
  const alone = await story.as('ben').run(api.QuestionsOfSessionDocument, { id: '@ben:pier' })
  expect(alone.session?.questions.map(({ content }) => content)).toEqual([`Which berth is it? ${kept}`])
})

test('what was taken back of one user’s stands in no other one’s way, and is not told of', async () => {
  const taught = 'The ferry of the strait has berth ten.'
  await converse(story.as('cleo'), '@cleo:strait', `note: ${taught}`)
  const [fact] = await factsOf('cleo', { search: 'strait' })
  await story.as('ada').run(api.InvalidateFactDocument, { id: must(fact, 'a fact').id, reason: 'It never was.' })
  const learned = async (person: 'ben' | 'cleo') => {
    await converse(story.as(person), `@${person}:strait`, `note: ${taught.toUpperCase()}`)
    const { learnings } = await story
      .as('ada')
      .run(api.LearningsDocument, { filter: { sessionId: `@${person}:strait` } })
    return learnings.edges[0]?.node
  }
  expect(await learned('ben')).toMatchObject({ status: 'PROMOTED', flags: [], reason: 'It was verified.' })
  expect(await learned('cleo')).toMatchObject({
    flags: ['REJECTED'],
    reason: expect.stringMatching(/^ada took it back/),
  })
})

test('what was a deleted session’s alone is no other one’s under the same id, until an admin widens it', async () => {
  const ada = story.as('ada')
  const own = { scope: 'SESSION', of: 'cli:slip' } as const
  await ada.run(api.OpenSessionDocument, { input: { id: 'cli:slip' } })
  const kept = 'The ferry of the slip has berth fifteen.'
  const id = await state(kept, own)
  await converse(ada, 'cli:slip', 'note: The ferry of the ramp has berth sixteen.')
  const [taught] = await factsOf('ada', { search: 'berth sixteen' })
  const narrowed = { ids: [must(taught, 'a fact').id], scope: own }
  await ada.run(api.SetFactScopesDocument, narrowed)
  const { setFactScopes } = await ada.run(api.SetFactScopesDocument, { ...narrowed, scope: { scope: 'GLOBAL' } })
  expect(await shownTo('ada', 'cli:slip')).toContain(kept)

  const { deleteSession } = await ada.run(api.DeleteSessionDocument, { id: 'cli:slip' })
  expect(deleteSession.__typename).toBe('DeleteSessionPayload')
  await ada.run(api.OpenSessionDocument, { input: { id: 'cli:slip' } })
  await ada.run(api.AddParticipantDocument, { sessionId: 'cli:slip', user: 'cleo' })
  expect(await shownTo('cleo', 'cli:slip')).not.toContain(kept)
  expect(await factsOf('cleo', { search: 'berth fifteen' })).toEqual([])
  expect(await factsOf('ada', { search: 'berth fifteen' })).toMatchObject([{ id, scope: 'SESSION', scopeOf: null }])
  // Nor is what an undo brings back.
  const set = setFactScopes.__typename === 'SetFactScopesPayload' ? setFactScopes.results[0]?.result : null
  const changeId = set?.__typename === 'SetFactScopePayload' ? set.fact.changeId : null
  const { undoChange } = await ada.run(api.UndoChangeDocument, { changeId: changeId ?? '' })
  expect(undoChange.__typename).toBe('UndoChangePayload')
  expect(await shownTo('cleo', 'cli:slip')).not.toContain('berth sixteen')
  await ada.run(api.SetFactScopesDocument, { ids: [id], scope: { scope: 'GLOBAL' } })
  expect(await shownTo('cleo', 'cli:slip')).toContain(kept)
})

test('what a turn used is shown to those alone who are shown the facts', async () => {
  const turn = await converse(story.as('cleo'), '@cleo:used', 'Which berth is for the ferry?')
  const seen = async (person: Person) => {
    const { turn: of } = await story.as(person).run(api.FactsUsedDocument, { id: turn.id })
    const { factsShown, factsUsed } = must(of, 'the turn')
    return { shown: factsShown.map(({ content }) => content), used: factsUsed.map(({ content }) => content) }
  }
  const kept = 'The ferry of cleo has berth one.'
  const all = { shown: expect.arrayContaining([kept]), used: expect.arrayContaining([kept]) }
  expect(await seen('cleo')).toEqual(all)
  await story.as('ada').run(api.AddParticipantDocument, { sessionId: '@cleo:used', user: 'ben' })
  const { shown, used } = await seen('ben')
  expect(shown).not.toContain(kept)
  expect(used).not.toContain(kept)
  expect(await seen('ada')).toEqual(all)
})

test('what role USER taught is not shown to plans of admins before a person has reviewed it', async () => {
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  await ada.run(api.OpenSessionDocument, { input: { id: 'cli:yard' } })
  await ada.run(api.AddParticipantDocument, { sessionId: 'cli:yard', user: 'ben' })
  const taught = 'The ferry of the yard has berth fourteen.'
  await converse(ben, 'cli:yard', `It is, in short: ${taught}`)
  await converse(ada, 'cli:yard', 'So it is.')
  // Of several, and so the session's; from its facts on, no person has said anything of it.
  await ada.run(api.CheckpointSessionDocument, { sessionId: 'cli:yard' })
  const facts = () => factsOf('ada', { search: 'berth fourteen' })
  await expect.poll(facts, { interval: 100 }).toMatchObject([{ scope: 'SESSION', scopeOf: 'cli:yard' }])
  const known = /^F\d+: The ferry of the yard has berth fourteen\.$/m
  expect(await shownTo('ben', 'cli:yard')).toMatch(known)
  expect(await shownTo('ada', 'cli:yard')).not.toMatch(known)
  const [fact] = await facts()
  await ada.run(api.ReviewFactDocument, { id: must(fact, 'a fact').id, version: 1 })
  expect(await shownTo('ada', 'cli:yard')).toMatch(known)
})

test('what another admin taught is not either; what it is in the end is what a person reviewed or made', async () => {
  const [ada, dora] = [as('ada'), as('dora')]
  const [taught, both] = ['The ferry of the lock has berth seventeen.', 'The ferry of the weir has berth eighteen.']
  await converse(dora, 'cli:lock', `note: ${taught}`)
  expect(await factsOf('ada', { search: 'berth seventeen' })).toMatchObject([{ scope: 'GLOBAL' }])
  expect(await shownTo('dora', 'cli:later')).toContain(taught)
  expect(await shownTo('ada', 'cli:ada')).not.toContain(taught)
  // Nor is it a fact there, and users go by it as before.
  expect(await shownTo('ada', 'cli:lock')).not.toMatch(/^F\d+: .*berth seventeen/m)
  expect(await shownTo('cleo', '@cleo:lock')).toContain(taught)
  const [fact] = await factsOf('ada', { search: 'berth seventeen' })
  await ada.run(api.ReviewFactDocument, { id: must(fact, 'a fact').id, version: 1 })
  expect(await shownTo('ada', 'cli:ada')).toContain(taught)

  // What is learned of the turns of both is the word of neither alone.
  await converse(dora, 'cli:weir', `It is, in short: ${both}`)
  await converse(ada, 'cli:weir', 'So it is.')
  await ada.run(api.CheckpointSessionDocument, { sessionId: 'cli:weir' })
  await expect
    .poll(() => factsOf('ada', { search: 'berth eighteen' }), { interval: 100 })
    .toMatchObject([{ scope: 'GLOBAL' }])
  const known = /^F\d+: The ferry of the weir has berth eighteen\.$/m
  expect(await shownTo('cleo', '@cleo:weir')).toMatch(known)
  for (const admin of ['ada', 'dora'] as const) expect(await shownTo(admin, `cli:${admin}`)).not.toMatch(known)
  const made = await state('The ferry of the sluice has berth nineteen.')
  expect(await shownTo('dora', 'cli:dora')).toContain('berth nineteen')
  expect(made).toMatch(/^fact_/)
})

test('scopes of so many facts are set at once, and of no more', async () => {
  const scope = { scope: 'GLOBAL' } as const
  const ids = Array.from({ length: 201 }, (_, n) => `fact_${n}`)
  const set = async (some: string[]) =>
    (await story.as('ada').run(api.SetFactScopesDocument, { ids: some, scope })).setFactScopes
  expect(await set(ids)).toMatchObject({ __typename: 'InvalidInputRefusal' })
  expect(await set([])).toMatchObject({ __typename: 'InvalidInputRefusal' })
  const most = await set(ids.slice(1))
  const results = Array.from({ length: 200 }, () => ({ result: { __typename: 'NotFoundRefusal' } }))
  expect(most).toMatchObject({ __typename: 'SetFactScopesPayload', results })
})

test('a turn that goes on is not shown what was narrowed while it waited', async () => {
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  const content = 'The ferry to the lighthouse has berth eleven.'
  const id = await state(content)
  stub.calls.length = 0
  await send(ben, '@ben:lighthouse', 'Which berth has the ferry to the lighthouse?')
  await using watch = watchAll(ben, '@ben:lighthouse')
  const [approval] = await untilAsked(watch)
  expect(stub.calls.find(({ role }) => role === 'planner')?.user).toContain(content)
  await ada.run(api.SetFactScopesDocument, { ids: [id], scope: { scope: 'USER', of: 'cleo' } })
  await decide(ada, { id: must(approval, 'an approval').id, approve: true })
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(stub.calls.filter(({ role, user }) => role === 'messenger' && user.includes(content))).toEqual([])
  expect(stub.calls.some(({ role }) => role === 'messenger')).toBe(true)
})

test('a user says that a fact is wrong; admins are asked, and no others', async () => {
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  const id = await state('The ferry to the north has berth three.')
  const hidden = await state('The ferry to the south has berth four.', { scope: 'USER', of: 'cleo' })
  expect((await ben.run(api.DisputeFactDocument, { id: hidden, reason: 'No.' })).disputeFact.__typename).toBe(
    'NotFoundRefusal',
  )
  const reason = 'It moved to berth five.'
  expect((await ben.run(api.DisputeFactDocument, { id, reason })).disputeFact).toMatchObject({
    fact: { id, disputedAt: expect.any(String) },
  })
  expect((await ben.run(api.DisputeFactDocument, { id, reason })).disputeFact).toMatchObject({ reason: 'SAME_EXISTS' })
  expect(await shownTo('cleo', '@cleo:harbour')).not.toContain(reason)
  // All who are shown it see that it is disputed; another fact is not.
  const north = { search: 'to the north' }
  for (const person of ['ada', 'ben', 'cleo'] as const)
    expect(await factsOf(person, north)).toMatchObject([{ disputedAt: expect.any(String) }])
  expect(await factsOf('ada', { search: 'to the south' })).toMatchObject([{ disputedAt: null }])

  const { questions } = await ada.run(api.QuestionsDocument, { filter: { status: ['OPEN'] } })
  const question = must(questions.edges[0]?.node, 'a question')
  expect(question).toMatchObject({ source: 'DISPUTE', content: `ben says that this is wrong: ${reason}` })
  // There is no session to learn the answer in.
  const answered = await ada.run(api.ResolveQuestionDocument, { id: question.id, answer: 'It has berth five.' })
  expect(answered.resolveQuestion).toMatchObject({ __typename: 'InvalidInputRefusal' })
  const settled = { id: question.id, outcome: 'NEITHER', text: 'The ferry to the north has berth five.' } as const
  await ada.run(api.ResolveQuestionDocument, settled)
  expect(await factsOf('ben', { search: 'to the north' })).toMatchObject([
    { content: settled.text, scope: 'GLOBAL', disputedAt: null },
  ])
})

test('a dispute that an admin has settled, since the fact holds, marks it no more; admins who watch are given both', async () => {
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  const id = await state('The ferry to the west has berth nine.')
  const marked = ({ factUpdates: { fact } }: api.FactDisputesSubscription) =>
    fact?.id === id && fact.disputedAt !== null
  const unmarked = ({ factUpdates: { fact } }: api.FactDisputesSubscription) =>
    fact?.id === id && fact.disputedAt === null
  const watch = ada.watch(api.FactDisputesDocument, {})
  await watch.until(({ factUpdates }) => factUpdates.readList)
  await ben.run(api.DisputeFactDocument, { id, reason: 'It moved to berth ten.' })
  await watch.until(marked)
  const { questions } = await ada.run(api.QuestionsDocument, { filter: { status: ['OPEN'] } })
  const question = must(questions.edges[0]?.node, 'a question')
  await ada.run(api.ResolveQuestionDocument, { id: question.id, outcome: 'FACTS' })
  await watch.until(unmarked)
  expect(await factsOf('ben', { search: 'to the west' })).toMatchObject([{ disputedAt: null }])
})

test('a dispute about one user’s fact that went out of use meanwhile makes no fact for everybody', async () => {
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  const own = { scope: 'USER', of: 'ben' } as const
  const disputed = async (pier: string) => {
    const id = await state(`The ferry to the ${pier} pier has berth thirty.`, own)
    await ben.run(api.DisputeFactDocument, { id, reason: `It left the ${pier} pier.` })
    const { questions } = await ada.run(api.QuestionsDocument, { filter: { status: ['OPEN'] } })
    return { id, question: must(questions.edges[0]?.node, 'a question').id }
  }
  const [east, west] = [await disputed('east'), await disputed('west')]
  await ada.run(api.InvalidateFactDocument, { id: east.id, reason: 'It is gone.' })
  const other = await state('The ferry to the west pier sails at six.', own)
  const merged = { ids: [west.id, other], content: 'The ferry to the west pier has berth thirty and sails at six.' }
  expect((await ada.run(api.MergeFactsDocument, merged)).mergeFacts.__typename).toBe('MergeFactsPayload')
  for (const { question } of [east, west]) {
    const settled = { id: question, outcome: 'NEITHER', text: `The ferry of ben has a berth, by ${question}.` } as const
    const refused = await ada.run(api.ResolveQuestionDocument, settled)
    expect.soft(refused.resolveQuestion).toMatchObject({ __typename: 'ConflictRefusal', reason: 'INVALIDATED' })
  }
  expect(await factsOf('cleo', { search: 'the ferry of ben has a berth' })).toEqual([])
  expect(await shownTo('cleo', '@cleo:piers')).not.toContain('The ferry of ben has a berth')
  for (const { question: id } of [east, west]) {
    const { resolveQuestion } = await ada.run(api.ResolveQuestionDocument, { id, outcome: 'NEITHER' })
    expect(resolveQuestion).toMatchObject({ question: { status: 'RESOLVED' } })
  }
})

test('an answer to a dispute that a learning was asked about, too, is learned in its session', async () => {
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  const id = await state('The ferry to the lighthouse has berth eleven.')
  await ben.run(api.DisputeFactDocument, { id, reason: 'It moved to berth twelve.' })
  const { questions } = await ada.run(api.QuestionsDocument, { filter: { status: ['OPEN'] } })
  const question = must(questions.edges[0]?.node, 'a question')
  await ada.run(api.OpenSessionDocument, { input: { id: 'cli:lighthouse' } })
  await runAsAdmin(
    story.databaseUrl,
    `INSERT INTO learnings (id, session_id, content, norm, status, question_id, decided_by, decided_at, created_at)
     VALUES ('learn_lighthouse', 'cli:lighthouse', 'It has berth twelve.', 'it has berth twelve', 'ASKED',
       '${question.id}', 'curator', now(), now())`,
  )
  const answer = 'Berth twelve, since the spring tide.'
  const { resolveQuestion } = await ada.run(api.ResolveQuestionDocument, { id: question.id, answer })
  expect(resolveQuestion).toMatchObject({ question: { status: 'RESOLVED' } })
  const { learnings } = await ada.run(api.LearningsDocument, { filter: { sessionId: 'cli:lighthouse' } })
  expect(learnings.edges.map(({ node }) => node.content)).toContain(`${question.content} ${answer}`)
})
