/**
 * GraphiQL in a real browser: it is small, knows the schema once it has a token, shows every event, and keeps no token.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { OpenSessionDocument, SendMessageDocument } from '../generated/graphql.ts'
import { hasBrowser, launchBrowser, withoutBrowser } from '../harness/chromium.ts'
import { Story, tokenOf } from '../harness/story.ts'
import { PATIENCE, PATIENCE_MS } from '../harness/patience.ts'

/** What browsers ask for on the way, compressed. */
const MAX_BYTES = 700_000

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story[Symbol.asyncDispose]())

describe('what it is made of', () => {
  const load = (path: string, encoding: string): Promise<Response> =>
    fetch(`${story.app.url}${path}`, { headers: { accept: 'text/html', 'accept-encoding': encoding } })

  async function filesOf(): Promise<string[]> {
    const html = await (await load('/graphql', 'identity')).text()
    return html.match(/\/graphiql\/app-[0-9a-f]{16}\.(?:js|css)/g) ?? []
  }

  test.each([
    ['br', 'br'],
    ['gzip, deflate', 'gzip'],
  ])('less than 700 kB for a browser that takes %s, kept for good', async (accepted, encoding) => {
    const files = await Promise.all((await filesOf()).map((path) => load(path, accepted)))
    expect(files).toHaveLength(2)
    const bytes = files.map(({ headers }) => Number(headers.get('content-length')))
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES)
    for (const { headers } of files) {
      expect(headers.get('content-encoding')).toBe(encoding)
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('vary')).toContain('accept-encoding')
    }
  })

  test('the same, whatever the encoding; nothing else is there', async () => {
    for (const path of await filesOf()) {
      const texts = await Promise.all(['br', 'gzip', 'br;q=0, identity'].map(async (e) => (await load(path, e)).text()))
      expect(new Set(texts).size).toBe(1)
      expect(texts[0]?.length).toBeGreaterThan(1000)
    }
    for (const path of [
      '/graphiql/',
      '/graphiql/index.html',
      '/graphiql/app-0000000000000000.js',
      '/graphiql/%2e%2e/cli',
    ])
      expect([400, 404]).toContain((await load(path, 'br')).status)
  })
})

