/** graphql-request, which asks and does not follow. */
import { expect, test, vi } from 'vitest'
import { ChatDocument } from '../generated/graphql.ts'
import { Story, tokenOf } from '../harness/story.ts'
import { createRequester, say } from './requester.ts'

test('a script says something once, reads the answer, and is shown a refusal', async () => {
  await using story = await Story.begin()
  const ask = createRequester({ url: story.app.url, token: tokenOf('ada') })
  const message = { sessionId: 'cli:script', content: 'Forty-two?', idempotencyKey: 'once' }
  const first = await say(ask, message)
  expect(await say(ask, message)).toMatchObject({ message: { id: expect.any(String) } })
  expect(first.__typename).toBe('SendMessagePayload')
  const read = async () => (await ask(ChatDocument, { id: 'cli:script' })).session?.conversation.edges
  await expect
    .poll(async () => (await read())?.map(({ node }) => ('content' in node ? node.content : '')))
    .toEqual(['Forty-two?', expect.stringContaining('Forty-two?')])

  const complaint = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect(await say(ask, { ...message, content: ' ', idempotencyKey: 'empty' })).toMatchObject({ code: 'INVALID_INPUT' })
  expect(complaint).toHaveBeenCalledTimes(1)
  vi.restoreAllMocks()
})
