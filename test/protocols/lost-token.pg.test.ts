/** Every door names an expired token as what it may be. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Story } from '../harness/story.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story[Symbol.asyncDispose]())

async function createToken(expiresAt: Date): Promise<string> {
  const create = `mutation ($input: CreateTokenInput!) {
    result: createToken(input: $input) { ... on CreateTokenPayload { secret } ... on Refusal { problem } }
  }`
  const input = { name: 'short', kind: 'USER', user: 'ben', expiresAt: expiresAt.toISOString() }
  const { result } = (await story.as('ada').run(create, { input })) as { result: { secret: string } }
  return result.secret
}

test('an expired token is named as what it may be', async () => {
  const token = await createToken(new Date(Date.now() + 1500))
  const ask = (path: string): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return fetch(`${story.app.url}${path}`, { method: 'POST', headers, body: '{"query":"{__typename}"}' })
  }
  await expect.poll(async () => (await ask('/graphql')).status).toBe(401)
  for (const path of ['/graphql', '/v1/responses', '/agui', '/mcp']) {
    const answer = await ask(path)
    expect({ path, status: answer.status, text: await answer.text() }).toEqual({
      path,
      status: 401,
      text: expect.stringContaining('The token is unknown. It may have expired or been revoked.'),
    })
  }
})
