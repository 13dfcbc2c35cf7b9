import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import { ERASED } from '../../src/core/text/erased.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { must } from '../../src/platform/must.ts'
import { claimDelivery, LONGEST_ATTEMPT_MS, reopenDeliveries, settleDelivery } from '../../src/store/delivery.ts'
import { changeSession } from '../../src/store/intake/intake-session.ts'
import { PATIENCE_MS } from '../harness/patience.ts'
import { DeliveryWorld, FAST, type Deliverer, type WorldOptions } from './delivery-world.ts'
import { answer, endlessBody, hang, inTurn, Receiver, reset, slowHeaders, type Behaviour } from './receiver.ts'

/** One world with one process for the tests of a group; each test has sessions of its own. */
function sharedWorld(options: WorldOptions): () => { world: DeliveryWorld; outbox: Deliverer['outbox'] } {
  let shared: { world: DeliveryWorld; outbox: Deliverer['outbox'] } | null = null
  beforeAll(async () => {
    const world = await DeliveryWorld.create(options)
    shared = { world, outbox: (await world.deliverer()).outbox }
  })
  afterAll(() => shared?.world[Symbol.asyncDispose]())
  return () => must(shared, 'the world is there')
}

test('a text is posted once, signed, as its row says', async () => {
  await using world = await DeliveryWorld.create()
  await using receiver = await Receiver.start()
  const { outbox, metrics } = await world.deliverer()
  const [first = '', second = ''] = await world.commit('cli:demo', receiver.url(), ['One moment.', 'Done: 42 ✓'])
  outbox.wake('cli:demo')
  await world.settled(second)
  expect(receiver.received.all.map(({ body }) => body)).toMatchObject([
    { session: 'cli:demo', type: 'msg', content: 'One moment.', final: false },
    { session: 'cli:demo', type: 'msg', content: 'Done: 42 ✓', final: true },
  ])
  const [post] = receiver.received.all
  expect(Object.keys(post?.body ?? {})).toEqual(['session', 'task_id', 'type', 'content', 'final'])
  expect(post?.headers).toMatchObject({ 'webhook-id': first, 'content-type': 'application/json' })
  expect(new Webhook(world.secrets[0] ?? '').verify(post?.raw ?? '', post?.headers ?? {})).toEqual(post?.body)
  expect(await world.row(first)).toMatchObject({
    status: 'DELIVERED',
    attempts: 1,
    last_status_code: 204,
    last_error: null,
    next_attempt_at: null,
    delivered_at: expect.any(Date),
  })
  expect(await metrics.registry.getSingleMetricAsString('factotum_deliveries_total')).toContain(
    '{status="DELIVERED"} 2',
  )
})

test('a receiver that is back is said, one that was never away is not', async () => {
  const lines: string[] = []
  await using world = await DeliveryWorld.create({ log: (line) => void lines.push(line) })
  await using receiver = await Receiver.start((response, { body }, nth) =>
    response.writeHead(body.content === 'b' && nth === 1 ? 503 : 204).end(),
  )
  const { outbox } = await world.deliverer()
  const ids = await world.commit('cli:back', receiver.url(), ['a', 'b', 'c'])
  outbox.wake('cli:back')
  await world.settled(ids[2] ?? '')
  await outbox.stop()
  const said = lines.map((line) => JSON.parse(line) as { msg: string; deliveryId?: string; attempts?: number })
  expect(said.filter(({ deliveryId }) => deliveryId !== undefined)).toMatchObject([
    { msg: 'delivery failed; retrying later', deliveryId: ids[1], attempts: 1 },
    { msg: 'delivered after failed attempts', deliveryId: ids[1], attempts: 2 },
  ])
})

/** What the row says after a receiver has behaved like this, and what that has seen. */
async function outcomeOf(
  { world, outbox }: ReturnType<ReturnType<typeof sharedWorld>>,
  { name, behaviour }: { name: string; behaviour: Behaviour },
) {
  await using receiver = await Receiver.start(behaviour)
  const sessionId = `cli:${name.replaceAll(' ', '-')}`
  const [id = ''] = await world.commit(sessionId, receiver.url(), ['Hello'])
  outbox.wake(sessionId)
  const row = await world.settled(id)
  return { row, id, seenIds: receiver.received.all.map(({ headers }) => headers['webhook-id']) }
}

