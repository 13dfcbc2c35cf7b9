/** How long a call of the client waits for an answer of a server that has taken it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { connect, type TypedDocument } from '../../packages/client/src/connect.ts'

interface Checked {
  readonly checkModel: { readonly outcome: string }
}

const CHECK = { toString: () => 'mutation { checkModel { outcome } }' } as TypedDocument<Checked, object>
const ANSWER = JSON.stringify({ data: { checkModel: { outcome: 'OK' } } })

test('a call waits as long as its options say, and no longer', async () => {
  const over = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    request.resume()
    void over.promise.then(() => response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 't' })
  try {
    const patient = client.run(CHECK, {}, { answerWithinMs: 60_000 })
    await expect(client.run(CHECK, {}, { answerWithinMs: 50 })).rejects.toMatchObject({ code: 'UNREACHABLE' })
    over.resolve()
    expect(await patient).toEqual({ checkModel: { outcome: 'OK' } })
  } finally {
    client.close()
    server.close()
    server.closeAllConnections()
  }
})
