/** Who has as many connections open as a user may: nothing that waits for a turn begins at any door. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Story, storyConfig, tokenOf } from '../harness/story.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { settings: { connections_per_user: 1 } } })
})
afterAll(() => story[Symbol.asyncDispose]())

const JSON_OR_EVENTS = 'application/json, text/event-stream'

function post(path: string, body: object, accept = JSON_OR_EVENTS): Promise<Response> {
  const headers = { authorization: `Bearer ${tokenOf('ada')}`, 'content-type': 'application/json', accept }
  return fetch(`${story.app.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

const asked = { model: 'factotum', input: 'Hello' }
const call = { name: 'ask', arguments: { content: 'Hello' } }

test('a message that would be waited for is refused before it is sent', async () => {
  const stream = await post('/graphql', { query: 'subscription { auditTrail { readList } }' }, 'text/event-stream')
  for (const [path, body, status] of [
    ['/v1/responses', asked, 429],
    ['/v1/chat/completions', { model: 'factotum', messages: [{ role: 'user', content: 'Hello' }] }, 429],
    ['/agui', {}, 429],
    ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, 200],
  ] as const) {
    const answer = await post(path, body)
    expect({ path, status: answer.status, text: await answer.text() }).toEqual({
      path,
      status,
      text: expect.stringContaining('Too many connections: you have 1 '),
    })
  }
  const read = '{ sessions(first: 1) { edges { node { id } } } }'
  expect(await story.as('ada').run(read)).toEqual({ sessions: { edges: [] } })
  await stream.body?.cancel()
  await expect.poll(async () => (await post('/v1/responses', asked)).status).toBe(200)
})

test('a stream that is refused counts as a request', async () => {
  const settings = { connections_per_user: 1, requests_per_minute: 3 }
  await using _few = await story.reconfigureForNow(storyConfig({ settings }))
  const authorization = `Bearer ${tokenOf('ben')}`
  const headers = { authorization, 'content-type': 'application/json', accept: 'text/event-stream' }
  const body = JSON.stringify({ query: 'subscription { sessionUpdates { __typename } }' })
  const stream = await fetch(`${story.app.url}/graphql`, { method: 'POST', headers, body })
  const url = `${story.app.url}/v1/responses/resp_turn_${'0'.repeat(26)}?stream=true`
  const follow = async (): Promise<string> => (await fetch(url, { headers: { authorization } })).text()
  expect(await follow()).toContain('Too many connections')
  for (let times = 0; times < 3; times += 1) await follow()
  expect(await follow()).toContain('Too many operations')
  await stream.body?.cancel()
})

test('a request that was let in is answered, though what it took is beyond the rate; the next one waits', async () => {
  await using _few = await story.reconfigureForNow(storyConfig({ settings: { requests_per_minute: 2 } }))
  const headers = { authorization: `Bearer ${tokenOf('cleo')}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'factotum', messages: [{ role: 'user', content: 'Hello' }] })
  const ask = (): Promise<Response> => fetch(`${story.app.url}/v1/chat/completions`, { method: 'POST', headers, body })
  const first = await ask()
  expect([first.status, await first.text()]).toEqual([200, expect.stringContaining('"finish_reason":"stop"')])
  expect((await ask()).status).toBe(429)
})
