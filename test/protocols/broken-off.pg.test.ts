/** A client that leaves before its body is whole, or before its wait has begun: nothing of the server has failed. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { request as httpRequest, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Operations } from '../../src/graphql/protocols/operations.ts'
import { Story, tokenOf } from '../harness/story.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story[Symbol.asyncDispose]())

async function figures(pattern: RegExp): Promise<string[]> {
  const headers = { authorization: `Bearer ${tokenOf('ada')}` }
  const text = await (await fetch(`${story.app.url}/metrics`, { headers })).text()
  return text.split('\n').filter((line) => !line.startsWith('#') && pattern.test(line))
}

async function leave(path: string): Promise<void> {
  const authorization = `Bearer ${tokenOf('ben')}`
  const headers = { authorization, 'content-type': 'application/json', 'content-length': '1000' }
  const request = httpRequest(`${story.app.url}${path}`, { method: 'POST', headers })
  request.on('error', () => undefined)
  await new Promise((resolve) => request.write('{', resolve))
  request.destroy()
}

test.each(['/v1/responses', '/v1/files', '/agui', '/mcp'])('%s counts no failure', async (path) => {
  const answered = await figures(/http_requests_total/)
  const failures = await figures(/masked_errors|database_errors/)
  await leave(path)
  await expect.poll(async () => withoutOwn(await figures(/http_requests_total/))).not.toEqual(withoutOwn(answered))
  expect(await figures(/masked_errors|database_errors/)).toEqual(failures)
})

test('one who leaves while a response is read does not follow it', async () => {
  const headers = { authorization: `Bearer ${tokenOf('ben')}`, 'content-type': 'application/json' }
  const body = JSON.stringify({
    model: 'factotum',
    background: true,
    input: 'run: until [ -e never ]; do sleep 0.1; done',
  })
  const asked = await fetch(`${story.app.url}/v1/responses`, { method: 'POST', headers, body })
  const { id } = (await asked.json()) as { readonly id: string }
  const leaving = new AbortController()
  const run = Reflect.get(Operations.prototype, 'run')
  let answer: ServerResponse | null = null
  const heard = (message: unknown): void => void (answer = (message as { readonly response: ServerResponse }).response)
  subscribe('http.server.request.start', heard)
  const events = vi.spyOn(Operations.prototype, 'events')
  const reading = vi.spyOn(Operations.prototype, 'run').mockImplementation(async function (
    this: Operations,
    operation,
    variables,
  ) {
    reading.mockRestore()
    unsubscribe('http.server.request.start', heard)
    const closed = once(answer as unknown as ServerResponse, 'close')
    leaving.abort()
    await closed
    return Reflect.apply(run, this, [operation, variables])
  })
  const followed = fetch(`${story.app.url}/v1/responses/${id}?stream=true`, { headers, signal: leaving.signal })
  await expect(followed).rejects.toThrow('aborted')
  await expect.poll(() => events.mock.calls.length).toBe(1)
  events.mockRestore()
  await expect.poll(() => figures(/factotum_connections\{.*sse/)).toEqual([expect.stringMatching(/ 0$/)])
})

/** The figures are read by requests, too. */
function withoutOwn(lines: readonly string[]): string[] {
  return lines.filter((line) => !line.includes('/metrics'))
}
