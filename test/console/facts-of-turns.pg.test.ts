/** A turn names the facts that it was shown, and which of them it relied on. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CreateFactDocument } from '../generated/graphql.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { converse } from '../harness/story.ts'
import { ConsoleWorld } from './console-world.ts'

describe.skipIf(!hasBrowser)(`facts of turns${withoutBrowser}`, () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await ConsoleWorld.begin()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('what it relied on comes first and leads to the fact; a turn without any says so', async () => {
    const ada = world.story.as('ada')
    for (const content of ['The tower of Ghent has ninety steps.', 'The tower of Ghent opens at nine.']) {
      const { createFact } = await ada.run(CreateFactDocument, { content })
      expect(createFact.__typename).toBe('CreateFactPayload')
    }
    await converse(ada, 'cli:tower', 'uses: opens at nine\nWhen does the tower of Ghent open, above how many steps?')
    await using opened = await world.open('ada', { path: '/sessions/cli%3Atower' })
    const { page } = opened
    await page.getByText('Facts', { exact: true }).click()
    const facts = page.getByRole('list', { name: 'Facts' }).getByRole('listitem')
    await facts.nth(1).waitFor()
    expect(await facts.allInnerTexts()).toEqual([
      expect.stringMatching(/#\d+ The tower of Ghent opens at nine\.\s+relied on/),
      expect.stringMatching(/#\d+ The tower of Ghent has ninety steps\.$/),
    ])
    await facts.first().getByRole('link').click()
    await page.getByText('Relied on by 1 turn').waitFor()
    await converse(ada, 'cli:greeting', 'Hello')
    await using other = await world.open('ada', { path: '/sessions/cli%3Agreeting' })
    await other.page.getByText('Facts', { exact: true }).click()
    await other.page.getByText('None stood in its prompts.').waitFor()
  })
})