describe('what receivers do', () => {
  const schedule = { ...FAST, maxRetryAfterMs: 200 }
  // Patient where an answer comes, or a busy machine would be taken for a silent one.
  const get = sharedWorld({ timeoutMs: 5000, schedule })
  const getHasty = sharedWorld({ timeoutMs: 1000, schedule })
  const dead = { status: 'DEAD', attempts: 3, next_attempt_at: null, delivered_at: null }
  test.each<[string, Behaviour, object]>([
    ['500', answer(500), { ...dead, last_status_code: 500, last_error: 'The webhook answered 500.' }],
    ['400', answer(400), { ...dead, last_status_code: 400 }],
    ['410', answer(410), { ...dead, attempts: 1, last_status_code: 410 }],
    ['429 without Retry-After', answer(429), { ...dead, last_status_code: 429 }],
    ['a reset', reset, { ...dead, last_error: expect.stringContaining('could not be reached') }],
    ['an endless error', endlessBody(500), { ...dead, last_status_code: 500 }],
    ['an endless good answer', endlessBody(200), { status: 'DELIVERED', attempts: 1, last_status_code: 200 }],
    [
      'better the third time',
      inTurn(answer(500), reset, answer(200)),
      { status: 'DELIVERED', attempts: 3, last_status_code: 200, last_error: null },
    ],
    [
      'headers without end',
      (response) => response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end(),
      { ...dead, last_error: expect.stringContaining('could not be reached') },
    ],
  ])('%s', async (name, behaviour, expected) => {
    const { row, id, seenIds } = await outcomeOf(get(), { name, behaviour })
    expect(row).toMatchObject(expected)
    expect(seenIds).toEqual(Array.from({ length: row.attempts }, () => id))
  })

  test.each<[string, Behaviour]>([
    ['hanging', hang],
    ['slow headers', slowHeaders],
  ])('%s', async (name, behaviour) => {
    const { row, id, seenIds } = await outcomeOf(getHasty(), { name, behaviour })
    const error = 'The webhook did not answer within 1 s.'
    expect(row).toMatchObject({ ...dead, last_status_code: null, last_error: error })
    expect(seenIds).toEqual([id, id, id])
  })

  test('a redirect to somewhere inside is not followed', async () => {
    const { world, outbox } = get()
    await using inside = await Receiver.start()
    await using receiver = await Receiver.start(answer(307, { location: inside.url() }))
    const [id = ''] = await world.commit('cli:zoo-2', receiver.url(), ['Hello'])
    outbox.wake('cli:zoo-2')
    const { last_error: error } = await world.settled(id)
    expect(error).toBe('The webhook answered with a redirect (307), which is not followed.')
    expect(inside.received.all).toEqual([])
  })

  test('nobody there', async () => {
    const { world, outbox } = get()
    const receiver = await Receiver.start()
    const url = receiver.url()
    await receiver[Symbol.asyncDispose]()
    const [id = ''] = await world.commit('cli:zoo-3', url, ['Hello'])
    outbox.wake('cli:zoo-3')
    expect(await world.settled(id)).toMatchObject({ ...dead, last_error: expect.stringContaining('ECONNREFUSED') })
  })

  test('a server that speaks no TLS where https is wanted', async () => {
    const { world, outbox } = get()
    await using receiver = await Receiver.start()
    const [id = ''] = await world.commit('cli:zoo-tls', receiver.url().replace('http:', 'https:'), ['Hello'])
    outbox.wake('cli:zoo-tls')
    expect(await world.settled(id)).toMatchObject({
      ...dead,
      last_error: expect.stringContaining('could not be reached'),
    })
    expect(receiver.received.all).toEqual([])
  })

  test('Retry-After is honoured, up to a limit', async () => {
    const { world, outbox } = get()
    await using receiver = await Receiver.start(inTurn(answer(503, { 'retry-after': '3600' }), answer(200)))
    const [id = ''] = await world.commit('cli:zoo-4', receiver.url(), ['Hello'])
    outbox.wake('cli:zoo-4')
    await world.settled(id)
    const [first, second] = receiver.received.all
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(195)
  })

  test('little of an answer is read', async () => {
    const { world, outbox } = get()
    const poured = Promise.withResolvers<number>()
    await using receiver = await Receiver.start(endlessBody(200, poured.resolve))
    await world.commit('cli:zoo-5', receiver.url(), ['Hello'])
    outbox.wake('cli:zoo-5')
    // What the operating system buffers on the way, and no more.
    expect(await poured.promise).toBeLessThan(8_000_000)
  })
})

