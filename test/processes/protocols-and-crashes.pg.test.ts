/** A server that dies by `kill -9` while a client of another protocol waits for its answer. */
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { ApiClient } from '../harness/api-client.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { tokenOf, watchAll } from '../harness/story.ts'

/** It ends with its server, however long the other one takes to start. */
const CONTENT = 'run: echo begun; sleep 600'

test("OpenAI's package tries again, and finds the turn that goes on; the message is there once", async () => {
  await using cluster = await Cluster.begin()
  const first = await cluster.start()
  let { url } = first
  const retries: string[] = []
  const openai = new OpenAI({
    baseURL: `${first.url}/v1`,
    apiKey: tokenOf('ada'),
    maxRetries: 20,
    fetch: (input, init) => {
      retries.push(new Headers(init?.headers).get('x-stainless-retry-count') ?? '')
      return fetch((input instanceof Request ? input.url : input.toString()).replace(first.url, url), init)
    },
  })
  const messages = [{ role: 'user', content: CONTENT }] as const
  const asked = openai.chat.completions.create({ model: 'factotum', messages: [...messages] }).withResponse()
  const ada = clientOf(first, 'ada')
  const mine = '{ sessions(first: 5) { edges { node { id messageCount } } } }'
  const list = async (): Promise<{ id: string; messageCount: number }[]> => {
    const { sessions } = (await new ApiClient(url, tokenOf('ada')).run(mine)) as {
      sessions: { edges: { node: { id: string; messageCount: number } }[] }
    }
    return sessions.edges.map(({ node }) => node)
  }
  await expect.poll(list).toHaveLength(1)
  const [session] = await list()
  {
    await using watch = watchAll(ada, session?.id ?? '')
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  }
  const second = await cluster.start()
  url = second.url
  await first.kill()
  const { data, response } = await asked
  expect(retries.slice(0, 2)).toEqual(['0', '1'])
  expect(response.headers.get('x-factotum-session')).toBe(session?.id)
  expect(data.choices[0]?.message.content).toBeTruthy()
  expect(await list()).toMatchObject([{ id: session?.id, messageCount: 1 }])
})
