import { setImmediate } from 'node:timers/promises'
import { buildSchema, GraphQLError, parse, validateSubscriptionArgs } from 'graphql'
import { expect, test } from 'vitest'
import type { Viewer } from '../../core/identity.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import { Tail } from '../../events/tail.ts'
import { systemClock } from '../../platform/clock.ts'
import { createLogger } from '../../platform/logger.ts'
import { createMetrics } from '../../platform/metrics.ts'
import type { Batch } from './batch.ts'
import { textOf } from './bytes.ts'
import { Hub } from './hub.ts'
import type { LogOperation } from '../operation/log-operation.ts'
import type { Subscriber } from './subscriber.ts'

const logger = createLogger({ level: 'silent', pretty: false })
const schema = buildSchema('type Query { none: Int } type Subscription { events: Event } type Event { seq: Int }')
const eventsField = schema.getSubscriptionType()?.getFields()['events']
if (eventsField !== undefined) eventsField.resolve = (entry: unknown) => entry

function operationOf(after: number | null): LogOperation {
  const args = validateSubscriptionArgs({ schema, document: parse('subscription { events { seq } }') })
  if (!('schema' in args)) throw new Error('not valid')
  const view = { admits: (): boolean => true, typeNameOf: () => 'Event', startsWithSnapshot: false }
  return { kind: 'log', view, field: 'events', sessionId: 'cli:s', after, shareKey: '', isPersonal: false, args }
}

function viewerOf(name: string): Viewer {
  return { tokenName: name, tokenKind: 'USER', namespace: null, user: { name, role: 'USER' }, role: 'USER' }
}

class Listener implements Subscriber {
  readonly bufferedBytes = 0
  failure: GraphQLError | null = null
  readonly seqs: number[] = []
  send(batch: Batch): void {
    const shown = batch.payloads.map((payload) => JSON.parse(textOf(payload)) as { data: { events: { seq: number } } })
    this.seqs.push(...shown.map(({ data }) => data.events.seq))
  }
  drained(): Promise<void> {
    return Promise.resolve()
  }
  cut(): void {}
  fail(error: GraphQLError): void {
    this.failure = error
  }
}

/**
 * A session whose log has one event, with a hub that follows it. `whileAsking` happens while the log's end is being
 * asked for.
 */
class World {
  participants = new Set(['alice', 'ben'])
  whileAsking: () => Promise<void> = () => Promise.resolve()
  readonly events: SessionEvent[] = []
  readonly tail = new Tail({
    sessionId: 'cli:s',
    readPage: ({ after }) => {
      const lastSeq = this.events.length
      const events = this.events.filter(({ seq }) => seq > after)
      return Promise.resolve({ events, upTo: lastSeq, lastSeq, removedUpTo: null, unknownTypes: [] })
    },
    onGone: () => this.tail.close('gone'),
    budget: { used: 0, limit: 1 << 20 },
    logger,
  })
  readonly hub = new Hub({
    mayOpen: () => false,
    feed: {
      await: () => () => undefined,
      follow: (_, follower) => {
        this.tail.followers.add(follower)
        return {
          head: () => this.tail.anchor(),
          end: async () => {
            const end = await this.tail.readEnd()
            await this.whileAsking()
            return end
          },
          read: (after) => this.tail.read(after),
          close: () => void this.tail.followers.delete(follower),
        }
      },
    },
    readAudience: () => {
      const names = new Set(this.participants)
      return Promise.resolve((viewer) => names.has(viewer.user?.name ?? ''))
    },
    createContext: () => ({}),
    maxResponseBytes: () => 16 * 1024 * 1024,
    clock: systemClock,
    logger,
    metrics: createMetrics(),
  })

  commit(): SessionEvent[] {
    const seq = this.events.length + 1
    const event = { type: 'SessionUpdated', seq, at: new Date(0), sessionId: 'cli:s', turnId: null } as const
    this.events.push(event)
    return [event]
  }

  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 10; quiet += 1) await setImmediate()
  }

  async open(name: string, after: number | null): Promise<[Listener, string]> {
    const subscriber = new Listener()
    const opened = await this.hub.open({ operation: operationOf(after), viewer: viewerOf(name), subscriber })
    return [subscriber, opened instanceof GraphQLError ? String(opened.extensions['code']) : 'open']
  }

  static async begin(): Promise<World> {
    const world = new World()
    world.tail.published(world.commit())
    return world
  }
}

test('who is removed while the end of the log is being asked for does not get in', async () => {
  const world = await World.begin()
  const [alice, outcome] = await world.open('alice', null)
  expect(outcome).toBe('open')
  // Another process commits: the log is one longer than is known here.
  world.commit()
  world.whileAsking = async () => {
    world.participants.delete('ben')
    world.tail.published(world.commit())
    await world.settle()
  }
  const [ben, refused] = await world.open('ben', 2)
  expect([refused, ben.failure]).toEqual(['NOT_FOUND', null])
  expect(alice.failure).toBeNull()
})

test('a session that is deleted while the end of its log is being asked for is not subscribed to', async () => {
  const world = await World.begin()
  await world.open('alice', null)
  world.commit()
  world.whileAsking = () => {
    world.tail.close('gone')
    return Promise.resolve()
  }
  const [, refused] = await world.open('ben', 2)
  expect(refused).toBe('NOT_FOUND')
})

test('a cursor beyond the log is refused, but not to who may not see the session', async () => {
  const world = await World.begin()
  const [, mine] = await world.open('alice', 5)
  const [, foreign] = await world.open('cleo', 5)
  expect([mine, foreign]).toEqual(['BAD_USER_INPUT', 'NOT_FOUND'])
})

test('who is removed is shown nothing of what happened from then on, also where all of it is heard of at once', async () => {
  const world = await World.begin()
  const [alice] = await world.open('alice', null)
  const [ben] = await world.open('ben', null)
  world.tail.published(world.commit())
  await world.settle()
  world.participants.delete('ben')
  world.tail.published([...world.commit(), ...world.commit()])
  // Ben comes back with the cursor of before: the log behind it is read for him, and holds what he may not see.
  const late = world.open('ben', 1)
  await world.settle()
  expect(alice.seqs).toEqual([2, 3, 4])
  expect(ben.seqs).toEqual([2])
  expect(ben.failure?.extensions['code']).toBe('NOT_FOUND')
  expect((await late)[1]).toBe('NOT_FOUND')
})

test('who catches up while being removed is shown nothing of what happened from then on', async () => {
  const world = await World.begin()
  await world.open('alice', null)
  const [ben, outcome] = await world.open('ben', 0)
  world.participants.delete('ben')
  world.tail.published([...world.commit(), ...world.commit()])
  await world.settle()
  expect(outcome).toBe('open')
  expect(ben.seqs).toEqual([1])
  expect(ben.failure?.extensions['code']).toBe('NOT_FOUND')
})