describe.skipIf(!hasBrowser)(`in a browser${withoutBrowser}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  interface Opened {
    readonly page: Page
    /** What the browser complains of. */
    readonly complaints: string[]
    /** "GET http://…", of the server and elsewhere. */
    readonly requests: string[]
  }

  async function open(path: string): Promise<Opened> {
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const [complaints, requests]: [string[], string[]] = [[], []]
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`))
    await page.goto(`${story.app.url}${path}`)
    await page.locator('.graphiql-query-editor .CodeMirror').waitFor()
    return { page, complaints, requests }
  }

  /** What an editor of the page holds; it is set when `text` is given. */
  const editor = (page: Page, name: 'query' | 'headers' | 'response', text?: string): Promise<string> =>
    page.evaluate(
      ([selector, value]) => {
        interface Editor {
          getValue(): string
          setValue(value: string): void
        }
        type Element = { readonly CodeMirror: Editor }
        const { document } = globalThis as unknown as { document: { querySelector(selector: string): Element } }
        const { CodeMirror } = document.querySelector(selector ?? '')
        if (value !== null && value !== undefined) CodeMirror.setValue(value)
        return CodeMirror.getValue()
      },
      [
        {
          query: '.graphiql-query-editor .CodeMirror',
          headers: '.graphiql-editor-tool .graphiql-editor:not(.hidden) .CodeMirror',
          response: '.result-window .CodeMirror',
        }[name],
        text ?? null,
      ] as const,
    )

  const setToken = (page: Page): Promise<string> =>
    editor(page, 'headers', JSON.stringify({ Authorization: `Bearer ${tokenOf('ada')}` }))

  const run = (page: Page): Promise<void> => page.locator('.graphiql-execute-button').click()

  test('reads the schema when the header is set, and not before', async () => {
    const { page, complaints, requests } = await open('/graphql')
    const asked = (): string[] => requests.filter((request) => request === `POST ${story.app.url}/graphql`)
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await page.getByText('No GraphQL schema available').waitFor()
    expect(asked()).toEqual([])
    await setToken(page)
    await page.getByText('Root Types').waitFor()
    expect(asked()).toHaveLength(1)
    await editor(page, 'query', '{ viewer { tokenName } }')
    await run(page)
    await vi.waitFor(
      async () =>
        expect(JSON.parse(await editor(page, 'response'))).toEqual({ data: { viewer: { tokenName: 'ada' } } }),
      PATIENCE,
    )
    expect(complaints).toEqual([])
    expect(
      requests.filter((request) => !request.includes(` ${story.app.url}/`) && !request.includes(' data:')),
    ).toEqual([])
  })

  test('a subscription shows every event, and what was refused', async () => {
    const { page, complaints } = await open('/graphql')
    await story.as('ada').run(OpenSessionDocument, { input: { id: 'cli:page' } })
    await setToken(page)
    await editor(page, 'query', 'subscription { sessionEvents(sessionId: "cli:page", after: 0) { __typename seq } }')
    await run(page)
    const events = async () =>
      JSON.parse((await editor(page, 'response')) || '{}') as {
        events?: { data: { sessionEvents: { seq: number } } }[]
      }
    await story.as('ada').run(SendMessageDocument, { input: { sessionId: 'cli:page', content: 'Hello' } })
    const seqs = await vi.waitFor(async () => {
      const shown = ((await events()).events ?? []).map(({ data }) => data.sessionEvents.seq)
      expect(shown.length).toBeGreaterThanOrEqual(3)
      return shown
    }, PATIENCE)
    expect(seqs.slice(0, 3)).toEqual([1, 2, 3])
    // The button stops it, and what came stays; what is refused says why.
    await run(page)
    expect((await events()).events?.length).toBeGreaterThanOrEqual(3)
    await editor(page, 'query', 'subscription { sessionEvents(sessionId: "cli:none", after: 1) { seq } }')
    await run(page)
    await vi.waitFor(async () => expect(await editor(page, 'response')).toContain('NOT_FOUND'), PATIENCE)
    expect(complaints).toEqual([])
  })

  test('nothing of a token is kept: not in the browser, and not when the page is loaded again', async () => {
    const { page } = await open('/graphql')
    await setToken(page)
    await editor(page, 'query', '{ viewer { role } }')
    const kept = (): Promise<{ local: Record<string, string>; tab: Record<string, string> }> =>
      page.evaluate(() => {
        const { localStorage, sessionStorage } = globalThis as unknown as Record<string, Record<string, string>>
        return { local: { ...localStorage }, tab: { ...sessionStorage } }
      })
    // The history takes what the tab held, and the tab takes over what is typed with a pause.
    await vi.waitFor(async () => expect((await kept()).tab['graphiql:tabState']).toContain('viewer { role }'), PATIENCE)
    await run(page)
    await vi.waitFor(async () => expect(await editor(page, 'response')).toContain('ADMIN'), PATIENCE)
    // The query is, in the history as well as with the tab: so a token would be.
    await vi.waitFor(async () => {
      const { tab } = await kept()
      for (const key of ['graphiql:queries', 'graphiql:tabState']) expect(tab[key]).toContain('viewer { role }')
    }, PATIENCE)
    const { local, tab } = await kept()
    expect(local).toEqual({})
    expect(JSON.stringify(tab)).not.toContain(tokenOf('ada'))
    await page.reload()
    await page.locator('.graphiql-query-editor .CodeMirror').waitFor()
    expect(await editor(page, 'headers')).toBe('{ "Authorization": "Bearer <token>" }')
    expect(await editor(page, 'query')).toBe('{ viewer { role } }')
  })
})
