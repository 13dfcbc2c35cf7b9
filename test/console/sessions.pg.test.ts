/** A session in the console while its server streams, stops, dies and comes back. */
import { writeFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { Cluster } from '../harness/cluster.ts'
import { lastingPort } from '../harness/lasting-port.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { ConsoleBrowser, SERVER_AWAY } from './console-world.ts'
import { longestTask } from './longest-task.ts'
import { StreamingModel } from './streaming-model.ts'

describe.skipIf(!hasBrowser)(`sessions${withoutBrowser}`, () => {
  const stack = new AsyncDisposableStack()
  let model: StreamingModel
  let cluster: Cluster
  let server: ServerProcess
  let browser: ConsoleBrowser
  beforeAll(async () => {
    model = stack.use(await StreamingModel.start())
    cluster = stack.use(await Cluster.begin({ config: { toml: stubProvider(model) } }))
    server = await cluster.start({ env: { PORT: await lastingPort() } })
    browser = stack.use(await ConsoleBrowser.launch(server.url))
  })
  afterAll(() => stack.disposeAsync())

  const message = (page: Page): Locator => page.getByRole('textbox', { name: 'Message' })
  const output = (page: Page): Locator => page.getByRole('region', { name: 'Output' })
  const agent = (page: Page): Locator => page.locator('.entry-agent')

  /** What is said and done, without when. */
  async function shownOn(page: Page): Promise<string[]> {
    const parts = page.locator('.entry-said, .entry-agent .markdown, .plan-head, .task-head, .task-output')
    const texts = await parts.allInnerTexts()
    return texts.map((text) => text.replaceAll(/\s+/g, ' ').replaceAll(/\d+(?:\.\d+)? m?s /g, ''))
  }

  /** Opens a session as people do, and says something in it; returns its address. */
  async function begin(page: Page, said: string): Promise<string> {
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('What it is about').fill('Three lines')
    await page.getByLabel('How it works').selectOption('PLAN')
    await page.getByLabel('Instructions').fill('Be brief.')
    await page.getByLabel('What it is about').press('Enter')
    await page.getByRole('heading', { name: 'Three lines' }).waitFor()
    await page.getByText('Nothing was said yet').waitFor()
    await message(page).fill(said)
    await message(page).press('Enter')
    await page.locator('.entry-said', { hasText: said }).waitFor()
    expect(await message(page).inputValue()).toBe('')
    return new URL(page.url()).hash.slice(1)
  }

  test('a turn is seen live, after a reload, in a second tab, and after kill -9 in the middle of its answer', async () => {
    const gate = cluster.path('gate')
    model.commands = [
      `printf '\\033[32mgreen\\033[0m\\n'; echo line 2; echo line 3; until test -e ${gate}; do sleep 0.05; done; echo over`,
    ]
    model.pieces = ['It is **green**.\n\n', 'And there ', 'were ', 'three ', 'lines.']
    model.heldAfter = 3
    await using one = await browser.open('ada', { path: '/sessions', allowed: SERVER_AWAY })
    const { page } = one
    const path = await begin(page, 'How many lines?')
    await output(page).getByText('line 3').waitFor()
    expect(await output(page).locator('.ansi-green').textContent()).toBe('green')
    await page.getByLabel('Steps').getByText('Do what was asked').waitFor()
    const inTheMiddle = await shownOn(page)
    await page.reload()
    await output(page).getByText('line 3').waitFor()
    await expect.poll(() => shownOn(page)).toEqual(inTheMiddle)
    await using two = await browser.open('ada', { path, allowed: SERVER_AWAY })
    await output(two.page).getByText('line 3').waitFor()
    await expect.poll(() => shownOn(two.page)).toEqual(inTheMiddle)

    await writeFile(gate, '')
    for (const tab of [page, two.page]) {
      await agent(tab).getByText('And there were').waitFor()
      expect(await agent(tab).getAttribute('aria-busy')).toBe('true')
      expect(await agent(tab).locator('.markdown strong').innerText()).toBe('green')
    }
    await message(page).fill('What I was about to say')
    await server.kill()
    for (const tab of [page, two.page]) await tab.getByText('The server does not answer').waitFor()
    // It is on its way until the server is back, and arrives once.
    await message(two.page).fill('Thank you')
    await message(two.page).press('Enter')
    await two.page.getByText('Sending …').waitFor()
    model.goOn()
    server = await cluster.start({ env: { PORT: new URL(server.url).port } })
    for (const tab of [page, two.page]) {
      await tab.getByText('The server does not answer').waitFor({ state: 'hidden' })
      await expect.poll(() => agent(tab).count()).toBe(2)
      await tab.locator('.entry[aria-busy="true"]').waitFor({ state: 'hidden' })
    }
    const said = async (tab: Page): Promise<string[]> =>
      (await tab.locator('.entry-said, .entry-agent .markdown').allInnerTexts()).filter((text) => text !== '')
    const answer = 'It is green.\n\nAnd there were three lines.'
    // The message may have been accepted before or after the first answer was whole.
    const all = ['How many lines?', answer, 'Thank you', answer].toSorted()
    for (const tab of [page, two.page]) await expect.poll(async () => (await said(tab)).toSorted()).toEqual(all)
    const shown = await said(page)
    expect(await said(two.page)).toEqual(shown)
    expect(await message(page).inputValue()).toBe('What I was about to say')
    const rows = await cluster.query(`SELECT content FROM messages ORDER BY seq`)
    expect(rows).toEqual([{ content: 'How many lines?' }, { content: 'Thank you' }])
    await page.reload()
    await expect.poll(() => said(page)).toEqual(shown)
    expect(await message(page).inputValue()).toBe('What I was about to say')
  })

  test('much that is said fast, and 10 MB that are printed, keep the page from no frame, and nothing of it', async () => {
    const line = `\\033[32mok\\033[0m a line that a program prints while it works on something`
    model.commands = [`for n in $(seq 100); do yes "$(printf '${line}')" | head -c 100000; sleep 0.02; done`]
    model.pieces = Array.from({ length: 600 }, (_, n) =>
      n % 60 === 59 ? '\n\n- one\n- two\n\n' : 'the **quick** fox ',
    )
    model.everyMs = 5
    await using opened = await browser.open('ada', { path: '/sessions' })
    const { page } = opened
    await begin(page, 'Print and say much.')
    await output(page).getByText('a line that').first().waitFor()
    const { share, tasks } = await longestTask(must(opened.context.browser(), 'a browser'), async () => {
      await page.locator('.entry-agent[aria-busy="true"]').waitFor()
      await page.locator('.entry-agent[aria-busy="false"]').waitFor()
    })
    model.everyMs = 0
    expect(tasks).toBeGreaterThan(100)
    expect(share).toBeLessThan(0.3)
    // Of what was printed the newest lines, and what of it is on the page is little.
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(6000)
  })

  test('what waits behind a turn is edited and withdrawn; the turn is stopped, and the next one runs', async () => {
    model.commands = ['echo begun; sleep 600']
    model.pieces = ['Done.']
    await using opened = await browser.open('ada', { path: '/sessions', allowed: SERVER_AWAY })
    const { page } = opened
    await begin(page, 'Sleep long.')
    await output(page).getByText('begun').waitFor()
    model.commands = []
    const waiting = page.getByRole('list', { name: 'Waiting messages' }).getByRole('listitem')
    for (const text of ['the first to wait', 'the second to wait']) {
      await message(page).fill(text)
      await message(page).press('Enter')
      // Two that are on their way at once may arrive either way round.
      await waiting.getByText(text).waitFor()
    }
    await waiting.nth(0).getByRole('button', { name: 'Edit' }).press('Enter')
    await page.getByRole('dialog').getByLabel('Message').fill('Now something else.')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).press('Enter')
    await waiting.getByText('Now something else.').waitFor()
    await waiting.nth(1).getByRole('button', { name: 'Withdraw' }).press('Enter')
    await expect.poll(() => waiting.count()).toBe(1)
    await page.getByRole('button', { name: 'Stop' }).press('Enter')
    await agent(page).getByText('Done.').waitFor()
    await page.locator('.entry-person', { hasText: 'Sleep long.' }).getByText('cancelled').waitFor()
    await page.locator('.entry-said', { hasText: 'Now something else.' }).waitFor()
    await page.locator('.entry-person', { hasText: 'the second to wait' }).getByText('cancelled').waitFor()
    expect(await agent(page).count()).toBe(1)
    // The newest turn stands beside it; the stopped one is a click away.
    await page.locator('.entry-person', { hasText: 'Sleep long.' }).getByRole('button').press('Enter')
    await page.getByRole('tab', { name: 'Chosen turn' }).waitFor()
    await page.locator('.turn-head').getByText('cancelled').waitFor()
    // Without a network the page says so at once, keeps what is typed, and goes on by itself.
    await message(page).fill('Still to be said')
    await opened.context.setOffline(true)
    await page.getByText('The server does not answer').waitFor()
    await opened.context.setOffline(false)
    await page.getByText('The server does not answer').waitFor({ state: 'hidden' })
    expect(await message(page).inputValue()).toBe('Still to be said')
  })
})
