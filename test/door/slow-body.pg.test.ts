/** A request whose body comes in slowly is judged by the configuration that holds when it is complete. */
import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { Story, storyConfig, tokenOf } from '../harness/story.ts'

const SUBSCRIBE = 'subscription { sessionUpdates { id } }'

test.each([
  ['a query', 'application/json', '{ viewer { tokenName } }'],
  ['a subscription', 'text/event-stream', SUBSCRIBE],
])('%s whose token is removed while its body comes in is not run', async (_name, accept, query) => {
  await using story = await Story.begin()
  const body = JSON.stringify({ query })
  const slow = begin(story, accept, body)
  await once(slow, 'continue')
  await story.reconfigure(storyConfig().replace(tokenOf('ben'), 'another-token-for-the-story'))
  slow.end(body.slice(5))
  const [response] = (await once(slow, 'response')) as [IncomingMessage]
  response.destroy()
  expect(response.statusCode).toBe(401)
})

/** The server has begun to read when it says "continue". */
function begin(story: Story, accept: string, body: string): ClientRequest {
  const slow = request(`${story.app.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokenOf('ben')}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      accept,
      expect: '100-continue',
    },
  })
  slow.write(body.slice(0, 5))
  return slow
}
