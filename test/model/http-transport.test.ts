/** The wire to models on connections that were kept: what is sent again when one of them is reset. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createHttpTransport } from '../../src/model/wire/http-transport.ts'
import { systemClock } from '../../src/platform/clock.ts'

const LIMITS = { idleMs: 5000, totalMs: 5000 }

interface ResettingOptions {
  /** Connections that are open before the first reset. */
  readonly keptCount: number
  /** How long the server works on a request before it resets its connection, by the clock of the transport. */
  readonly resetAfterMs: number
}

/** How often the request comes that is reset each time, and what its sender gets. */
async function askResetting({ keptCount, resetAfterMs }: ResettingOptions) {
  let nowMs = 0
  let count = 0
  const opened = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      count += 1
      if (count === keptCount) opened.resolve()
      if (count <= keptCount) return void opened.promise.then(() => response.end('{}'))
      nowMs += resetAfterMs
      response.socket?.resetAndDestroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const fetch = createHttpTransport({ proxyEnv: {}, clock: { ...systemClock, monotonicMs: () => nowMs } })(LIMITS)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const ask = async (): Promise<string> => (await fetch(url, { method: 'POST', body: '{}' })).text()
  await Promise.all(Array.from({ length: keptCount }, ask))
  const error: unknown = await ask().catch((caught: unknown) => caught)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return { repeats: count - keptCount, error }
}

test.each([1, 5])('a reset connection of %i kept ones is replaced once', async (keptCount) => {
  const { repeats, error } = await askResetting({ keptCount, resetAfterMs: 10 })
  expect(repeats).toBe(2)
  expect(error).toMatchObject({ code: 'ECONNRESET' })
})

test('what was worked on before the reset is not sent again', async () => {
  const { repeats, error } = await askResetting({ keptCount: 2, resetAfterMs: 2000 })
  expect(repeats).toBe(1)
  expect(error).toMatchObject({ code: 'ECONNRESET' })
})
