/**
 * What the rehearsal model can do without any provider, as README.md and --help explain it: the whole product, played.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addExampleSkill } from '../harness/skills.ts'
import { converse, Story, type Conversation } from '../harness/story.ts'
import * as api from '../generated/graphql.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
  addExampleSkill(story.path(), 'text-stats')
})
afterAll(() => story[Symbol.asyncDispose]())

let sessions = 0
/** Says one thing after another in a session of its own. */
async function say(...messages: string[]): Promise<Conversation[]> {
  const sessionId = `cli:rehearsal-${++sessions}`
  const turns: Conversation[] = []
  for (const message of messages) turns.push(await converse(story.as('ada'), sessionId, message))
  return turns
}
const answersOf = (turns: readonly Conversation[]): string[] => turns.map(({ answers }) => answers.join('\n'))

describe('the rehearsal model', () => {
  test('learns a fact, and knows it in another session', async () => {
    const [learned] = await say('learn: The project Heron builds with make.\nrun: echo hi')
    expect(learned).toMatchObject({ status: 'DONE' })
    const [known] = answersOf(await say('The project Heron\nfacts?'))
    expect(known).toContain('I know:\n\n- The project Heron builds with make.')
  })

  test('says which facts a plan and an answer rely on; one that was wrong shows them', async () => {
    const ada = story.as('ada')
    const state = async (content: string): Promise<string> => {
      const { createFact } = await ada.run(api.StateFactDocument, { input: { content } })
      if (createFact.__typename !== 'CreateFactPayload') throw new Error(JSON.stringify(createFact))
      return createFact.fact.id
    }
    const port = await state('The project Grebe listens on port 7070.')
    const host = await state('The project Grebe runs on host marsh.')
    const factsOf = async (id: string) => {
      const { turn } = await ada.run(api.FactsUsedDocument, { id })
      const ofGrebe = (facts: readonly { readonly content: string }[] = []): string[] =>
        facts
          .map(({ content }) => content)
          .filter((content) => content.includes('Grebe'))
          .toSorted()
      return { shown: ofGrebe(turn?.factsShown), used: ofGrebe(turn?.factsUsed) }
    }
    const both = ['The project Grebe listens on port 7070.', 'The project Grebe runs on host marsh.']

    // Shown alone; by the messenger, with a label that there is none of; by the plan; by a conversation.
    const [mere] = await say('Tell me of the project Grebe.')
    const [written] = await say('Tell me of the project Grebe.\nuses: 7070\nuses: F9 F9')
    const [planned] = await say('The project Grebe\nfacts?\nuses: 7070')
    await ada.run(api.OpenSessionDocument, { input: { id: 'cli:grebe', mode: 'CHAT' } })
    const chatted = await converse(ada, 'cli:grebe', 'Tell me of the project Grebe.\nuses: marsh')
    expect(await factsOf(mere?.id ?? '')).toEqual({ shown: both, used: [] })
    expect(await factsOf(written?.id ?? '')).toEqual({ shown: both, used: both.slice(0, 1) })
    expect(await factsOf(planned?.id ?? '')).toEqual({ shown: both, used: both })
    expect(await factsOf(chatted.id)).toEqual({ shown: both, used: both.slice(1) })
    expect(JSON.stringify([written, planned, chatted])).not.toContain('FACTS')

    // What turns out to be wrong names all that was answered with it, and to others what they may see of that.
    await ada.run(api.InvalidateFactDocument, { id: port, reason: 'It is 7171.' })
    const useOf = async (id: string) => {
      const { node } = await ada.run(api.FactUseDocument, { id })
      if (node?.__typename !== 'Fact') throw new Error('no fact')
      return { count: node.useCount, turns: node.usedBy.edges.map(({ node: turn }) => turn.id) }
    }
    expect(await useOf(port)).toEqual({ count: 2, turns: [planned?.id, written?.id] })
    expect(await useOf(host)).toEqual({ count: 2, turns: [chatted.id, planned?.id] })
  })

  test('facts that no person has reviewed are gone through in the order of their use', async () => {
    const ada = story.as('ada')
    await say(...['reeds', 'mud', 'wood', 'straw'].map((of) => `learn: The nest of Dipper is made of ${of}.`))
    await say('The nest of Dipper\nuses: mud', 'The nest of Dipper\nuses: mud', 'The nest of Dipper\nuses: straw')
    const open = { search: 'nest of Dipper', reviewed: false }
    const list = async (filter: api.FactFilter, page: { first?: number; after?: string | null } = {}) => {
      const { facts } = await ada.run(api.FactsToReviewDocument, { filter, ...page })
      return { ...facts, nodes: facts.edges.map(({ node }) => node) }
    }
    const contentsOf = (nodes: readonly { readonly content: string }[]): string[] =>
      nodes.map(({ content }) => content.replace(/^.* of (\w+)\.$/, '$1'))

    // Page by page; of those that are used alike the newest first.
    const [first, rest] = [await list(open, { first: 2 }), await list(open)]
    expect(contentsOf(first.nodes)).toEqual(['mud', 'straw'])
    const after = first.pageInfo.endCursor
    expect(contentsOf((await list(open, { first: 2, after })).nodes)).toEqual(['wood', 'reeds'])
    expect(rest.nodes.map(({ useCount }) => useCount)).toEqual([2, 1, 0, 0])
    expect(rest.totalCount).toBe(4)
    const [mud, straw, wood, reeds] = rest.nodes
    if (mud === undefined || straw === undefined || wood === undefined || reeds === undefined) throw new Error('four')

    // Reviewed, once; rewritten; of a version that is another by now it means nothing.
    const review = async (id: string, version: number) =>
      (await ada.run(api.ReviewFactDocument, { id, version })).reviewFact
    const ours = { reviewedBy: { name: 'ada' } }
    expect(await review(mud.id, 1)).toMatchObject({ fact: { id: mud.id, version: 1, ...ours } })
    expect(await review(mud.id, 1)).toMatchObject({ fact: ours })
    expect(await review(mud.id, 2)).toMatchObject({ __typename: 'ConflictRefusal', reason: 'STALE_VERSION' })
    await ada.run(api.EditFactDocument, { id: straw.id, content: 'The nest of Dipper is made of hay.', version: 1 })
    await ada.run(api.InvalidateFactDocument, { id: reeds.id })
    expect(await review(reeds.id, 2)).toMatchObject({ __typename: 'ConflictRefusal', reason: 'INVALIDATED' })
    expect(contentsOf((await list(open)).nodes)).toEqual(['wood'])
    const done = await list({ ...open, reviewed: true })
    expect(contentsOf(done.nodes)).toEqual(['mud', 'hay'])
    expect(done.nodes).toMatchObject([ours, ours])
    // What an undo brings back no person has reviewed.
    const { node } = await ada.run(api.FactOverTimeDocument, { id: straw.id })
    const changeId = (node as { changeId: string | null }).changeId ?? ''
    expect((await ada.run(api.UndoChangeDocument, { changeId })).undoChange.__typename).toBe('UndoChangePayload')
    expect(contentsOf((await list(open)).nodes)).toEqual(['straw', 'wood'])

    // One restored was reviewed; users are not told who did, nor of turns of others.
    await ada.run(api.RestoreFactDocument, { id: reeds.id })
    expect(contentsOf((await list({ ...open, reviewed: true })).nodes)).toEqual(['mud', 'reeds'])
    const { facts } = await story
      .as('ben')
      .run(api.FactsToReviewDocument, { filter: { search: 'Dipper', reviewed: true } })
    expect(facts.edges.map(({ node: { reviewedBy, useCount } }) => [reviewedBy, useCount])).toEqual([
      [null, 0],
      [null, 0],
    ])
  })

  test('a fact and what it was learned from are found by their short numbers; its versions differ by words', async () => {
    const ada = story.as('ada')
    await say('learn: The reed of Grebe is cut in May.')
    const { learnings } = await ada.run(api.LearningsDocument, { filter: { search: 'reed of grebe' } })
    const id = learnings.edges[0]?.node.id ?? ''
    const { learnings: all } = await ada.run(api.LearningsDocument, { first: 50 })
    // The newest has the highest, and they have no gap here.
    const number = all.edges.length
    const found = await ada.run(api.LearningOfNumberDocument, { number, search: `#${number}` })
    expect(found.learning).toMatchObject({ id, number, fact: { number: expect.any(Number) } })
    expect(found.learnings.edges).toEqual([{ node: { id, number } }])
    const fact = found.learning?.fact
    if (fact == null) throw new Error('it became a fact')
    const ofFact = { number: fact.number, search: `#${fact.number}` }
    expect((await ada.run(api.LearningOfNumberDocument, ofFact)).facts.edges).toEqual([
      { node: { number: fact.number } },
    ])

    await ada.run(api.EditFactDocument, { id: fact.id, content: 'The reed of Grebe is cut in late June.', version: 1 })
    const versions = { number: fact.number, from: 1, to: 2 }
    const { fact: shown } = await ada.run(api.FactOfNumberDocument, versions)
    expect(shown?.id).toBe(fact.id)
    expect(shown?.diff).toEqual([
      { kind: 'SAME', text: 'The reed of Grebe is cut in ' },
      { kind: 'REMOVED', text: 'May' },
      { kind: 'ADDED', text: 'late June' },
      { kind: 'SAME', text: '.' },
    ])
    expect((await ada.run(api.FactOfNumberDocument, { ...versions, to: 3 })).fact?.diff).toBeNull()
    // Users are shown the fact, not what it said before, and no learning of a session that is not theirs.
    const ben = await story.as('ben').run(api.FactOfNumberDocument, versions)
    expect(ben.fact).toEqual({ id: fact.id, number: fact.number, diff: null })
    expect((await story.as('ben').run(api.FactOfNumberDocument, { ...versions, number: 999_999 })).fact).toBeNull()
    await ada.run(api.InvalidateFactDocument, { id: fact.id })
    expect((await story.as('ben').run(api.FactOfNumberDocument, versions)).fact).toBeNull()
  })

  test('forgets what begins with "maybe"', async () => {
    const [, second] = answersOf(
      await say('learn: Maybe the project Egret builds with cmake.', 'The project Egret\nfacts?'),
    )
    expect(second).not.toContain('cmake')
  })

  test('makes a question of what ends with "?", raises it, and takes the answer', async () => {
    const [, asked, answered, after] = answersOf(
      await say(
        'learn: Which of the servers of Heron is for tests?',
        'Hello',
        'answer: heron-2 is for tests',
        'Hello again',
      ),
    )
    expect(asked).toContain('There is an open question: Which of the servers of Heron is for tests?')
    expect(answered).toContain('Thank you for the answer to: Which of the servers of Heron is for tests?')
    expect(after).not.toContain('open question')
  })

  test('calls a skill, and says why it cannot call another', async () => {
    const [called, refused] = await say('skill: text-stats {"text": "one two three"}', 'skill: ghost')
    expect(called).toMatchObject({ status: 'DONE', tasks: [{ type: 'SKILL', status: 'DONE' }, { type: 'MSG' }] })
    expect(refused).toMatchObject({ status: 'DONE', tasks: [{ type: 'MSG' }] })
    expect(refused?.answers[0]).toContain('names the skill "ghost"')
    expect(refused?.answers[0]).toContain('text-stats')
  })

  test('keeps a secret by its name, and tells its value to nobody', async () => {
    const turns = await say('secret: HERON_KEY=xylophone-4711', 'run: echo xylophone-4711')
    expect(turns[0]?.answers[0]).toContain('I keep for now, until this session has been idle for a while: HERON_KEY.')
    expect(JSON.stringify(turns)).not.toContain('4711')
    expect(turns[1]?.status).toBe('DONE')
  })
})
