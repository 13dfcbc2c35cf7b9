/**
 * The receiver of the bench's webhook posts, in a process of its own: takes every post at once, on several ports, and
 * counts.
 */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { serveParent } from './helper-process.ts'

let received = 0
let waiting: { readonly count: number; readonly resolve: () => void } | null = null

async function openPort(): Promise<number> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(204).end()
      received += 1
      if (waiting !== null && received >= waiting.count) waiting.resolve()
    })
  })
  // The other side closes what it no longer needs.
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const functions = {
  openPorts: (count: number) => Promise.all(Array.from({ length: count }, openPort)),
  /** Resolves when so many posts have come since the last call. */
  receive: async (count: number) => {
    await new Promise<void>((resolve) => {
      waiting = { count, resolve }
      if (received >= count) resolve()
    })
    received -= count
    waiting = null
  },
}
export type ReceiverApi = typeof functions

serveParent(functions)
