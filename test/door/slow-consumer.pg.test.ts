import { request as httpRequest, type IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDoorWorld, createSession, output, tokenOf, type Door, type DoorWorld } from './door-world.ts'
import { RawSocket } from './raw-socket.ts'
import { FOLLOW, watchEvents, watchWebSocket } from './watch.ts'

/** More than the buffers of the kernel on both sides and ours hold together. */
const EVENTS = 600
const TEXT = 'x'.repeat(50_000)

let world: DoorWorld
let door: Door
beforeAll(async () => {
  world = await createDoorWorld()
  door = await world.openDoor()
})
afterAll(() => world[Symbol.asyncDispose]())

const token = tokenOf('alice')
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, n) => first + n)

function seqsOf(socket: RawSocket): number[] {
  return socket.received
    .filter(({ type }) => type === 'next')
    .map(({ payload }) => (payload as { data: { sessionEvents: { seq: number } } }).data.sessionEvents.seq)
}

test('a WebSocket that does not keep up is cut, resumes without a gap, and holds up nobody', async () => {
  await createSession(door.database, 'cli:slow')
  const slow = await RawSocket.open(door.webSocketUrl, token)
  slow.send({ type: 'subscribe', id: '1', payload: { query: FOLLOW, variables: { id: 'cli:slow', after: 0 } } })
  const fast = [0, 1, 2].map(() =>
    watchWebSocket(door.webSocketUrl, { query: FOLLOW, variables: { id: 'cli:slow', after: 0 }, token }),
  )
  await door.append('cli:slow', output('start'))
  await Promise.all(fast.map((one) => one.count(1)))
  await slow.until(({ type }) => type === 'next')

  slow.socket.pause()
  for (let n = 0; n < EVENTS; n += 1) {
    await door.append('cli:slow', output(TEXT))
    // The pace of the fast ones: what is tested is that they need not wait for the slow one.
    await Promise.all(fast.map((one) => one.count(n + 2)))
  }
  expect(await door.metric('factotum_slow_consumers_total')).toBe(1)
  for (const one of fast) {
    expect(one.seqs).toEqual(upTo(EVENTS + 1))
    one.close()
  }

  slow.socket.resume()
  expect(await slow.closed).toContain('4413 SLOW_CONSUMER')
  const seen = seqsOf(slow)
  expect(seen).toEqual(upTo(seen.length))
  expect(seen.length).toBeLessThan(EVENTS)
  const rest = watchWebSocket(door.webSocketUrl, {
    query: FOLLOW,
    variables: { id: 'cli:slow', after: seen.length },
    token,
  })
  await rest.count(EVENTS + 1 - seen.length)
  expect(rest.seqs).toEqual(upTo(EVENTS + 1, seen.length + 1))
  rest.close()
})

test('a slow event stream is cut with a reason in the stream, and ends', async () => {
  await createSession(door.database, 'cli:slow-sse')
  await door.append('cli:slow-sse', output('start'))
  const response = await new Promise<IncomingMessage>((resolve) => {
    const request = httpRequest(`${door.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: `Bearer ${token}` },
    })
    request.on('response', resolve)
    request.end(JSON.stringify({ query: FOLLOW, variables: { id: 'cli:slow-sse', after: 0 } }))
  })
  const cutBefore = await door.metric('factotum_slow_consumers_total')
  // Nobody reads the response: what it holds fills the buffers on the way.
  while ((await door.metric('factotum_slow_consumers_total')) === cutBefore) {
    await door.append('cli:slow-sse', output(TEXT))
    await setImmediate()
  }
  let text = ''
  for await (const chunk of response) text += String(chunk)
  const blocks = text.split('\n\n').filter((block) => block.startsWith('event:'))
  expect(blocks.at(-1)).toBe('event: complete\ndata:')
  expect(blocks.at(-2)).toContain('"code":"SLOW_CONSUMER"')
  const seqs = blocks.slice(0, -2).map((block) => Number(/"seq":(\d+)/.exec(block)?.[1]))
  expect(seqs).toEqual(upTo(seqs.length))
})

test('a subscriber that catches up is served at its own pace, however much there is', async () => {
  await createSession(door.database, 'cli:backlog')
  for (let n = 0; n < 20; n += 1) {
    await door.append('cli:backlog', ...Array.from({ length: 30 }, () => output(TEXT)))
  }
  const cutBefore = await door.metric('factotum_slow_consumers_total')
  const reader = await RawSocket.open(door.webSocketUrl, token)
  reader.send({ type: 'subscribe', id: '1', payload: { query: FOLLOW, variables: { id: 'cli:backlog', after: 0 } } })
  const steady = watchEvents(door.url, { query: FOLLOW, variables: { id: 'cli:backlog', after: 0 }, token })
  await reader.until(({ type }) => type === 'next')
  reader.socket.pause()
  await steady.count(600)
  reader.socket.resume()
  await reader.until(({ payload }) => JSON.stringify(payload ?? '').includes('"seq":600,'))
  expect(seqsOf(reader)).toEqual(upTo(600))
  expect(steady.seqs).toEqual(upTo(600))
  expect(await door.metric('factotum_slow_consumers_total')).toBe(cutBefore)
  steady.close()
  await reader.close()
})
