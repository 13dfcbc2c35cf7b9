/** A client is kept for as long as nothing that it was made of changes. */
import { expect, onTestFinished, test, vi } from 'vitest'
import type { FetchWithin } from './wire/http-transport.ts'
import { OpenAiClients, type ClientSettings } from './openai-clients.ts'
import { USUAL_REQUEST } from './wire/request-shape.ts'

const noFetch: FetchWithin = () => () => Promise.reject(new Error('nothing is sent here'))
const SETTINGS: ClientSettings = {
  baseUrl: 'http://a.test/v1',
  apiKey: 'one',
  fetchWithin: noFetch,
  idleMs: 1000,
  extras: USUAL_REQUEST,
}

test('calls of a provider share a client', () => {
  const clients = new OpenAiClients()
  expect(clients.clientFor('a', { ...SETTINGS })).toBe(clients.clientFor('a', { ...SETTINGS }))
  expect(clients.clientFor('b', SETTINGS)).not.toBe(clients.clientFor('a', SETTINGS))
})

test.each<Partial<ClientSettings>>([
  { baseUrl: 'http://b.test/v1' },
  { apiKey: 'two' },
  { apiKey: null },
  { idleMs: 2000 },
  { extras: { ...USUAL_REQUEST, headers: { 'x-title': 'Factotum' } } },
  { fetchWithin: () => noFetch({ idleMs: 1, totalMs: 1 }) },
])('what changes holds from the next call on: %o', (change) => {
  const clients = new OpenAiClients()
  const before = clients.clientFor('a', SETTINGS)
  const settings = { ...SETTINGS, ...change }
  const after = clients.clientFor('a', settings)
  expect(after).not.toBe(before)
  expect(after).toMatchObject({
    baseURL: settings.baseUrl,
    apiKey: settings.apiKey ?? 'none',
    timeout: settings.idleMs * 10,
  })
})

test.each([null, 'one'])('no header comes from the environment, with the key %s', async (apiKey) => {
  vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'Authorization: Bearer other\nX-Org: acme\nX-Title: theirs')
  onTestFinished(() => void vi.unstubAllEnvs())
  const seen: Headers[] = []
  const fetchWithin: FetchWithin = () => (_, init) => {
    seen.push(new Headers(init?.headers))
    return Promise.resolve(Response.json({ data: [] }))
  }
  const extras = { ...USUAL_REQUEST, headers: { 'x-title': 'Factotum' } }
  await new OpenAiClients().clientFor('a', { ...SETTINGS, apiKey, fetchWithin, extras }).models.list()
  const [headers] = seen
  expect(headers?.get('authorization')).toBe(`Bearer ${apiKey ?? 'none'}`)
  expect(headers?.get('x-org')).toBeNull()
  expect(headers?.get('x-title')).toBe('Factotum')
})
