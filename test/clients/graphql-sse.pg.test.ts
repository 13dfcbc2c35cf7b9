/** The client graphql-sse, which has no cache: what it brings, and how it comes back. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { converse, Story, tokenOf, turnEnd, watchAll } from '../harness/story.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'
import { ChatEventsDocument, type ChatEventsSubscription } from '../generated/graphql.ts'
import { openEventStreams } from './server-sent-events.ts'

type ChatEvent = ChatEventsSubscription['sessionEvents']

const SESSION = 'web:streamed'

test('after an interruption no event is missing or comes twice', async () => {
  await using story = await Story.begin()
  const ada = story.as('ada')
  await using proxy = await TcpProxy.start(story.app.url)
  const client = openEventStreams({
    url: new URL(proxy.through(story.app.url)).origin,
    token: tokenOf('ada'),
    retry: () => pause(20),
  })
  const events: ChatEvent[] = []
  const failures: unknown[] = []
  client.subscribe<ChatEventsSubscription>(
    { query: String(ChatEventsDocument), variables: { id: SESSION, after: 0 } },
    {
      next: ({ data }) => void (data != null && events.push(data.sessionEvents)),
      error: (error) => failures.push(error),
      complete: () => {},
    },
  )
  const first = converse(ada, SESSION, 'run: for n in 1 2 3; do echo $n; sleep 0.1; done')
  await expect.poll(() => events.some(({ __typename }) => __typename === 'TaskOutputEvent')).toBe(true)
  proxy.cut()
  await first
  await converse(ada, SESSION, 'run: echo two')
  proxy.restore()
  await using watch = watchAll(ada, SESSION)
  await turnEnd(watch, 2)

  // Pieces of a text leave the log when the text is whole: who was away then does not get them.
  const lasting = ({ __typename: type }: { readonly __typename: string }): boolean => type !== 'TextDeltaEvent'
  const log = watch.received.map(({ sessionEvents }) => sessionEvents)
  await expect
    .poll(() => events.filter(lasting).map(({ seq }) => seq))
    .toEqual(log.filter(lasting).map(({ seq }) => seq))
  expect(failures).toEqual([])
  client.dispose()
})

test('a token that is not let in ends it', async () => {
  await using story = await Story.begin()
  const client = openEventStreams({ url: story.app.url, token: 'nobody', retry: () => pause(20) })
  const ended = vi.fn<(how: string) => void>()
  client.subscribe(
    { query: String(ChatEventsDocument), variables: { id: SESSION } },
    { next: () => ended('an event'), error: () => ended('an error'), complete: () => ended('complete') },
  )
  await expect.poll(() => ended.mock.calls).toEqual([['complete']])
})
