/** A client that leaves before its body is whole: nothing of the server has failed. */
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

/** The figures are read by requests, too. */
function withoutOwn(lines: readonly string[]): string[] {
  return lines.filter((line) => !line.includes('/metrics'))
}
