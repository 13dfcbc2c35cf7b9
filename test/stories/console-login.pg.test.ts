/**
 * How a person logs in to the console, and what ends that: by a token, by a link, in several processes, over HTTP and
 * WebSocket. What browsers do with the cookie is in test/console.
 */
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { Story, storyConfig, tokenOf } from '../harness/story.ts'
import { AuditDocument } from '../generated/graphql.ts'
import { findInDatabase } from '../harness/find-in-database.ts'

let story: Story
/** Another process. */
let other: Story
beforeAll(async () => {
  story = await Story.begin()
  other = await Story.begin({ beside: story })
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await story[Symbol.asyncDispose]()
})

type Headers = Readonly<Record<string, string>>

interface Sent {
  readonly headers?: Headers
  /** The server; the first one when left out. */
  readonly url?: string
}

/** As a page of the server at `url` posts. */
function post(path: string, body: unknown, { headers = {}, url = story.app.url }: Sent = {}): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, 'sec-fetch-site': 'same-origin', ...headers },
    body: JSON.stringify(body),
  })
}

async function cookieOf(response: Response): Promise<string> {
  expect(await response.text()).toContain('expiresAt')
  return must(response.headers.get('set-cookie')?.split(';')[0], 'a cookie')
}

const logIn = async (proof: object): Promise<string> => cookieOf(await post('/login', proof))

interface Answer {
  readonly status: number
  readonly user: string | undefined
}

async function ask(headers: Headers, url = story.app.url): Promise<Answer> {
  const response = await post('/graphql', { query: '{ viewer { user { name } } }' }, { headers, url })
  const { data } = (await response.json()) as { data?: { viewer: { user: { name: string } } } }
  return { status: response.status, user: data?.viewer.user.name }
}

/** A page's socket, with its cookie and nothing else. Resolves to the code with which the server closes it. */
function openSocket(cookie: string, origin = story.app.url): { opened: Promise<void>; closed: Promise<number> } {
  class OfPage extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { headers: { cookie, origin } })
    }
  }
  const url = `${story.app.url.replace('http', 'ws')}/graphql`
  const opened = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<number>()
  createClient({
    url,
    webSocketImpl: OfPage,
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => undefined,
    on: {
      connected: () => opened.resolve(),
      closed: (event) => closed.resolve((event as { code: number }).code),
    },
  })
  return { opened: opened.promise, closed: closed.promise }
}