describe('nothing inside is ever reached', () => {
  const get = sharedWorld({ allowList: [] })
  test.each([
    'http://127.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://localhost:PORT/',
    'http://0.0.0.0:PORT/',
  ])('%s, set while it was allowed', async (url) => {
    const session = `cli:${new URL(url.replace('PORT', '1')).hostname.replaceAll(/[^a-f0-9]/g, '-')}`
    const { world, outbox } = get()
    await using inside = await Receiver.start()
    const [id = ''] = await world.commit(session, url.replace('PORT', String(inside.port)), ['Hello'])
    outbox.wake(session)
    expect(await world.settled(id)).toMatchObject({ status: 'DEAD', last_status_code: null })
    expect(inside.received.all).toEqual([])
  })

  test('a name that led outside when it was set, and leads inside when it is used', async () => {
    await using inside = await Receiver.start()
    const resolve = async (): Promise<{ address: string; family: number }[]> => [{ address: '127.0.0.1', family: 4 }]
    await using world = await DeliveryWorld.create({ allowList: [], resolve })
    const { outbox } = await world.deliverer()
    const [id = ''] = await world.commit('cli:demo', `http://rebinding.example:8080/`, ['Hello'])
    outbox.wake('cli:demo')
    expect(await world.settled(id)).toMatchObject({
      status: 'DEAD',
      last_error: expect.stringContaining('must not lead to 127.0.0.1'),
    })
    expect(inside.received.all).toEqual([])
  })
})

