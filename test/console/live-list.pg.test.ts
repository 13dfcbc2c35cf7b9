/** The list of sessions while answers of the server are slow: what an update brought stays. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OpenSessionDocument, UpdateSessionDocument } from '../generated/graphql.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { PATIENCE } from '../harness/patience.ts'
import { ConsoleWorld } from './console-world.ts'

describe.skipIf(!hasBrowser)(`the live list${withoutBrowser}`, () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await ConsoleWorld.begin()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('an answer that was asked for before an update does not take it back', async () => {
    const ada = world.story.as('ada')
    await ada.run(OpenSessionDocument, { input: { id: 'cli:pear', description: 'Green pears' } })
    await using opened = await world.open('ada', { path: '/sessions', isRouted: true })
    const { page } = opened
    await page.getByText('Green pears').waitFor()
    const [isAsked, isHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query Sessions(') !== true) return route.fallback()
      const response = await route.fetch()
      const isOld = (await response.text()).includes('Green pears')
      isAsked.resolve()
      if (isOld) await isHeld.promise
      return route.fulfill({ response })
    })
    // It is not in the list: the list is read.
    await ada.run(OpenSessionDocument, { input: { id: 'cli:plum', description: 'Blue plums' } })
    await isAsked.promise
    await ada.run(UpdateSessionDocument, { input: { id: 'cli:pear', description: 'Ripe pears' } })
    await page.getByText('Ripe pears').waitFor()
    isHeld.resolve()
    await page.getByText('Blue plums').waitFor()
    expect(await page.getByText('Green pears').count()).toBe(0)
    expect(await page.getByText('Ripe pears').count()).toBe(1)
    await page.unroute('**/graphql')
  })

  test('a session without a name is called by what was said first, on its page and in the list', async () => {
    await using opened = await world.open('ada', { path: '/sessions' })
    const { page } = opened
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.keyboard.press('n')
    await page.getByRole('dialog').getByRole('button', { name: 'Open session' }).click()
    await page.getByRole('heading', { name: '@ada:web:' }).waitFor()
    await page.getByRole('textbox', { name: 'Message' }).fill('Where do quinces grow?\nSay it briefly.')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Where do quinces grow?', exact: true }).waitFor()
    await page.getByRole('link', { name: 'All sessions' }).click()
    const row = page.locator('.session-row', { hasText: '@ada:web:' })
    await expect.poll(() => row.locator('strong').innerText()).toBe('Where do quinces grow?')
  })

  test('of an id beside a long title no single letter stays', async () => {
    const title = 'What has to be packed for a walk through the mountains, and what of it can be left at home '.repeat(
      2,
    )
    await world.story.as('ada').run(OpenSessionDocument, { input: { id: 'cli:long-title', description: title } })
    await world.story.as('ada').run(OpenSessionDocument, { input: { id: 'cli:short-title', description: 'Short' } })
    await using opened = await world.open('ada', { path: '/sessions' })
    const idOf = async (text: string): Promise<{ readonly isInRow: boolean; readonly isWhole: boolean }> => {
      const row = opened.page.locator('.session-row', { hasText: text })
      await row.waitFor()
      return row.evaluate((at) => {
        const line = at.querySelector('.session-row-title')
        const id = at.querySelector('.session-row-title .mono')
        if (line === null || id === null) throw new Error('the row has no id')
        const isInRow = id.getBoundingClientRect().top < line.getBoundingClientRect().bottom
        return { isInRow, isWhole: id.scrollWidth <= id.clientWidth }
      })
    }
    expect(await idOf('What has to be packed')).toMatchObject({ isInRow: false })
    expect(await idOf('Short')).toEqual({ isInRow: true, isWhole: true })
  })

  test('an update does not hide what was read of a later state', async () => {
    const ada = world.story.as('ada')
    await ada.run(OpenSessionDocument, { input: { id: 'cli:fig', description: 'Green figs' } })
    await using opened = await world.blank()
    const { page } = opened
    let isSilent = false
    await page.routeWebSocket(/./, (socket) => {
      const server = socket.connectToServer()
      server.onMessage((message) => {
        if (!isSilent) socket.send(message)
      })
    })
    let reads = 0
    page.on('response', (response) => {
      if (response.request().postData()?.includes('query Sessions(') === true) reads += 1
    })
    await world.logIn(opened, 'ada')
    await page.goto(`${world.url}/#/sessions`)
    await page.getByText('Green figs').waitFor()
    // As the page was opened, and as the subscription began; no other read takes the update's place.
    await expect.poll(() => reads).toBe(2)
    await ada.run(UpdateSessionDocument, { input: { id: 'cli:fig', description: 'Ripe figs' } })
    await page.getByText('Ripe figs').waitFor()
    isSilent = true
    await ada.run(UpdateSessionDocument, { input: { id: 'cli:fig', description: 'Dried figs' } })
    await page.getByLabel('Search sessions').fill('figs')
    await page.getByText('Dried figs').waitFor()
    expect(await page.getByText('Ripe figs').count()).toBe(0)
  })

  test('who comes back from a session finds the list as it was left', async () => {
    for (let nth = 0; nth < 40; nth++)
      await world.story
        .as('ada')
        .run(OpenSessionDocument, { input: { id: `cli:apple${nth}`, description: `Apple ${nth}` } })
    await using opened = await world.open('ada', { path: '/sessions?search=Apple' })
    const { page } = opened
    const scrolled = (): Promise<number> => page.evaluate(`document.querySelector('.list')?.scrollTop ?? -1`)
    await page.getByText('Apple 39').hover()
    await page.mouse.wheel(0, 1400)
    await page.getByText('Apple 10', { exact: true }).click()
    await page.getByText('Nothing was said yet').waitFor()
    await page.getByRole('link', { name: 'All sessions' }).click()
    await expect.poll(scrolled, PATIENCE).toBeGreaterThan(1000)
    expect(await page.getByLabel('Search sessions').inputValue()).toBe('Apple')
    await page.getByText('Apple 12', { exact: true }).click()
    await page.getByText('Nothing was said yet').waitFor()
    await page.goBack()
    await expect.poll(scrolled, PATIENCE).toBeGreaterThan(1000)
  })

  test('a session that was put aside is brought back, at once or later', async () => {
    await world.story.as('ada').run(OpenSessionDocument, { input: { id: 'cli:quince', description: 'Old quinces' } })
    await using opened = await world.open('ada', { path: '/sessions/cli%3Aquince' })
    const { page } = opened
    const choose = async (item: string): Promise<void> => {
      await page.locator('.session-head').getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    const row = page.locator('.session-row', { hasText: 'Old quinces' })
    await choose('Put aside')
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    await row.click()
    await choose('Put aside')
    await page.getByLabel('Which sessions').selectOption('Put aside')
    await row.click()
    await page.locator('.session-head').getByText('put aside').waitFor()
    await choose('Bring back')
    await page.locator('.session-head').getByText('idle').waitFor()
    await page.goto(`${world.url}/#/sessions`)
    await row.waitFor()
    expect(await row.count()).toBe(1)
  })
})
