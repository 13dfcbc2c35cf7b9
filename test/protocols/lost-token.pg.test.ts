/** Every door names an expired token as what it may be. */
import { Client, StreamableHTTPClientTransport, type OAuthClientProvider } from '@modelcontextprotocol/client'
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

test('a client of tools that then tries to log in by OAuth shows what to send instead', async () => {
  const authProvider: OAuthClientProvider = {
    redirectUrl: 'http://127.0.0.1/callback',
    clientMetadata: { redirect_uris: ['http://127.0.0.1/callback'] },
    clientInformation: () => undefined,
    saveClientInformation: () => undefined,
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => '',
  }
  const requestInit = { headers: { authorization: 'Bearer of-another-time' } }
  const transport = new StreamableHTTPClientTransport(new URL(`${story.app.url}/mcp`), { authProvider, requestInit })
  await expect(new Client({ name: 'story', version: '1' }).connect(transport)).rejects.toThrow(
    'Send a token of this server, \\"Authorization: Bearer <token>\\"',
  )
})
