/**
 * What the client's SessionStore sends, whatever becomes of it. The other side is as the server's answers are, on the
 * wire.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { connect, sessionStore } from '../../packages/client/src/connect.ts'

type Input = Readonly<Record<string, unknown>>

const ACCEPTED = JSON.stringify({ data: { sendMessage: { __typename: 'SendMessagePayload' } } })

/** A server that accepts messages; before it come so many answers of a proxy that speaks for a server which is away. */
async function accepting({ afterFailures }: { readonly afterFailures: number }) {
  const posted: Input[] = []
  const server = createServer((request, response) => {
    void inputOf(request).then((input) => {
      posted.push(input)
      if (posted.length <= afterFailures) response.writeHead(502).end()
      else response.writeHead(200, { 'content-type': 'application/json' }).end(ACCEPTED)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { posted, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.dispose]: stop }
}

async function inputOf(request: IncomingMessage): Promise<Input> {
  return ((await json(request)) as { readonly variables: { readonly input: Input } }).variables.input
}

test('a message that is sent again has all that it was sent with first', async () => {
  using server = await accepting({ afterFailures: 1 })
  const client = connect({ url: server.url, token: 't', patienceMs: 1 })
  const store = sessionStore(client, 'web:again')
  const options = { attachments: ['plan.pdf'], mentioned: true, mode: 'PLAN' as const, user: 'ada' }
  const { signal } = new AbortController()
  expect(await store.send('read this', { ...options, signal })).toMatchObject({ code: 'UNREACHABLE' })
  const [entry] = store.getSnapshot().entries
  expect(entry).toMatchObject({ content: 'read this', sending: { status: 'FAILED' } })
  expect(await store.retry(entry?.key ?? '')).toMatchObject({ __typename: 'SendMessagePayload' })
  expect(server.posted).toHaveLength(2)
  expect(server.posted[0]).toMatchObject(options)
  expect(server.posted[1]).toEqual(server.posted[0])
  client.close()
})

test('a message whose sending is given up can be sent again, or taken off the page', async () => {
  using server = await accepting({ afterFailures: 0 })
  const client = connect({ url: server.url, token: 't' })
  const store = sessionStore(client, 'web:aborted')
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(store.send('one', { signal })).rejects.toThrow('enough')
  await expect(store.send('two', { signal })).rejects.toThrow('enough')
  const [one, two] = store.getSnapshot().entries
  expect(two).toMatchObject({ content: 'two', sending: { status: 'FAILED', problem: 'enough' } })
  store.discard(two?.key ?? '')
  expect(store.getSnapshot().entries).toEqual([one])
  expect(await store.retry(one?.key ?? '')).toMatchObject({ __typename: 'SendMessagePayload' })
  expect(server.posted).toMatchObject([{ content: 'one' }])
  client.close()
})

test('a message that is accepted while nothing follows the session is no longer on its way', async () => {
  using server = await accepting({ afterFailures: 0 })
  const client = connect({ url: server.url, token: 't' })
  const store = sessionStore(client, 'web:unfollowed')
  const sent = store.send('one')
  expect(store.getSnapshot().entries).toMatchObject([{ content: 'one', sending: { status: 'SENDING' } }])
  expect(await sent).toMatchObject({ __typename: 'SendMessagePayload' })
  expect(store.getSnapshot().entries).toEqual([])
  client.close()
})
