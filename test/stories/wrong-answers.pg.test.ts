/** What an admin answered to a question is taken back, the facts and what was learned alike. */
import { expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { askWhichHolds } from '../harness/ask-which-holds.ts'
import { useStubStory } from '../harness/use-stub-story.ts'

const world = useStubStory()

test('a wrong answer is taken back by what its question names', async () => {
  const ada = world.story.as('ada')
  const about = async (id: string) => {
    const { node } = await ada.run(api.QuestionFactsDocument, { id })
    return must(node !== null && 'facts' in node ? node : null, 'the question')
  }
  const undo = async (changeId: string | null | undefined) => {
    const { undoChange } = await ada.run(api.UndoChangeDocument, { changeId: must(changeId, 'a change') })
    expect(undoChange).toMatchObject({ __typename: 'UndoChangePayload' })
  }
  const reopened = { reopenLearning: { learning: { status: 'PENDING' } } }
  const asBefore = { facts: [{ invalidatedAt: null }], learning: { status: 'PENDING' } }

  const kiln = await askWhichHolds(world, 'kiln')
  await ada.run(api.ResolveQuestionDocument, { id: kiln.id, outcome: 'LEARNING' })
  await undo((await about(kiln.id)).learning?.changeId)
  expect(await about(kiln.id)).toMatchObject(asBefore)

  for (const [name, text] of [
    ['forge', null],
    ['quarry', 'The quarry of Elbe is gone.'],
  ] as const) {
    const { id, learning, fact } = await askWhichHolds(world, name)
    await ada.run(api.ResolveQuestionDocument, { id, outcome: 'NEITHER', text })
    await undo((await about(id)).facts[0]?.changeId)
    expect(await ada.run(api.ReopenLearningDocument, { id: learning.id })).toMatchObject(reopened)
    const { facts } = await ada.run(api.FactsDocument, { filter: { search: name } })
    expect(facts.edges.map(({ node }) => node.content)).toEqual([fact])
  }

  const mint = await askWhichHolds(world, 'mint')
  await ada.run(api.ResolveQuestionDocument, { id: mint.id, outcome: 'FACTS' })
  expect(await ada.run(api.ReopenLearningDocument, { id: mint.learning.id })).toMatchObject(reopened)
  // It is asked anew, as another question.
  const again = await ada.run(api.AskLearningDocument, { id: mint.learning.id, question: mint.question })
  expect(again.askLearning).toMatchObject({ learning: { status: 'ASKED' } })
})
