/** A question is shown, live, on the page of the session in which it was raised, and is closed there. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  AddParticipantDocument,
  CreateQuestionDocument,
  OpenSessionDocument,
  QuestionsDocument,
} from '../generated/graphql.ts'
import { converse } from '../harness/story.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { ConsoleWorld } from './console-world.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

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
    await opened.page.getByRole('dialog').getByRole('button', { name: 'Answer', exact: true }).click()
    await opened.page.getByRole('dialog').waitFor({ state: 'hidden' })
    for (const one of asked) await one.waitFor({ state: 'hidden' })
    const { questions } = await ada.run(QuestionsDocument, { filter: { sessionId: 'cli:bell' } })
    expect(questions.edges).toMatchObject([
      { node: { status: 'RESOLVED', answer: 'Only on Sundays.', resolvedBy: { name: 'ben' } } },
    ])
  })
})