describe('order and independence', () => {
  const get = sharedWorld({ timeoutMs: 60_000 })
  test('a session keeps its order through failures, and a dead delivery does not hold up the next', async () => {
    const { world, outbox } = get()
    await using receiver = await Receiver.start((response, { body }, nth) =>
      response.writeHead(body.content === 'b' || (body.content === 'c' && nth < 3) ? 500 : 200).end(),
    )
    const ids = await world.commit('cli:order-1', receiver.url(), ['a', 'b', 'c', 'd'])
    outbox.wake('cli:order-1')
    await world.settled(ids[3] ?? '')
    expect(receiver.received.all.map(({ body }) => body.content).join('')).toBe('abbbcccd')
    const statuses = await Promise.all(ids.map(async (id) => (await world.row(id)).status))
    expect(statuses).toEqual(['DELIVERED', 'DEAD', 'DELIVERED', 'DELIVERED'])
  })

  test('receivers that hang keep no other session waiting', async () => {
    const { world, outbox } = get()
    await using hanging = await Receiver.start(hang)
    await using good = await Receiver.start()
    for (let n = 0; n < 20; n += 1) {
      await world.commit(`cli:hanging-${n}`, hanging.url(), ['Hello'])
      outbox.wake(`cli:hanging-${n}`)
    }
    await hanging.received.until((all) => all.length === 4)
    const [id = ''] = await world.commit('cli:good', good.url(), ['Hello'])
    outbox.wake('cli:good')
    expect(await world.settled(id)).toMatchObject({ status: 'DELIVERED', attempts: 1 })
    expect(hanging.received.all).toHaveLength(4)
  })

  test('many sessions are served side by side, at most four at a time by one host', async () => {
    const { world, outbox } = get()
    await using receiver = await Receiver.start()
    const sessions = Array.from({ length: 30 }, (_, n) => `cli:many-${n}`)
    const ids = await Promise.all(sessions.map((session) => world.commit(session, receiver.url(), ['1', '2', '3'])))
    for (const session of sessions) outbox.wake(session)
    await receiver.received.until((all) => all.length === 90)
    await Promise.all(ids.map((all) => world.settled(all[2] ?? '')))
    for (const session of sessions) {
      const own = receiver.received.all.filter(({ body }) => body.session === session)
      expect(own.map(({ body }) => body.content)).toEqual(['1', '2', '3'])
    }
    expect(receiver.mostAtOnce).toBeLessThanOrEqual(4)
  })

  test('two processes that see to the same session post each text once, in order', async () => {
    const { world, outbox } = get()
    await using receiver = await Receiver.start()
    const other = await world.deliverer()
    const texts = Array.from({ length: 20 }, (_, n) => String(n))
    const ids = await world.commit('cli:order-4', receiver.url(), texts)
    for (const one of [outbox, other.outbox]) one.wake('cli:order-4')
    await world.settled(ids.at(-1) ?? '')
    expect(receiver.received.all.map(({ body }) => body.content)).toEqual(texts)
  })

  test('of two processes that have both found a text due, one attempts it', async () => {
    const { world, outbox } = get()
    await using receiver = await Receiver.start()
    const other = await world.deliverer()
    const [id = ''] = await world.commit('cli:order-5', receiver.url(), ['Hello'])
    await world.database.transaction(async (holder) => {
      await holder.query({ name: '', text: 'SELECT FROM deliveries WHERE id = $1 FOR UPDATE' }, [id])
      for (const one of [outbox, other.outbox]) one.wake('cli:order-5')
      await world.untilClaimsWait(2)
    })
    expect(await world.settled(id)).toMatchObject({ status: 'DELIVERED', attempts: 1 })
    expect(receiver.received.all).toHaveLength(1)
  })

  test('a process whose time was over posts no later text while another one attempts the same again', async () => {
    const { world, outbox } = get()
    const [late, again] = [Promise.withResolvers<ServerResponse>(), Promise.withResolvers<ServerResponse>()]
    await using receiver = await Receiver.start((response, { body }, nth) => {
      if (body.content === 'a') (nth === 1 ? late : again).resolve(response)
      else response.writeHead(204).end()
    })
    const other = await world.deliverer()
    const [a = '', b = ''] = await world.commit('cli:order-6', receiver.url(), ['a', 'b'])
    outbox.wake('cli:order-6')
    const first = await late.promise
    await world.sql('UPDATE deliveries SET next_attempt_at = now() WHERE id = $1', a)
    other.outbox.wake('cli:order-6')
    const second = await again.promise
    first.writeHead(204).end()
    await Promise.race([world.job('cli:order-6'), receiver.received.until((all) => all.length === 3)])
    expect(receiver.received.all.map(({ body }) => body.content)).toEqual(['a', 'a'])
    second.writeHead(204).end()
    expect(await world.settled(b)).toMatchObject({ status: 'DELIVERED', attempts: 1 })
    expect(receiver.received.all.map(({ body }) => body.content)).toEqual(['a', 'a', 'b'])
  })

  test('of texts that are due, none is attempted before those that were said before it', async () => {
    const { world } = get()
    const [a = '', b = ''] = await world.commit('cli:order-7', 'https://example.org/hook', ['a', 'b'])
    expect(await claimDelivery(world.database, b, 60_000)).toBeNull()
    expect(await claimDelivery(world.database, a, 60_000)).toMatchObject({ id: a, attempts: 1 })
    expect(await claimDelivery(world.database, b, 60_000)).toBeNull()
  })
})

describe('a process that cannot take a session', () => {
  test('that is full leaves it to a job some time later, and takes it at once when there is a place', async () => {
    await using world = await DeliveryWorld.create({ timeoutMs: 60_000, maxSessions: 1 })
    const held = Promise.withResolvers<ServerResponse>()
    await using receiver = await Receiver.start((response, { body }) => {
      if (body.session === 'cli:one') held.resolve(response)
      else response.writeHead(204).end()
    })
    const { outbox } = await world.deliverer()
    const [one = ''] = await world.commit('cli:one', receiver.url(), ['Hello'])
    const [two = ''] = await world.commit('cli:two', receiver.url(), ['Hello'])
    outbox.wake('cli:one')
    const response = await held.promise
    outbox.wake('cli:two')
    // The first job is not due, so none runs, again and again, while the process is full.
    expect(await world.job('cli:two')).toEqual({ id: '1', isDue: false })
    response.writeHead(204).end()
    await world.settled(one)
    await world.settled(two)
    expect(await world.row(two)).toMatchObject({ status: 'DELIVERED', attempts: 1 })
    expect(await world.job('cli:two')).toMatchObject({ isDue: false })
  })

  test('that stops leaves it to another one at once', async () => {
    await using world = await DeliveryWorld.create()
    await using receiver = await Receiver.start()
    const one = await world.deliverer()
    const [id = ''] = await world.commit('cli:demo', receiver.url(), ['Hello'])
    await one.stop()
    one.outbox.wake('cli:demo')
    expect(await world.job('cli:demo')).toMatchObject({ isDue: true })
    await world.deliverer()
    expect(await world.settled(id)).toMatchObject({ status: 'DELIVERED' })
  })
})

