/**
 * A request whose body comes in slowly: it is judged by the configuration that holds when it is complete, and nobody
 * waits for it longer than 30 s, or 300 s for a file.
 */
import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { Story, storyConfig, tokenOf } from '../harness/story.ts'
import { createTemporaryHome, type TemporaryHome } from '../harness/temporary-home.ts'
import { createDoorWorld, createSession, tokenOf as tokenAtDoor, type Door, type DoorWorld } from './door-world.ts'
import { PATIENCE } from '../harness/patience.ts'

const SUBSCRIBE = 'subscription { sessionUpdates { session { id } } }'

describe('where its token is removed while its body comes in', () => {
  let story: Story
  beforeAll(async () => {
    story = await Story.begin()
  })
  afterAll(() => story?.[Symbol.asyncDispose]())

  test.each([
    ['a query', 'application/json', '{ viewer { tokenName } }'],
    ['a subscription', 'text/event-stream', SUBSCRIBE],
  ])('%s is not run', async (_name, accept, query) => {
    const body = JSON.stringify({ query })
    const slow = begin(story, accept, body)
    await once(slow, 'continue')
    await using _another = await story.reconfigureForNow(
      storyConfig().replace(tokenOf('ben'), 'another-token-for-the-story'),
    )
    slow.end(body.slice(5))
    const [response] = (await once(slow, 'response')) as [IncomingMessage]
    response.destroy()
    expect(response.statusCode).toBe(401)
  })
})

/** The server has begun to read when it says "continue". */
function begin(story: Story, accept: string, body: string): ClientRequest {
  const slow = request(`${story.app.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokenOf('ben')}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      accept,
      expect: '100-continue',
    },
  })
  slow.write(body.slice(0, 5))
  return slow
}

/** On which timers of 30 s fire after 0.3 s. */
const FAST = 100
/** Those that have fired, by the time for which they were set. */
const fired: number[] = []
const fastClock: Clock = {
  ...systemClock,
  after: (ms, action) =>
    systemClock.after(ms / FAST, () => {
      fired.push(ms)
      action()
    }),
}
const [BODY_MS, UPLOAD_MS] = [30_000, 300_000]

describe('a body that does not come to its end', () => {
  let home: TemporaryHome
  let world: DoorWorld
  let door: Door
  beforeAll(async () => {
    home = await createTemporaryHome()
    world = await createDoorWorld()
    door = await world.openDoor({ clock: fastClock, home: home.path })
    await createSession(door.database, 'cli:slow', ['alice'])
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await home.remove()
  })

  /** Sends a byte now and then, so that the connection is never idle, until it is cut off. Null: without an answer. */
  async function trickle(method: string, path: string, headers: object = {}): Promise<number | null> {
    fired.length = 0
    const authorization = `Bearer ${tokenAtDoor('alice')}`
    const sent = request(`${door.url}${path}`, { method, headers: { authorization, ...headers } })
    let status: number | null = null
    const over = new Promise<void>((resolve) => {
      sent.on('response', (response: IncomingMessage) => {
        status = response.statusCode ?? null
        response.resume()
      })
      sent.on('error', () => resolve())
      sent.on('close', resolve)
    })
    const writing = setInterval(() => void sent.write(' '), 50)
    await over
    clearInterval(writing)
    sent.destroy()
    return status
  }

  async function cutOffs(): Promise<number> {
    const { values } = await door.metrics.httpRequests.get()
    return values.find(({ labels }) => labels.status === 408 && labels.route === '/graphql')?.value ?? 0
  }

  const json = { 'content-type': 'application/json' }
  test.each([
    ['of a stated length', { ...json, 'content-length': 1000 }],
    ['of no stated length', { ...json, 'transfer-encoding': 'chunked' }],
  ])('is cut off after 30 s with 408: %s', async (_name, headers) => {
    const before = await cutOffs()
    expect(await trickle('POST', '/graphql', headers)).toBe(408)
    expect(fired).toContain(BODY_MS)
    expect(fired).not.toContain(UPLOAD_MS)
    await vi.waitFor(async () => expect(await cutOffs()).toBe(before + 1), PATIENCE)
    expect(await door.metric('factotum_masked_errors_total')).toBe(0)
  })

  test.each([
    ['GET', '/health'],
    ['GET', '/graphql'],
    ['POST', `/pub/pub_${'0'.repeat(32)}`],
    ['POST', '/files/cli%3Aslow/notes.txt'],
    ['POST', '/nothing'],
  ])('is cut off where it is not read: %s %s', async (method, path) => {
    await trickle(method, path, { 'content-length': 1000 })
    expect(fired).not.toContain(UPLOAD_MS)
  })

  test('is cut off after 300 s where it is a file', async () => {
    expect(await trickle('PUT', '/files/cli%3Aslow/notes.txt', { 'content-length': 1000 })).toBeNull()
    expect(fired).toContain(UPLOAD_MS)
  })
})
