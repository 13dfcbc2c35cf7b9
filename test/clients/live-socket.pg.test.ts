/** The socket that the clients of this folder share: what it does not come back from. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import {
  ChatEventsDocument,
  CreateTokenDocument,
  RevokeTokenDocument,
  type ChatEventsSubscription,
} from '../generated/graphql.ts'
import { converse, Story } from '../harness/story.ts'
import { openSocket } from './live-socket.ts'

test('a token that is revoked, or that there never was, ends it with 4401', async () => {
  await using story = await Story.begin()
  const ada = story.as('ada')
  await converse(ada, 'web:watched', 'Hello')
  const { createToken: made } = await ada.run(CreateTokenDocument, {
    input: { name: 'page', kind: 'USER', user: 'ada' },
  })
  if (made.__typename !== 'CreateTokenPayload') throw new Error(JSON.stringify(made))
  const watchWith = (token: string) => {
    const [next, error] = [vi.fn(), vi.fn<(reason: unknown) => void>()]
    const socket = openSocket({ url: story.app.url, token, retryWait: () => pause(20) })
    const variables = { id: 'web:watched', after: 0 }
    const query = String(ChatEventsDocument)
    socket.subscribe<ChatEventsSubscription>({ query, variables }, { next, error, complete: () => {} })
    return { next, error }
  }

  const known = watchWith(made.secret)
  await expect.poll(() => known.next.mock.calls.length).toBeGreaterThan(0)
  expect(known.error).not.toHaveBeenCalled()
  await ada.run(RevokeTokenDocument, { input: { name: 'page' } })
  const unknown = watchWith('nobody')
  for (const { error } of [known, unknown]) await expect.poll(() => error.mock.calls).toMatchObject([[{ code: 4401 }]])
})
