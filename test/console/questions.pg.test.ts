/** Questions are shown on the page of the session in which they were raised, closed there, and settled by admins. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  AddParticipantDocument,
  CreateFactDocument,
  CreateQuestionDocument,
  DisputeFactDocument,
  FactDocument,
  FactsDocument,
  OpenSessionDocument,
  QuestionsDocument,
} from '../generated/graphql.ts'
import { converse } from '../harness/story.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { ConsoleWorld } from './console-world.ts'

describe.skipIf(!hasBrowser)(`questions${withoutBrowser}`, () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await ConsoleWorld.begin()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('who takes part in a session answers there what was asked there; what is asked of all is not shown', async () => {
    const ada = world.story.as('ada')
    await ada.run(OpenSessionDocument, { input: { id: 'cli:bell' } })
    await ada.run(AddParticipantDocument, { sessionId: 'cli:bell', user: 'ben' })
    await ada.run(CreateQuestionDocument, { content: 'Who has the key of the tower?' })
    await using opened = await world.open('ben', { path: '/sessions/cli%3Abell' })
    await using seen = await world.open('ada', { path: '/sessions/cli%3Abell' })
    const asked = [opened, seen].map(({ page }) => page.getByRole('region', { name: 'Question', exact: true }))
    // A text that ends so is asked about by the rehearsal model.
    await converse(ada, 'cli:bell', 'learn: Does the bell of the tower ring at night?')
    for (const one of asked) await one.getByText('Does the bell of the tower ring at night?').waitFor()
    for (const one of asked) expect(await one.count()).toBe(1)

    await opened.page.getByRole('region', { name: 'Questions' }).getByRole('button', { name: 'Answer' }).click()
    await opened.page.getByLabel('The answer').fill('Only on Sundays.')
    expect(await opened.page.getByText('It becomes no fact.').count()).toBe(0)
    await opened.page.getByRole('dialog').getByRole('button', { name: 'Answer', exact: true }).click()
    await opened.page.getByRole('dialog').waitFor({ state: 'hidden' })
    for (const one of asked) await one.waitFor({ state: 'hidden' })
    const { questions } = await ada.run(QuestionsDocument, { filter: { sessionId: 'cli:bell' } })
    expect(questions.edges).toMatchObject([
      { node: { status: 'RESOLVED', answer: 'Only on Sundays.', resolvedBy: { name: 'ben' } } },
    ])
  })

  test('an admin who answers that a fact is wrong says what holds, and the fact is replaced', async () => {
    const [ada, ben] = [world.story.as('ada'), world.story.as('ben')]
    const { createFact } = await ada.run(CreateFactDocument, { content: 'The tower of Ghent opens at nine.' })
    if (createFact.__typename !== 'CreateFactPayload') throw new Error(JSON.stringify(createFact))
    await ben.run(DisputeFactDocument, { id: createFact.fact.id, reason: 'It opens at ten since May.' })
    await using opened = await world.open('ada', { path: `/memory/facts/${createFact.fact.id}` })
    const { page } = opened
    await page.getByRole('link', { name: 'read why, and decide' }).click()
    await page.getByText('It opens at ten since May.').click()
    await page.keyboard.press('a')
    const dialog = page.getByRole('dialog')
    // The answer alone would be kept nowhere: it was asked about in no session.
    await dialog.getByLabel('The answer').fill('Ben is right.')
    await dialog.getByText('It becomes no fact.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Answer', exact: true }).isDisabled()).toBe(true)
    await dialog.getByLabel('What follows').selectOption('What is known holds no more')
    await dialog.getByLabel('What holds, as a fact').fill('The tower of Ghent opens at ten.')
    await dialog.getByRole('button', { name: 'Answer', exact: true }).click()
    await dialog.waitFor({ state: 'hidden' })
    const { node } = await ada.run(FactDocument, { id: createFact.fact.id })
    expect(node).toMatchObject({ invalidatedAt: expect.any(String) })
    const { facts } = await ada.run(FactsDocument, { filter: { search: 'tower Ghent' } })
    expect(facts.edges.map(({ node }) => node.content)).toEqual(['The tower of Ghent opens at ten.'])
  })
})
