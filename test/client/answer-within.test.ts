/** How long a call of the client waits for an answer of a server that has taken it. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connect, type FactotumClient, type TypedDocument } from '../../packages/client/src/connect.ts'

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

/** A client of a server that never ends an answer by itself, and how much of it has arrived. */
async function slowlyAnswered() {
  const asked = Promise.withResolvers<ServerResponse>()
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    asked.resolve(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  let arrivedBytes = 0
  const original = globalThis.fetch
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
    const response = await original(...request)
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform: (part, carried) => {
        arrivedBytes += part.length
        carried.enqueue(part)
      },
    })
    return new Response(response.body?.pipeThrough(count))
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const client: FactotumClient = connect({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 't',
  })
  onTestFinished(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
    client.close()
    server.close()
    server.closeAllConnections()
  })
  const send = async (response: ServerResponse, part: string): Promise<void> => {
    const before = arrivedBytes
    response.write(part)
    while (arrivedBytes < before + part.length && !response.destroyed) await setImmediate()
    for (let round = 0; round < 5; round++) await setImmediate()
  }
  const taken = (call: Promise<unknown>): Promise<ServerResponse> =>
    Promise.race([asked.promise, call.then(() => asked.promise)])
  return { client, taken, send }
}

test('an answer that comes slowly is waited for as long as more of it comes', async () => {
  const { client, taken, send } = await slowlyAnswered()
  const checked = client.run(CHECK, {}, { answerWithinMs: 20 })
  const response = await taken(checked)
  for (const letter of ANSWER) {
    await vi.advanceTimersByTimeAsync(19)
    await send(response, letter)
  }
  response.end()
  expect(await checked).toEqual({ checkModel: { outcome: 'OK' } })
})

test('a large message has longer to be on its way than a small one', async () => {
  const { client, taken, send } = await slowlyAnswered()
  const checked = client.run(CHECK, { text: 'x'.repeat(100_000) }, { answerWithinMs: 1 })
  const response = await taken(checked)
  await vi.advanceTimersByTimeAsync(20_000)
  await send(response, ANSWER)
  response.end()
  expect(await checked).toEqual({ checkModel: { outcome: 'OK' } })
})

test('an answer that stops in its middle is none', async () => {
  const { client, taken, send } = await slowlyAnswered()
  const checked = client.run(CHECK, {}, { answerWithinMs: 1000 })
  checked.catch(() => {})
  await send(await taken(checked), ANSWER.slice(0, 10))
  await vi.advanceTimersByTimeAsync(1100)
  await expect(checked).rejects.toMatchObject({ code: 'UNREACHABLE' })
})