test('a token is changed for a cookie, which every process knows at once', async () => {
  const response = await post('/login', { token: tokenOf('ada') })
  const set = must(response.headers.get('set-cookie'), 'a cookie')
  expect(set).toMatch(/^factotum-login-\d+=fcl_[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/)
  const cookie = await cookieOf(response)
  expect(await ask({ cookie })).toEqual({ status: 200, user: 'ada' })
  const elsewhere = cookie.replace(/\d+=/, `${new URL(other.app.url).port}=`)
  expect(await ask({ cookie: elsewhere }, other.app.url)).toEqual({ status: 200, user: 'ada' })
  const secret = must(cookie.split('=')[1], 'a secret')
  expect(await findInDatabase(story.databaseUrl, [secret])).toEqual([])
  // Neither is taken for the other.
  const { cookie: _none, ...bare } = { cookie }
  expect((await ask({ ...bare, authorization: `Bearer ${secret}` })).status).toBe(401)
  expect((await ask({ cookie: cookie.replace(secret, tokenOf('ada')) })).status).toBe(401)
})

test('a link works once, and only for who knows it', async () => {
  const { url, userName } = await story.app.createLoginLink('ben')
  expect(userName).toBe('ben')
  expect(new URL(url).origin).toBe(story.app.url)
  const code = new URL(url).hash.replace('#/login/', '')
  expect(await findInDatabase(story.databaseUrl, [code])).toEqual([])
  // What a preview of the link asks for.
  await fetch(url)
  const cookie = await logIn({ code })
  expect(await ask({ cookie })).toEqual({ status: 200, user: 'ben' })
  const again = await post('/login', { code })
  expect([again.status, await again.text()]).toEqual([401, expect.stringContaining('used before')])
  const denied = async () => {
    const { audit } = await story.as('ada').run(AuditDocument, { filter: { kind: ['ACCESS_DENIED'] }, first: 100 })
    return audit.edges.map(({ node }) => node)
  }
  const wrongLink = { denialReason: 'UNKNOWN_TOKEN', field: 'POST /login', tokenName: null }
  await expect.poll(denied).toContainEqual(expect.objectContaining(wrongLink))
  await expect(story.app.createLoginLink('bem')).rejects.toThrow('did you mean "ben"?')
})

test('over https the cookie is for https alone; over http from elsewhere there is none', async () => {
  await story.reconfigure(storyConfig({ settings: { public_url: 'https://factotum.example' } }))
  const far = await post('/login', { token: tokenOf('ada') }, { headers: { origin: 'https://factotum.example' } })
  expect(far.headers.get('set-cookie')).toMatch(/^__Host-factotum-login=.*; Secure$/)
  expect(await ask({ cookie: await cookieOf(far) })).toMatchObject({ user: 'ada' })
  await story.reconfigure(storyConfig({ settings: { public_url: 'http://factotum.example' } }))
  const open = await post('/login', { token: tokenOf('ada') }, { headers: { origin: 'http://factotum.example' } })
  expect([open.status, open.headers.get('set-cookie')]).toEqual([400, null])
  expect(await open.text()).toContain('Use https')
  await story.reconfigure(storyConfig())
})

test('the cookie counts on pages of this server alone', async () => {
  const cookie = await logIn({ token: tokenOf('ada') })
  const foreign: Headers[] = [
    { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { origin: story.app.url, 'sec-fetch-site': 'cross-site' },
    { origin: 'http://localhost:1' },
  ]
  for (const headers of foreign) {
    expect({ headers, status: (await ask({ cookie, ...headers })).status }).toEqual({ headers, status: 401 })
    const files = await fetch(`${story.app.url}/files/cli%3Ax/a.txt`, {
      method: 'PUT',
      headers: { cookie, ...headers },
      body: 'a',
    })
    expect(files.status).toBe(401)
    expect((await post('/login', { token: tokenOf('ada') }, { headers })).status).toBe(403)
    expect((await post('/logout', {}, { headers: { cookie, ...headers } })).status).toBe(403)
  }
  // Nobody says from which page: an image, or a program.
  const bare = { headers: { cookie, accept: 'application/json' } }
  expect((await fetch(`${story.app.url}/graphql?query={viewer{role}}`, bare)).status).toBe(401)
  expect((await fetch(`${story.app.url}/metrics`, bare)).status).toBe(401)
  expect((await fetch(`${story.app.url}/sessions/cli%3Ax/export`, bare)).status).toBe(401)
  // Outside of production such a page may open a socket; it has to bring a token, though.
  expect(await openSocket(cookie, 'http://127.0.0.1:1').closed).toBe(4401)
  expect(await ask({ cookie })).toEqual({ status: 200, user: 'ada' })
})

test('who logs out is logged out in one browser, or everywhere, with what is open', async () => {
  const [here, there, third] = await Promise.all([1, 2, 3].map(() => logIn({ token: tokenOf('cleo') })))
  const [one, two] = [openSocket(must(here, 'one')), openSocket(must(there, 'two'))]
  await Promise.all([one.opened, two.opened])
  const gone = await post('/logout', {}, { headers: { cookie: must(here, 'one') } })
  expect(gone.headers.get('set-cookie')).toMatch(/=; .*Max-Age=0/)
  expect(await one.closed).toBe(4401)
  expect((await ask({ cookie: must(here, 'one') })).status).toBe(401)
  expect(await ask({ cookie: must(third, 'three') })).toMatchObject({ user: 'cleo' })
  await post('/logout', { everywhere: true }, { headers: { cookie: must(third, 'three') } })
  expect(await two.closed).toBe(4401)
  for (const cookie of [there, third]) expect((await ask({ cookie: must(cookie, 'one') })).status).toBe(401)
  expect((await post('/logout', {}, { headers: { cookie: must(third, 'three') } })).status).toBe(200)
})

test('a token that is removed or changed ends its logins, in every process', async () => {
  const cookie = await logIn({ token: tokenOf('cleo') })
  const socket = openSocket(cookie)
  await socket.opened
  const without = storyConfig().replace(`token = "${tokenOf('cleo')}"`, 'token = "another-one-for-cleo"')
  await story.reconfigure(without)
  expect(await socket.closed).toBe(4401)
  expect((await ask({ cookie })).status).toBe(401)
  await story.reconfigure(storyConfig())
})

test('what is no person, no token or too often wrong is refused, and the audit says who came and went', async () => {
  const connector = await post('/login', { token: tokenOf('discord') })
  expect([connector.status, await connector.text()]).toEqual([403, expect.stringContaining('a connector')])
  for (const body of [{}, { token: 1 }, { token: 'a', code: 'b' }, []])
    expect((await post('/login', body)).status).toBe(400)
  const statuses: number[] = []
  for (let tries = 0; tries < 25; tries += 1) statuses.push((await post('/login', { token: `wrong-${tries}` })).status)
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
  const waiting = await post('/login', { token: tokenOf('ada') })
  expect([waiting.status, Number(waiting.headers.get('retry-after')) > 0]).toEqual([429, true])

  const query =
    '{ audit(first: 50, filter: { kind: CONFIG }) { edges { node { ... on ConfigAudit { change: configChange detail: configDetail } } } } }'
  const response = await post('/graphql', { query }, { headers: { authorization: `Bearer ${tokenOf('ada')}` } })
  const text = await response.text()
  for (const change of ['LOGIN_LINK_CREATED', 'LOGGED_IN', 'LOGGED_OUT']) expect(text).toContain(change)
  expect(text).toContain('everywhere, from 2 browsers')
})