describe('a webhook that is gone for good', () => {
  const get = sharedWorld({ timeoutMs: 60_000, schedule: { ...FAST, givenUp: { pauseMs: 10, maxAgeMs: 0 } } })
  const outcomes = async (world: DeliveryWorld, ids: readonly string[]): Promise<string[]> => {
    const rows = await Promise.all(ids.map((id) => world.settled(id)))
    return rows.map(({ status, attempts }) => `${status} ${attempts}`)
  }
  const GIVEN_UP = 'The webhook answered 500. It had been given up with the text before.'

  test('holds later texts no longer than they are of use, until it takes one', async () => {
    const { world, outbox } = get()
    await using receiver = await Receiver.start((response, { body }) =>
      response.writeHead(body.content === 'good' ? 200 : 500).end(),
    )
    const texts = ['bad', 'bad', 'bad', 'good', 'bad']
    const ids = await world.commit('cli:gone-1', receiver.url(), texts)
    outbox.wake('cli:gone-1')
    expect(await outcomes(world, ids)).toEqual(['DEAD 3', 'DEAD 1', 'DEAD 1', 'DELIVERED 1', 'DEAD 3'])
    expect(await world.row(ids[2] ?? '')).toMatchObject({ last_error: GIVEN_UP })
  })

  test('is no reason to give up another one, or for a text that was erased', async () => {
    const { world, outbox } = get()
    await using before = await Receiver.start(answer(500))
    await using after = await Receiver.start(answer(500))
    const ids = await world.commit('cli:gone-2', before.url(), ['bad'])
    outbox.wake('cli:gone-2')
    expect(await outcomes(world, ids)).toEqual(['DEAD 3'])
    const later = await world.commit('cli:gone-2', after.url(), [ERASED, 'bad'])
    outbox.wake('cli:gone-2')
    expect(await outcomes(world, later)).toEqual(['DEAD 1', 'DEAD 3'])
  })
})

describe('at least once', () => {
  test('an attempt whose process died is made again when its time is over, and counts', async () => {
    await using world = await DeliveryWorld.create()
    await using receiver = await Receiver.start()
    const [id = ''] = await world.commit('cli:demo', receiver.url(), ['Hello'])
    // As a process leaves it that dies after it has counted the attempt; and its time is over.
    await world.sql("UPDATE deliveries SET attempts = 1, next_attempt_at = now() - interval '1 ms' WHERE id = $1", id)
    const { outbox } = await world.deliverer()
    await outbox.sweep()
    expect(await world.settled(id)).toMatchObject({ status: 'DELIVERED', attempts: 2 })
  })

  test('what an attempt came to is not stored once another one was counted', async () => {
    await using world = await DeliveryWorld.create()
    const [id = ''] = await world.commit('cli:demo', 'https://example.org/hook', ['Hello'])
    const late = must(await claimDelivery(world.database, id, 0), 'it is due')
    must(await claimDelivery(world.database, id, 60_000), 'its time was over')
    const outcome = {
      status: 'DEAD',
      statusCode: 500,
      error: 'late',
      waitMs: 0,
      shownUrl: 'https://example.org',
    } as const
    expect(await settleDelivery(world.database, late, outcome)).toBeNull()
    expect(await world.row(id)).toMatchObject({ status: 'PENDING', attempts: 2 })
  })

  test('what was committed and never woken is found', async () => {
    await using world = await DeliveryWorld.create()
    await using receiver = await Receiver.start()
    const ids = await Promise.all([1, 2, 3].map((n) => world.commit(`cli:${n}`, receiver.url(), ['Hello'])))
    const { outbox } = await world.deliverer()
    await outbox.sweep()
    await Promise.all(ids.flat().map((id) => world.settled(id)))
    expect(receiver.received.all).toHaveLength(3)
  })

  test('a process that stops in the middle of an attempt hands it back uncounted, and another takes it up', async () => {
    await using world = await DeliveryWorld.create({ timeoutMs: 60_000 })
    await using receiver = await Receiver.start(inTurn(hang, answer(200)))
    const one = await world.deliverer()
    const [id = ''] = await world.commit('cli:demo', receiver.url(), ['Hello'])
    one.outbox.wake('cli:demo')
    await receiver.received.until((all) => all.length === 1)
    await one.stop()
    expect(await world.row(id)).toMatchObject({ status: 'PENDING', attempts: 0 })
    await world.deliverer()
    expect(await world.settled(id)).toMatchObject({ status: 'DELIVERED', attempts: 1 })
    expect(receiver.received.all).toHaveLength(2)
  })

  test('a process that stops while an address answers no connection does not wait for it, and hands it back', async () => {
    const asked = Promise.withResolvers<void>()
    const resolve = (): Promise<never> => {
      asked.resolve()
      return new Promise(() => {})
    }
    await using world = await DeliveryWorld.create({ resolve })
    const one = await world.deliverer()
    const [id = ''] = await world.commit('cli:demo', 'http://silent.example:8080/', ['Hello'])
    one.outbox.wake('cli:demo')
    await asked.promise
    const stopping = systemClock.monotonicMs()
    await one.stop()
    expect(systemClock.monotonicMs() - stopping).toBeLessThan(PATIENCE_MS / 2)
    expect(await world.row(id)).toMatchObject({ status: 'PENDING', attempts: 0 })
  })
})

