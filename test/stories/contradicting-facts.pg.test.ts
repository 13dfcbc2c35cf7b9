/** A learning that would replace a fact comes beside it only where an admin says so. */
import { expect, test, vi } from 'vitest'
import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { holdAsReplacing } from '../harness/hold-as-replacing.ts'
import { PATIENCE } from '../harness/patience.ts'
import { select } from '../harness/plugins.ts'
import { converse, Story } from '../harness/story.ts'

const [OLD, NOW] = ['The kettle is on shelf 1.', 'It moved up to the second one.']
const OTHER = 'Cups are on the rack below.'
const REFUSED = { __typename: 'InvalidInputRefusal' }
const PROMOTED = { learning: { status: 'PROMOTED' } }

/** Ben's learning waits for ada, as one that would replace the fact `factId`. */
async function kettleThatMoved(story: Story) {
  const ada = story.as('ada')
  const factId = await factSaying(story, OLD)
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
    return must('results' in decideLearnings ? decideLearnings.results[0] : undefined, 'a result').result
  }
  const inUse = async () => {
    const { facts } = await ada.run(api.FactsDocument, {})
    return facts.edges.map(({ node }) => node.content).toSorted()
  }
  const undo = async () => {
    const { facts } = await ada.run(api.FactsDocument, { filter: { search: 'second' } })
    const { node } = await ada.run(api.FactOverTimeDocument, { id: must(facts.edges[0], 'the new fact').node.id })
    const changeId = node !== null && 'changeId' in node ? must(node.changeId, 'its change') : ''
    await ada.run(api.UndoChangeDocument, { changeId })
  }
  return { ada, id, factId, learning, decide, inUse, undo }
}

async function factSaying(story: Story, content: string): Promise<string> {
  const { createFact } = await story.as('ada').run(api.CreateFactDocument, { content })
  return createFact.__typename === 'CreateFactPayload' ? must(createFact.fact, 'a fact').id : ''
}

/** As people speak of it. */
async function numberOf(story: Story, table: 'facts' | 'learnings', id: string): Promise<string> {
  const [row] = await select(story, `SELECT '#' || number AS number FROM ${table} WHERE id = '${id}'`)
  return String(row?.['number'])
}

test('promoting what would replace a fact says what becomes of that, also after an undo', async () => {
  await using story = await Story.begin()
  const { ada, id, factId, learning, decide, inUse, undo } = await kettleThatMoved(story)

  const { promoteLearning } = await ada.run(api.PromoteLearningDocument, { id })
  const [of, old] = [await numberOf(story, 'learnings', id), await numberOf(story, 'facts', factId)]
  expect(promoteLearning).toMatchObject({
    ...REFUSED,
    problem: expect.stringContaining(`learning ${of} would replace fact ${old}: `),
  })
  expect(await decide({})).toMatchObject(REFUSED)
  expect(await decide({ factId, keepBoth: true })).toMatchObject(REFUSED)
  expect(await learning()).toMatchObject({ status: 'PENDING' })
  expect(await inUse()).toEqual([OLD])

  expect(await decide({ keepBoth: true })).toMatchObject(PROMOTED)
  expect(await inUse()).toEqual([NOW, OLD])

  await undo()
  expect(await decide({})).toMatchObject(REFUSED)
  expect(await decide({ factId })).toMatchObject(PROMOTED)
  expect(await inUse()).toEqual([NOW])
})

test('in the place of another fact it comes only where the one that it would replace is said to be kept', async () => {
  await using story = await Story.begin()
  const { ada, id, factId, decide, inUse, undo } = await kettleThatMoved(story)
  const otherId = await factSaying(story, OTHER)
  const [of, other] = [await numberOf(story, 'facts', factId), await numberOf(story, 'facts', otherId)]
  const said = `would replace fact ${of}: it stays in use when ${other} is replaced`
  const refused = { ...REFUSED, problem: expect.stringContaining(said) }

  const { promoteLearning } = await ada.run(api.PromoteLearningDocument, { id, replacesFactId: otherId })
  expect(promoteLearning).toMatchObject(refused)
  expect(await decide({ factId: otherId })).toMatchObject(refused)
  expect(await inUse()).toEqual([OTHER, OLD])

  expect(await decide({ factId: otherId, keepBoth: true })).toMatchObject(PROMOTED)
  expect(await inUse()).toEqual([NOW, OLD])

  await undo()
  expect(await decide({ factId: otherId })).toMatchObject(refused)
  expect(await inUse()).toEqual([OTHER, OLD])
})
