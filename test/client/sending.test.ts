/** What a call that is tried again sends, and how it ends when it is tried no more. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../packages/client/src/connect.ts'

const ACCEPTED = {
  cancelTurn: { __typename: 'ConflictRefusal' },
  sendMessage: { __typename: 'SendMessagePayload', message: { id: 'msg_1', turn: null } },
}

/** A server that is too busy for the first call, which may come again then; the idempotency keys, as they came. */
async function busyAtFirst(retryAfterMs: number): Promise<{ readonly url: string; readonly keys: unknown[] }> {
  const errors = [{ message: 'Busy.', extensions: { code: 'OVERLOADED', retryAfterMs } }]
  const keys: unknown[] = []
  const server = createServer((request, response) => {
    void keyOf(request).then((key) => {
      keys.push(key)
      response.end(JSON.stringify(keys.length === 1 ? { errors } : { data: ACCEPTED }))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys }
}

async function keyOf(request: IncomingMessage): Promise<unknown> {
  const { variables } = (await json(request)) as {
    readonly variables: { readonly input: { readonly idempotencyKey?: unknown } }
  }
  return variables.input.idempotencyKey
}

test.each(['send', 'ask'] as const)('%s: a key that is given as undefined or null is made up', async (method) => {
  for (const idempotencyKey of [undefined, null]) {
    const { url, keys } = await busyAtFirst(1)
    const client = connect({ url, token: 't' })
    await client.session('web:x')[method]('one', { idempotencyKey })
    client.close()
    expect(keys).toEqual([expect.any(String), keys[0]])
  }
})

test('a call that waits to be sent again ends with the reason of the abort when its client is closed', async () => {
  const { url, keys } = await busyAtFirst(30_000)
  const client = connect({ url, token: 't' })
  const session = client.session('web:x')
  const ended = session.send('one', { signal: new AbortController().signal }).catch((error: unknown) => error)
  await expect.poll(() => keys).toHaveLength(1)
  // Its answer comes behind the first one's, after which that call waits.
  await session.cancel()
  client.close()
  expect(await ended).toMatchObject({ name: 'AbortError' })
})