describe('secrets and webhooks that change', () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()]
  const get = sharedWorld({ secrets })
  test('while one secret replaces the other, a post carries the signatures of both', async () => {
    const { world, outbox } = get()
    await using receiver = await Receiver.start()
    const [id = ''] = await world.commit('cli:secrets-1', receiver.url(), ['Hello'])
    outbox.wake('cli:secrets-1')
    await world.settled(id)
    const [post] = receiver.received.all
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(post?.raw ?? '', post?.headers ?? {})).toEqual(post?.body)
    }
    expect(() => new Webhook(newWebhookSecret()).verify(post?.raw ?? '', post?.headers ?? {})).toThrow('No matching')
  })

  test('a delivery goes where the webhook is now; without one it is given up', async () => {
    const { world, outbox } = get()
    await using wrong = await Receiver.start(answer(500))
    await using right = await Receiver.start()
    const [moved = ''] = await world.commit('cli:moved', wrong.url(), ['Hello'])
    await world.sql("UPDATE sessions SET webhook = $1 WHERE id = 'cli:moved'", right.url())
    outbox.wake('cli:moved')
    expect(await world.settled(moved)).toMatchObject({ status: 'DELIVERED', url: right.url() })
    const [gone = ''] = await world.commit('cli:gone', right.url(), ['Hello'])
    await world.sql("UPDATE sessions SET webhook = NULL WHERE id = 'cli:gone'")
    outbox.wake('cli:gone')
    expect(await world.settled(gone)).toMatchObject({
      status: 'DEAD',
      attempts: 1,
      last_error: expect.stringContaining('no webhook any more'),
    })
    expect(wrong.received.all).toEqual([])
  })

  /** As `updateSession` does it. */
  const setWebhook = (world: DeliveryWorld, sessionId: string, url: string | null) =>
    changeSession(
      world.database,
      {
        sessionId,
        access: { all: true, userName: 'ada', tokenName: 'bridge', opener: '@ada', mustHaveOpened: false },
      },
      {
        webhook: url === null ? null : { url, tokenName: 'bridge' },
        setMetadata: '{}',
        dropMetadata: [],
        maxMetadataBytes: 1000,
        join: [],
        leave: [],
        at: new Date(),
      },
    )

  test('what waits for hours is posted once the webhook is mended, and given up once it is taken away', async () => {
    const { world, outbox } = get()
    await using right = await Receiver.start()
    for (const session of ['cli:mended', 'cli:taken', 'cli:as-it-was']) {
      const [id = ''] = await world.commit(session, 'https://wrong.example/hook', ['Hello'])
      await world.sql(
        "UPDATE deliveries SET attempts = 8, next_attempt_at = now() + interval '8 hours' WHERE id = $1",
        id,
      )
    }
    await setWebhook(world, 'cli:mended', right.url())
    await setWebhook(world, 'cli:taken', null)
    await setWebhook(world, 'cli:as-it-was', 'https://wrong.example/hook')
    await outbox.sweep()
    const [mended, taken, asItWas] = await world.sql<{ id: string }>(
      `SELECT id FROM deliveries WHERE session_id IN ('cli:mended', 'cli:taken', 'cli:as-it-was') ORDER BY seq`,
    )
    expect(await world.settled(mended?.id ?? '')).toMatchObject({ status: 'DELIVERED', url: right.url() })
    expect(await world.settled(taken?.id ?? '')).toMatchObject({
      status: 'DEAD',
      last_error: 'The session has no webhook any more.',
    })
    expect(await world.row(asItWas?.id ?? '')).toMatchObject({ status: 'PENDING', attempts: 8 })
  })

  test('an attempt under way keeps its time when the webhook is changed', async () => {
    const { world } = get()
    const [id = ''] = await world.commit('cli:under-way', 'https://wrong.example/hook', ['Hello'])
    must(await claimDelivery(world.database, id, LONGEST_ATTEMPT_MS), 'it is due')
    const { next_attempt_at: until } = await world.row(id)
    expect(await setWebhook(world, 'cli:under-way', 'https://right.example/hook')).toMatchObject({ kind: 'Changed' })
    expect(await world.row(id)).toMatchObject({ attempts: 1, next_attempt_at: until })
  })

  test('a text that was erased is not posted, also when an admin has all of its session posted again', async () => {
    const { world, outbox } = get()
    await using receiver = await Receiver.start()
    const [id = ''] = await world.commit('cli:erased', receiver.url(), ['Hello'])
    await world.sql("UPDATE deliveries SET status = 'DEAD', next_attempt_at = NULL WHERE id = $1", id)
    await world.sql("UPDATE tasks SET output = $1 WHERE session_id = 'cli:erased'", ERASED)
    const by = { userName: 'ada', tokenName: 'ada', max: 10 }
    expect(await reopenDeliveries(world.database, { status: ['DEAD'], sessionId: 'cli:erased' }, by)).toHaveLength(1)
    outbox.wake('cli:erased')
    expect(await world.settled(id)).toMatchObject({ status: 'DEAD', attempts: 1, last_error: 'The text was erased.' })
    expect(receiver.received.all).toEqual([])
  })

  test('a token that cannot sign any more posts nothing', async () => {
    const { world, outbox } = get()
    await using receiver = await Receiver.start()
    const [id = ''] = await world.commit('cli:secrets-3', receiver.url(), ['Hello'])
    await world.sql("UPDATE sessions SET webhook_token = 'removed' WHERE id = 'cli:secrets-3'")
    outbox.wake('cli:secrets-3')
    expect(await world.settled(id)).toMatchObject({
      status: 'DEAD',
      last_error: 'The token "removed", which set the webhook, is gone; set it with another.',
    })
    expect(receiver.received.all).toEqual([])
  })
})

test('every attempt is in the audit, without the path of the webhook', async () => {
  await using world = await DeliveryWorld.create()
  await using receiver = await Receiver.start(inTurn(answer(500), answer(200)))
  const { outbox } = await world.deliverer()
  const [id = ''] = await world.commit('cli:demo', receiver.url('/hook/secret?key=hush'), ['Hello'])
  outbox.wake('cli:demo')
  await world.settled(id)
  const entries = await world.sql<{ data: object; token_name: string; turn_id: string }>(
    "SELECT data, token_name, turn_id FROM audit_entries WHERE kind = 'DELIVERY' ORDER BY pos",
  )
  const url = `http://127.0.0.1:${receiver.port}/…`
  expect(entries).toMatchObject([
    {
      token_name: 'bridge',
      turn_id: expect.stringContaining('turn_'),
      data: { deliveryId: id, url, status: 'PENDING', statusCode: 500, attempts: 1 },
    },
    { token_name: 'bridge', data: { deliveryId: id, url, status: 'DELIVERED', statusCode: 200, attempts: 2 } },
  ])
  expect(JSON.stringify(entries)).not.toContain('Hello')
})
