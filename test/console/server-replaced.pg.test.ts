/** The console while a proxy answers with a page of its own, or nothing answers: nothing is said to be gone. */
import type { Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { PATIENCE } from '../harness/patience.ts'
import { ConsoleWorld } from './console-world.ts'

describe.skipIf(!hasBrowser)(`the server is being replaced${withoutBrowser}`, () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await ConsoleWorld.begin()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('a session that is opened then is shown once the server is back', async () => {
    await using opened = await world.open('ada', { isRouted: true })
    const { page } = opened
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    let attempts = 0
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query StorePage') === true) attempts += 1
      await route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>We are back soon</h1>' })
    })
    await page.goto(`${world.url}/#/sessions/%40ada%3Aone`)
    await page.getByText('The server does not answer').waitFor()
    // By the second attempt the page has shown what came of the first.
    await expect.poll(() => attempts, PATIENCE).toBeGreaterThan(1)
    expect(await page.getByText('This session').count()).toBe(0)
    await page.unroute('**/graphql')
    await page.getByText('Nothing was said yet').waitFor()
    await page.getByText('The server does not answer').waitFor({ state: 'detached' })
  })

  test('a page that is opened for the first time while the server is away is shown once it is back', async () => {
    await using opened = await world.open('ada', {
      allowed: /Failed to (?:load|fetch)|Unable to preload/,
      isRouted: true,
    })
    const { page } = opened
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.route('**/*', (route) => route.abort())
    await page.getByRole('link', { name: 'Schedules' }).click()
    await page.getByText('The server does not answer').waitFor()
    expect(await page.getByText('Something went wrong').count()).toBe(0)
    await page.unroute('**/*')
    await page.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor()
    await page.getByText('The server does not answer').waitFor({ state: 'detached' })
  })

  test('a server that is silent is asked one question at a time, each with an end, until it answers', async () => {
    await using opened = await world.blank({ isRouted: true })
    const { page } = opened
    await page.clock.install()
    // It opens, and nothing ever comes.
    await page.routeWebSocket('**/graphql', () => {})
    await world.logIn(opened, 'ada')
    await page.goto(world.url)
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    let asked = 0
    let mostAtOnce = 0
    const pending = new Set<Request>()
    await page.route('**/graphql', (route) => {
      if (route.request().postData()?.includes('query Viewer') !== true) return
      asked += 1
      mostAtOnce = Math.max(mostAtOnce, pending.add(route.request()).size)
    })
    page.on('requestfailed', (request) => pending.delete(request))
    await page.clock.runFor(SOCKET_GIVEN_UP_MS)
    await page.getByText('The server does not answer').waitFor()
    await expect.poll(() => asked, PATIENCE).toBeGreaterThan(0)
    await page.clock.runFor(SOCKET_GIVEN_UP_MS)
    // An answer is not waited for without end.
    await expect.poll(() => asked, PATIENCE).toBeGreaterThan(1)
    expect(mostAtOnce).toBe(1)
    await page.unroute('**/graphql')
    await page.getByText('The server does not answer').waitFor({ state: 'detached' })
  })
})

/** After that a socket that says nothing counts as lost, and the page says so. */
const SOCKET_GIVEN_UP_MS = 12_000
