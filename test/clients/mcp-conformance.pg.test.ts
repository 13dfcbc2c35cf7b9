/** The protocol's own conformance checks of servers, as far as they apply, of `POST /mcp`. */
import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { conform } from '../harness/conformance.ts'
import { Story, tokenOf } from '../harness/story.ts'

/** The others want tools, prompts and resources of certain names, or sessions. */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']

/** The checks know no tokens: what they send goes on with Ada's. */
async function withToken(url: string): Promise<string> {
  const proxy = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${tokenOf('ada')}` }
    const onward = send(`${url}${request.url}`, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as { port: number }).port}/mcp`
}

test('the checks of servers that apply', async () => {
  await using story = await Story.begin()
  const url = await withToken(story.app.url)
  for (const scenario of SCENARIOS) {
    const printed = await conform('server', '--url', url, '--scenario', scenario)
    expect(printed).toMatch(/Passed: [1-9].*, 0 failed/)
  }
})
