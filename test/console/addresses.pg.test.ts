/** Addresses that are mistyped, or that a person got from another who may see more: the page says so. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { ConsoleWorld } from './console-world.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

describe.skipIf(!hasBrowser)(`addresses${withoutBrowser}`, () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await ConsoleWorld.begin()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test.each([
    ['/memory/questions', 'There is no such page'],
    ['/server/deliveries', 'There is no such page'],
    ['/usage', 'There is no such page'],
    ['/sessions/%E0%A4%A', 'This session is not here'],
    ['/schedules/%E0%A4%A', 'There is no such schedule'],
  ])('a user who opens %s is told: %s', async (path, title) => {
    await using opened = await world.open('ben', { path })
    await opened.page.getByRole('heading', { name: title }).waitFor()
    expect(await opened.page.locator('main').getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([title])
  })
})
