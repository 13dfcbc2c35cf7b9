/** A learning that would replace a fact comes beside it only where an admin says so. */
import { expect, test, vi } from 'vitest'
import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { holdAsReplacing } from '../harness/hold-as-replacing.ts'
import { PATIENCE } from '../harness/patience.ts'
import { converse, Story } from '../harness/story.ts'

const [OLD, NOW] = ['The kettle is on shelf 1.', 'It moved up to the second one.']

test('promoting what would replace a fact says what becomes of that, also after an undo', async () => {
  await using story = await Story.begin()
  const ada = story.as('ada')
  const { createFact } = await ada.run(api.CreateFactDocument, { content: OLD })
  const factId = createFact.__typename === 'CreateFactPayload' ? must(createFact.fact, 'a fact').id : ''
  await converse(story.as('ben'), '@ben:kettle', `run: echo noted\nlearn: ${NOW}`)
  const learning = async () => {
    const { learnings } = await ada.run(api.LearningsDocument, {})
    return must(learnings.edges.find(({ node }) => node.content === NOW)?.node, 'the learning')
  }
  const { id } = await vi.waitFor(learning, PATIENCE)
  await holdAsReplacing(story.databaseUrl, { content: NOW, factId })
  const decide = async (decision: { factId?: string; keepBoth?: boolean }) => {
    const decisions = [{ id, verdict: 'PROMOTE' as const, ...decision }]
    const { decideLearnings } = await ada.run(api.DecideLearningsDocument, { decisions })
    return decideLearnings
  }
  const inUse = async () => {
    const { facts } = await ada.run(api.FactsDocument, {})
    return facts.edges.map(({ node }) => node.content).toSorted()
  }
  const refused = { __typename: 'InvalidInputRefusal' }

  const { promoteLearning } = await ada.run(api.PromoteLearningDocument, { id })
  expect(promoteLearning).toMatchObject({ ...refused, problem: expect.stringContaining(factId) })
  expect(await decide({})).toMatchObject({ results: [{ result: refused }] })
  expect(await decide({ factId, keepBoth: true })).toMatchObject({ results: [{ result: refused }] })
  expect(await learning()).toMatchObject({ status: 'PENDING' })
  expect(await inUse()).toEqual([OLD])

  const promoted = { results: [{ result: { learning: { status: 'PROMOTED' } } }] }
  expect(await decide({ keepBoth: true })).toMatchObject(promoted)
  expect(await inUse()).toEqual([NOW, OLD])

  const { facts } = await ada.run(api.FactsDocument, { filter: { search: 'second' } })
  const { node } = await ada.run(api.FactOverTimeDocument, { id: must(facts.edges[0], 'the new fact').node.id })
  const changeId = node !== null && 'changeId' in node ? must(node.changeId, 'its change') : ''
  await ada.run(api.UndoChangeDocument, { changeId })
  expect(await decide({})).toMatchObject({ results: [{ result: refused }] })
  expect(await decide({ factId })).toMatchObject(promoted)
  expect(await inUse()).toEqual([NOW])
})
