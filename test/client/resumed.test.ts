/** Where a session's events go on after a connection that was closed in good order, as a proxy does it. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { connect } from '../../packages/client/src/connect.ts'

const NORMAL_CLOSURE = 1000

interface Message {
  readonly type: string
  readonly id: string
  readonly payload: { readonly variables: { readonly after: number } }
}

/** A server whose log has two more events for each subscription, behind which the connection is closed. */
async function closingInGoodOrder() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'graphql-transport-ws' })
  onTestFinished(() => server.close())
  const asked: number[] = []
  server.on('connection', (socket) =>
    socket.on('message', (data: Buffer) => {
      const { type, id, payload } = JSON.parse(data.toString()) as Message
      const send = (message: object): void => socket.send(JSON.stringify(message))
      if (type === 'connection_init') send({ type: 'connection_ack' })
      if (type !== 'subscribe') return
      const { after } = payload.variables
      asked.push(after)
      for (const seq of [after + 1, after + 2])
        send({ id, type: 'next', payload: { data: { sessionEvents: { seq } } } })
      socket.close(NORMAL_CLOSURE)
    }),
  )
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

test('a connection that is closed as if it were over loses and repeats nothing', async () => {
  const { url, asked } = await closingInGoodOrder()
  const client = connect({ url, token: 't' })
  const seqs: number[] = []
  for await (const { seq } of client.session('web:x').events({ after: 0 })) if (seqs.push(seq) === 5) break
  client.close()
  expect(seqs).toEqual([1, 2, 3, 4, 5])
  expect(asked).toEqual([0, 2, 4])
})
