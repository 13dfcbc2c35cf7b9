/**
 * Who gets into the console, as a browser sees it: both ways in, what other pages can do with the cookie, and the
 * end.
 */
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { storyConfig, tokenOf } from '../harness/story.ts'
import { hasBrowser, withoutBrowser } from '../harness/chromium.ts'
import { ConsoleWorld, type Opened } from './console-world.ts'

describe.skipIf(!hasBrowser)(`logging in${withoutBrowser}`, () => {
  let world: ConsoleWorld
  beforeAll(async () => {
    world = await ConsoleWorld.begin()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  /** What the server answers without a login; a browser says of such answers that they failed to load. */
  const REFUSED = /status of (401|403)|WebSocket connection to|UNAUTHENTICATED/

  test('by a token, which is kept nowhere that a script can read', async () => {
    await using opened = await world.blank({ allowed: REFUSED })
    const { page, context } = opened
    await page.goto(world.url)
    await page.getByLabel('Token').fill('not-a-token')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('This token is not known').waitFor()
    await page.getByLabel('Token').fill(tokenOf('ada'))
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    const [cookie, ...others] = await context.cookies()
    expect([cookie?.httpOnly, cookie?.sameSite, others]).toEqual([true, 'Strict', []])
    const kept = await page.evaluate('JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])')
    expect(kept).not.toContain(tokenOf('ada'))
    expect(kept).not.toContain('fcl_')
    expect(kept).not.toContain('factotum-login')
  })

  test('by a link, once, and nothing of it stays in the address', async () => {
    const { url } = await world.story.app.createLoginLink('ben')
    await using opened = await world.blank()
    await opened.page.goto(url)
    await opened.page.getByRole('heading', { name: 'Sessions' }).waitFor()
    expect(opened.page.url()).not.toContain('login')
    await using second = await world.blank({ allowed: REFUSED })
    await second.page.goto(url)
    await second.page.getByText('used before').waitFor()
  })

  test('a browser that keeps nothing of the page is not logged in, and the page says why', async () => {
    await using opened = await world.blank({ allowed: REFUSED })
    const { page, context } = opened
    await context.addInitScript({ content: KEEPS_NOTHING })
    const { url } = await world.story.app.createLoginLink('ben')
    await page.goto(url)
    await page.getByText('This browser keeps no cookies').waitFor()
    await page.getByLabel('Token').fill(tokenOf('ada'))
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('This browser keeps no cookies').waitFor()
    expect(await page.getByLabel('Token').inputValue()).toBe(tokenOf('ada'))
    // The link is still good elsewhere.
    await using second = await world.blank()
    await second.page.goto(url)
    await second.page.getByRole('heading', { name: 'Sessions' }).waitFor()
  })

  test('the page is asked for again, its few kilobytes of files are not, and nothing may be put into it', async () => {
    const page = await fetch(world.url)
    const policy = must(page.headers.get('content-security-policy'), 'a policy')
    expect(policy).not.toContain('unsafe')
    for (const part of ["frame-ancestors 'none'", "require-trusted-types-for 'script'", "script-src 'self'"])
      expect(policy).toContain(part)
    const again = await fetch(world.url, { headers: { 'if-none-match': must(page.headers.get('etag'), 'an ETag') } })
    expect(again.status).toBe(304)
    await using opened = await world.open('ada')
    await opened.page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await opened.page.waitForLoadState('networkidle')
    const loaded = `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/assets/'))`
    const files = new Set(await opened.page.evaluate<string[]>(loaded))
    expect(files.size).toBeGreaterThan(5)
    let bytes = 0
    for (const file of files) {
      const answer = await fetch(file, { headers: { 'accept-encoding': 'gzip' } })
      expect(answer.headers.get('cache-control')).toContain('immutable')
      expect(answer.headers.get('content-encoding')).toBe('gzip')
      bytes += Number(answer.headers.get('content-length'))
    }
    expect(bytes).toBeLessThan(170_000)
    const built = new URL('../../console/dist/assets/', import.meta.url)
    const packed = readdirSync(built).filter((name) => name.endsWith('.gz'))
    expect(packed.reduce((sum, name) => sum + statSync(new URL(name, built)).size, 0)).toBeLessThan(300_000)
    for (const path of ['/assets/', '/assets/..%2findex.html', '/assets/none-0.js', '/assets/index.html'])
      expect((await fetch(`${world.url}${path}`)).status).toBe(404)
  })

  test('no page of another origin does anything with the cookie', async () => {
    await using thief = await startThief()
    await using opened = await world.open('ada', { allowed: /./ })
    const { page } = opened
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.goto(thief.url)
    const tried = await page.evaluate(`(async () => {
      const server = ${JSON.stringify(world.url)}
      const body = JSON.stringify({ query: '{ viewer { user { name } } }' })
      const json = { 'content-type': 'application/json' }
      const ask = (init) => fetch(server + '/graphql', { method: 'POST', credentials: 'include', body, ...init })
        .then(async (r) => r.status + (await r.text()), (e) => 'failed')
      const socket = () => new Promise((resolve) => {
        const s = new WebSocket(server.replace('http', 'ws') + '/graphql', 'graphql-transport-ws')
        s.onopen = () => s.send(JSON.stringify({ type: 'connection_init', payload: {} }))
        s.onmessage = ({ data }) => resolve(String(data))
        s.onclose = ({ code }) => resolve('closed ' + code)
      })
      const image = () => new Promise((resolve) => {
        const i = new Image()
        i.onload = () => resolve('loaded')
        i.onerror = () => resolve('failed')
        i.src = server + '/graphql?query={viewer{role}}'
      })
      const frame = () => new Promise((resolve) => {
        const f = document.createElement('iframe')
        f.onload = () => { try { resolve(String(f.contentWindow.document.title)) } catch { resolve('failed') } }
        f.src = server + '/'
        document.body.append(f)
      })
      return [await ask({ headers: json }), await ask({ mode: 'no-cors', headers: { 'content-type': 'text/plain' } }),
        await socket(), await image(), await frame()]
    })()`)
    expect(JSON.stringify(tried)).not.toContain('ada')
    expect(tried).toEqual([expect.stringMatching(/^(failed|401)/), '0', 'closed 4401', 'failed', 'failed'])
    // A form takes its reader along, and is refused.
    await page.setContent(`<form method="post" action="${world.url}/logout"><button>x</button></form>`)
    await page.getByRole('button').click()
    await page.getByText('FORBIDDEN').waitFor()
    await page.goto(world.url)
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
  })

  test('who logs out everywhere, or whose token is removed, is told so', async () => {
    await using one = await world.open('cleo', { allowed: REFUSED })
    await using two = await world.open('cleo', { allowed: REFUSED })
    for (const { page } of [one, two]) await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await one.page.evaluate(`fetch('/logout', { method: 'POST', headers: { 'content-type': 'application/json' },
      body: '{"everywhere":true}' }).then(() => location.reload())`)
    await one.page.getByLabel('Token').waitFor()
    await comeBack(two)
    await two.page.getByText('You are logged out:').waitFor()

    await using ben = await world.open('ben', { allowed: REFUSED })
    await ben.page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await world.story.reconfigure(storyConfig().replace(tokenOf('ben'), 'another-token-of-bens'))
    await comeBack(ben)
    await ben.page.getByText('You are logged out:').waitFor()
    expect(await ben.page.getByRole('heading', { name: 'Sessions' }).count()).toBe(0)
    await world.story.reconfigure(storyConfig())
  })

  test('what is written and not sent is gone with who logs out: the next at this screen may be another', async () => {
    await using opened = await world.open('ada', { path: '/sessions/cli:one-screen', allowed: REFUSED })
    const { page } = opened
    await page.getByRole('textbox', { name: 'Message' }).fill('Not for Ben')
    await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(1)
    await page.getByRole('button', { name: 'You and this console' }).click()
    await page.getByRole('menuitem', { name: 'Log out', exact: true }).click()
    await page.getByLabel('Token').waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  })

  test('whose login ends while a session is shown is led to the way in at once', async () => {
    await using shown = await world.open('ben', { path: '/sessions/%40ben%3Ashown', allowed: REFUSED })
    const { page } = shown
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello')
    await page.keyboard.press('Enter')
    const answer = page.locator('.entry-agent', { hasText: 'Rehearsal' })
    await answer.waitFor()
    await using other = await world.open('ben', { allowed: REFUSED })
    await other.page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await other.page.evaluate(`fetch('/logout', { method: 'POST', headers: { 'content-type': 'application/json' },
      body: '{"everywhere":true}' })`)
    await page.getByText('You are logged out:').waitFor()
    expect(await answer.count()).toBe(0)
    await page.getByLabel('Token').fill(tokenOf('ben'))
    await page.getByRole('button', { name: 'Log in' }).click()
    await answer.waitFor()
  })
})

/** As where all cookies are blocked. */
const KEEPS_NOTHING = `
  const refuse = { get() { throw new DOMException('The operation is insecure.', 'SecurityError') } }
  for (const storage of ['localStorage', 'sessionStorage']) Object.defineProperty(window, storage, refuse)
  Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false })`

/** As when a person turns to the window again: nothing on this page is followed. */
async function comeBack({ page }: Opened): Promise<void> {
  await page.evaluate('dispatchEvent(new Event("focus"))')
}

/** A page of another origin, which for browsers is the same site: only its port differs. */
async function startThief(): Promise<{ url: string } & AsyncDisposable> {
  const server: Server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Another page</title>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
