/** What subscriptions may cost: each runs anew with each event, whatever the rate at which operations are taken. */
import { createClient, type Client } from 'graphql-ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { OpenSessionDocument } from '../generated/graphql.ts'
import { Story, tokenOf, type Person } from '../harness/story.ts'

const ID = '@ben:followed'
const TOO_COMPLEX = { extensions: { code: 'QUERY_TOO_COMPLEX' } }
const TOO_MUCH = {
  message: expect.stringContaining('open subscriptions') as unknown,
  extensions: { code: 'LIMIT_EXCEEDED' },
}

let story: Story
const clients: Client[] = []
beforeAll(async () => {
  story = await Story.begin()
  await story.as('ben').run(OpenSessionDocument, { input: { id: ID, participants: ['cleo'] } })
})
afterAll(async () => {
  for (const client of clients) await client.dispose()
  await story[Symbol.asyncDispose]()
})

function connect(person: Person): Client {
  const client = createClient({
    url: `${story.app.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${tokenOf(person)}` },
  })
  clients.push(client)
  return client
}

/** Follows the session's log from its first event on, and shows so many pages of messages with each. */
function documentOf(name: string, pages: number): string {
  const page = 'messages(first: 100) { edges { node { id content role } } }'
  const shown = Array.from({ length: pages }, (_, index) => `${name}${index}: ${page}`)
  return `subscription { sessionEvents(sessionId: "${ID}", after: 0) { seq session { ${shown.join(' ')} } } }`
}

/** Its first result, or the error by which it is refused. */
function follow(client: Client, query: string): { readonly first: Promise<unknown>; readonly end: () => void } {
  const { promise: first, resolve } = Promise.withResolvers<unknown>()
  const end = client.subscribe(
    { query },
    {
      next: ({ errors, data }) => resolve(errors?.[0] ?? data),
      error: (error) => resolve([error].flat()[0]),
      complete: () => undefined,
    },
  )
  return { first, end }
}

test('of one that shows much with each event, not as much as a query', async () => {
  expect(await follow(connect('ben'), documentOf('x', 10)).first).toMatchObject(TOO_COMPLEX)
})

test('of all that a user has open together, until one is ended; others are not kept from theirs', async () => {
  const bens = connect('ben')
  const ends: (() => void)[] = []
  let got: unknown = { sessionEvents: {} }
  while (got instanceof Object && 'sessionEvents' in got && ends.length < 100) {
    const { first, end } = follow(bens, documentOf(`x${ends.length}_`, 3))
    got = await first
    ends.push(end)
  }
  expect(got).toMatchObject(TOO_MUCH)
  expect(await follow(connect('cleo'), documentOf('y', 3)).first).toHaveProperty('sessionEvents')
  ends[0]?.()
  await expect.poll(() => follow(bens, documentOf('z', 3)).first).toHaveProperty('sessionEvents')
})
