/** The conversation in which something was said is found by its words, and opened where it was said. */
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/platform/id.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { OpenSessionDocument } from '../generated/graphql.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { converse } from '../harness/story.ts'
import { ConsoleWorld } from './console-world.ts'

describe.skipIf(!hasBrowser)(`searching${withoutBrowser}`, () => {
  let world: ConsoleWorld
  let database: Database
  beforeAll(async () => {
    world = await ConsoleWorld.begin()
    const logger = createLogger({ level: 'silent', pretty: false })
    database = new Database({ url: world.story.databaseUrl, maxConnections: 1, logger })
    const ben = world.story.as('ben')
    await ben.run(OpenSessionDocument, { input: { id: '@ben:cafe', description: 'Bills' } })
    await converse(ben, '@ben:cafe', 'The invoice of the Café is <b>wrong</b>.')
    for (let n = 1; n <= 18; n += 1) await ben.session('@ben:cafe').send(`Then they spoke of the weather, ${n}.`)
    await converse(world.story.as('cleo'), '@cleo:own', 'The invoice of Cleo')
  })
  afterAll(async () => {
    await database?.close()
    await world?.[Symbol.asyncDispose]()
  })

  const rows = (page: Page): Locator => page.locator('.found-row')

  async function search(page: Page, text: string): Promise<void> {
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type(text)
  }

  test.each([
    { width: 1280, colorScheme: 'light' },
    { width: 390, colorScheme: 'dark' },
  ] as const)('by keys alone, $width wide, to its place in a long conversation', async ({ width, colorScheme }) => {
    await using opened = await world.open('ben', { path: '/sessions', width, colorScheme })
    const { page } = opened
    await search(page, 'cafe invoice')
    await page.getByRole('heading', { name: 'No session matches' }).waitFor()
    await page.getByRole('button', { name: 'Search what was said' }).press('Enter')
    await rows(page).first().waitFor()
    const hits = page.locator('.found-row', { hasText: 'ben' }).first().locator('mark')
    expect(await hits.allInnerTexts()).toEqual(['invoice', 'Café'])
    expect(await rows(page).allInnerTexts()).toSatisfy((texts: string[]) => texts.every((one) => !one.includes('Cleo')))
    await page.locator('.found-row', { hasText: 'ben' }).last().press('Enter')
    const said = page.locator('.entry-said', { hasText: 'The invoice of the Café is <b>wrong</b>.' })
    await said.waitFor()
    await expect.poll(() => page.locator('[aria-current="true"]').count()).toBeGreaterThan(0)
    expect(await page.locator('.talk-entry[aria-current="true"]').innerText()).toContain('The invoice of the Café')
    await expect.poll(() => said.isVisible()).toBe(true)
    const shown = (): Promise<boolean> =>
      said.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect()
        const talk = element.closest('.talk-scroll')?.getBoundingClientRect()
        return talk !== undefined && top >= talk.top && bottom <= talk.bottom
      })
    await expect.poll(shown).toBe(true)
    await page.goBack()
    await rows(page).first().waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('cafe invoice')
  })

  /** A session of Cleo's with so many messages, of which the first, at 101, is "A needle." */
  async function say(id: string, count: number): Promise<void> {
    await world.story.as('cleo').run(OpenSessionDocument, { input: { id } })
    await database.query(
      {
        name: '',
        timeoutMs: 60_000,
        text: `WITH said AS (
          INSERT INTO messages (id, session_id, seq, role, user_name, content, trusted, status, client, created_at)
          SELECT $2 || lpad(n::text, 16, '0'), $1, n + 100, 'USER', 'cleo', CASE n WHEN 1 THEN 'A needle.' ELSE 'Hay.' END,
            true, 'STORED', 'cleo', now() FROM generate_series(1, $3::int) n RETURNING *),
          numbered AS (UPDATE sessions SET last_seq = $3::int + 100 WHERE id = $1)
          INSERT INTO events (session_id, seq, at, type, data)
          SELECT session_id, seq, created_at, 'MessageReceived', jsonb_build_object('messageId', id) FROM said`,
      },
      [id, newId('message').slice(0, 14), count],
    )
  }

  test('what is not found in what one request reads is searched for further back, when one asks for it', async () => {
    const id = '@cleo:long'
    await say(id, 80_000)
    await using opened = await world.open('cleo', { path: '/sessions?search=needle&in=said' })
    const { page } = opened
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await page.getByText('Searched back to').waitFor()
    await page.getByRole('button', { name: 'Search further back' }).press('Enter')
    await rows(page).first().waitFor()
    expect(await page.locator('.found-row mark').allInnerTexts()).toEqual(['needle'])
  })

  test('a place far back is read in large pages, and stays in sight when more is said', async () => {
    const id = '@cleo:far'
    await say(id, 2100)
    await using opened = await world.open('cleo')
    const { page } = opened
    let reads = 0
    page.on('request', (request) => {
      if (request.postData()?.includes('query StoreOlder') === true) reads += 1
    })
    await page.goto(`${world.story.app.url}/#/sessions/${encodeURIComponent(id)}?at=101`)
    const needle = page.locator('.entry-said', { hasText: 'A needle.' })
    await needle.waitFor()
    expect(reads).toBeLessThanOrEqual(22)
    await world.story.as('cleo').session(id).send('One more.')
    await page.locator('.unseen', { hasText: 'The agent: ' }).waitFor({ state: 'attached' })
    expect(await needle.isVisible()).toBe(true)
  })
})
