/** Addresses that are mistyped, or that a person got from another who may see more: the page says so. */
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { ConsoleWorld } from './console-world.ts'

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

  test('on a phone, which has no place for all tabs, the one that the address leads to is in sight', async () => {
    const width = 320
    await using opened = await world.open('ada', { path: '/server/configuration', width })
    const tab = opened.page.getByRole('tab', { name: 'Configuration' })
    await tab.waitFor()
    const end = async (): Promise<number> => {
      const box = must(await tab.boundingBox(), 'a box')
      return box.x + box.width
    }
    await expect.poll(end).toBeLessThanOrEqual(width)
  })

  test.each(['Sessions', 'Schedules'])('on a phone the button of %s stands beside its title', async (title) => {
    await using opened = await world.open('ada', { path: `/${title.toLowerCase()}`, width: 380 })
    const { page } = opened
    const middle = async (named: Locator): Promise<number> => {
      const box = must(await named.boundingBox(), 'a box')
      return Math.round(box.y + box.height / 2)
    }
    const button = page.locator('.page-head').getByRole('button', { name: /^New/ })
    await button.waitFor()
    expect(await middle(button)).toBe(await middle(page.getByRole('heading', { level: 1 })))
  })

  test('a user who reads the facts does not ask for what only admins may follow', async () => {
    await using opened = await world.blank()
    const { page } = opened
    const asked: string[] = []
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => asked.push(String(payload))))
    await world.logIn(opened, 'ben')
    for (const [path, shown] of [
      ['/memory', 'No facts yet'],
      // What it asks for is sent behind what the page before asked for.
      ['/sessions', 'No session yet'],
    ] as const) {
      await page.goto(`${world.url}/#${path}`)
      await page.getByText(shown).waitFor()
    }
    await expect.poll(() => asked.some((text) => text.includes('sessionUpdates'))).toBe(true)
    expect(asked.filter((text) => text.includes('factUpdates'))).toEqual([])
  })

  test.each([
    ['/approvals/decided?status=DENIED', 'None was settled so'],
    ['/memory/questions?status=RESOLVED', 'Nothing was answered yet'],
    ['/memory/proposals?which=decided', 'Nothing was decided yet'],
    ['/memory?which=decided', 'Nothing was decided yet'],
    ['/memory?search=acorn', 'Nothing matches'],
    ['/memory/facts', 'No facts yet'],
    ['/memory/facts?search=acorn', 'No such fact'],
    ['/memory/facts?review=1', 'Nothing to review'],
  ])('where nothing is, %s says what is missing: %s', async (path, title) => {
    await using opened = await world.open('ada', { path })
    await opened.page.getByRole('heading', { name: title }).waitFor()
    expect(await opened.page.locator('main').getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([title])
  })
})
