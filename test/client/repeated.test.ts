/** Nothing comes twice to a loop that is slow, however its connection is closed. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { connect } from '../../packages/client/src/connect.ts'

const LAST = 5

/** Sends the events behind `after`; the first subscription is closed behind them. */
async function startServer(code: number) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'graphql-transport-ws' })
  const closed = Promise.withResolvers<void>()
  let subscribed = 0
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      type Message = { type: string; id: string; payload: { variables: { after: number } } }
      const { type, id, payload } = JSON.parse(data.toString()) as Message
      if (type === 'connection_init') socket.send(JSON.stringify({ type: 'connection_ack' }))
      if (type !== 'subscribe') return
      subscribed += 1
      const isFirst = subscribed === 1
      const upTo = isFirst ? LAST - 1 : LAST
      for (let seq = payload.variables.after + 1; seq <= upTo; seq += 1) {
        const result = { data: { sessionEvents: { __typename: 'TurnPausedEvent', seq } } }
        socket.send(JSON.stringify({ type: 'next', id, payload: result }))
      }
      if (isFirst) socket.once('close', () => closed.resolve()).close(code)
    })
  })
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, closed: closed.promise, isSubscribedAgain: () => subscribed > 1 }
}

async function visit(url: string): Promise<void> {
  const socket = new WebSocket(url, 'graphql-transport-ws')
  await once(socket, 'open')
  socket.close()
  await once(socket, 'close')
}

test.each([1000, 1001, 4413])('events that wait for the loop when it is closed with %d come once', async (code) => {
  const { url, closed, isSubscribedAgain } = await startServer(code)
  const client = connect({ url, token: 't' })
  onTestFinished(() => client.close())
  const seen: number[] = []
  for await (const { seq } of client.session('web:x').events({ after: 0 })) {
    seen.push(seq)
    if (seq === LAST) break
    if (seq > 1) continue
    await closed
    // As long as it would take to subscribe again.
    for (let n = 0; n < 20 && !isSubscribedAgain(); n += 1) await visit(url)
  }
  expect(seen).toEqual([1, 2, 3, 4, 5])
})
