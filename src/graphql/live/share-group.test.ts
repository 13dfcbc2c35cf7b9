import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { buildSchema, GraphQLError, parse, validateSubscriptionArgs } from 'graphql'
import { expect, test } from 'vitest'
import { rounds } from '../../../test/harness/rounds.ts'
import type { Viewer } from '../../core/identity.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import type { LogPage, LogRange } from '../../events/log.ts'
import { Tail } from '../../events/tail.ts'
import { systemClock } from '../../platform/clock.ts'
import { createLogger } from '../../platform/logger.ts'
import { createMetrics } from '../../platform/metrics.ts'
import type { Batch } from './batch.ts'
import { textOf } from './bytes.ts'
import type { LogOperation } from '../operation/log-operation.ts'
import { ShareGroup, type Member } from './share-group.ts'
import type { Subscriber } from './subscriber.ts'

const logger = createLogger({ level: 'silent', pretty: false })
const viewer: Viewer = { tokenName: '', tokenKind: 'CONNECTOR', namespace: null, user: null, role: 'USER' }

const schema = buildSchema(`
  type Query { none: Int }
  type Subscription { events: Event }
  type Event { seq: Int, text: String }
`)
// Some events take a while to resolve, as those do that load something.
const eventType = schema.getType('Event') as unknown as { getFields(): Record<string, { resolve?: unknown }> }
const textField = eventType.getFields()['text']
if (textField !== undefined) {
  textField.resolve = async (event: { seq: number }) => {
    if (event.seq % 3 === 0) await setImmediate()
    return 'x'
  }
}
const eventsField = schema.getSubscriptionType()?.getFields()['events']
if (eventsField !== undefined) eventsField.resolve = (entry: unknown) => entry

function operationOf(document: string): LogOperation {
  const args = validateSubscriptionArgs({ schema, document: parse(document) })
  if (!('schema' in args)) throw new Error('not valid')
  // Every fifth event is none of this view's business.
  const view = {
    admits: (event: SessionEvent) => event.seq % 5 !== 0,
    typeNameOf: () => 'Event',
    startsWithSnapshot: false,
  }
  return { kind: 'log', view, field: 'events', sessionId: 's', after: null, shareKey: '', isPersonal: false, args }
}

class Collector implements Subscriber {
  readonly texts: string[] = []
  bufferedBytes = 0
  wasCut = false
  failure: GraphQLError | null = null

  get seqs(): number[] {
    return this.texts.map((text) => (JSON.parse(text) as { data: { events: { seq: number } } }).data.events.seq)
  }

  send(batch: Batch): void {
    this.texts.push(...batch.payloads.map(textOf))
  }

  async drained(): Promise<void> {
    await setImmediate()
    this.bufferedBytes = 0
  }

  cut(): void {
    this.wasCut = true
  }

  fail(error: GraphQLError): void {
    this.failure = error
  }
}

class World {
  readonly events: SessionEvent[] = []
  readonly members: { member: Member; collector: Collector; cursor: number }[] = []
  readonly tail = new Tail({
    sessionId: 's',
    readPage: async (range) => {
      await setImmediate()
      return this.#page(range)
    },
    onGone: () => undefined,
    budget: { used: 0, limit: 1 << 20 },
    logger,
  })
  readonly metrics = createMetrics()
  readonly group: ShareGroup

  private constructor(document: string, head: number) {
    this.group = new ShareGroup({
      operation: operationOf(document),
      following: {
        head: () => this.tail.anchor(),
        end: () => this.tail.readEnd(),
        read: (after) => this.tail.read(after),
        close: () => undefined,
      },
      head,
      createContext: () => ({}),
      maxResponseBytes: () => 16 * 1024 * 1024,
      onSessionUpdated: () => Promise.resolve(),
      clock: systemClock,
      logger,
      metrics: this.metrics,
    })
    this.tail.followers.add({
      grew: () => this.group.wake(),
      trimmed: () => this.group.forget(),
      ended: () => undefined,
    })
  }

  static async open(document: string): Promise<World> {
    const world = new World(document, 0)
    await world.tail.anchor()
    return world
  }

  get lastSeq(): number {
    return this.events.at(-1)?.seq ?? 0
  }

  append(count: number): SessionEvent[] {
    const added = Array.from({ length: count }, (_, n): SessionEvent => {
      const seq = this.lastSeq + n + 1
      return {
        type: 'TaskOutput',
        taskId: 't',
        stream: 'STDOUT',
        text: '',
        seq,
        at: new Date(0),
        sessionId: 's',
        turnId: null,
      }
    })
    this.events.push(...added)
    return added
  }

  join(cursor: number): Collector {
    const collector = new Collector()
    const member: Member = { viewer, subscriber: collector, cursor, open: true }
    this.members.push({ member, collector, cursor })
    this.group.add(member, null)
    return collector
  }

  /** What a subscriber with this cursor must have got by now. */
  expected(cursor: number): number[] {
    return this.events.map((event) => event.seq).filter((seq) => seq > cursor && seq % 5 !== 0)
  }

  async settle(): Promise<void> {
    this.tail.reached(this.lastSeq)
    for (let quiet = 0; quiet < 5; quiet += 1) {
      await this.tail.settled()
      await this.group.settled()
      await setImmediate()
    }
  }

  #page({ after, limit }: LogRange): LogPage {
    const rest = this.events.filter((event) => event.seq > after)
    const events = rest.slice(0, limit)
    const upTo = rest.length >= limit ? (events.at(-1)?.seq ?? 0) : this.lastSeq
    return { events, upTo, lastSeq: this.lastSeq, removedUpTo: null, unknownTypes: [] }
  }
}

type Step =
  | { readonly kind: 'publish' | 'elsewhere' | 'unheard'; readonly count: number }
  | { readonly kind: 'join'; readonly back: number }
  | { readonly kind: 'leave'; readonly who: number }
  | { readonly kind: 'hold'; readonly who: number }
  | { readonly kind: 'tick' }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('publish' as const, 'elsewhere' as const, 'unheard' as const),
    count: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ kind: fc.constant('elsewhere' as const), count: fc.constant(300) }),
  fc.record({ kind: fc.constant('join' as const), back: fc.integer({ min: 0, max: 400 }) }),
  fc.record({ kind: fc.constant('leave' as const), who: fc.nat(5) }),
  fc.record({ kind: fc.constant('hold' as const), who: fc.nat(5) }),
  fc.constant({ kind: 'tick' as const }),
)

async function perform(world: World, step: Step): Promise<void> {
  switch (step.kind) {
    case 'publish':
      return world.tail.published(world.append(step.count))
    case 'elsewhere':
      world.append(step.count)
      return world.tail.reached(world.lastSeq)
    case 'unheard':
      // Committed, but this process has not been notified yet.
      return void world.append(step.count)
    case 'join':
      return void world.join(Math.max(0, world.lastSeq - step.back))
    case 'leave': {
      const leaving = world.members[step.who]?.member
      return leaving === undefined ? undefined : world.group.remove(leaving)
    }
    case 'hold': {
      // More than enough for who catches up, not enough to be cut.
      const held = world.members[step.who]?.collector
      if (held !== undefined) held.bufferedBytes = 500_000
      return undefined
    }
    case 'tick':
      return setImmediate()
  }
}

test.each([
  ['resolved at once', 'subscription { events { seq } }'],
  ['resolved late', 'subscription { events { seq text } }'],
])('every member gets every admitted event after its cursor, once, in order: %s', async (_name, document) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const world = await World.open(document)
      for (const step of steps) await perform(world, step)
      await world.settle()
      for (const { member, collector, cursor } of world.members) {
        expect(collector.wasCut).toBe(false)
        const expected = world.expected(cursor)
        // Who left has got the beginning of it.
        const due = member.open ? expected.length : collector.seqs.length
        expect(collector.seqs).toEqual(expected.slice(0, due))
      }
    }),
    { numRuns: rounds(40, 150) },
  )
})

test('who joins where the log ended, while the group has read on, waits for the tail instead of spinning', async () => {
  const world = await World.open('subscription { events { seq } }')
  // More than the tail keeps: the first member is served from the log, which holds more than the tail has seen.
  world.tail.published(world.append(300))
  world.append(5)
  const first = world.join(0)
  const head = world.tail.head ?? 0
  for (let turn = 0; turn < 10 && first.seqs.length === 0; turn += 1) await setImmediate()
  const second = world.join(head)
  await world.settle()
  expect(first.seqs).toEqual(world.expected(0))
  expect(second.seqs).toEqual(world.expected(head))
})

test('a live member that holds too much is cut, the others are not', async () => {
  const world = await World.open('subscription { events { seq } }')
  const [slow, fast] = [world.join(0), world.join(0)]
  await world.settle()
  slow.bufferedBytes = 2 * 1024 * 1024
  world.tail.published(world.append(3))
  await world.settle()
  expect([slow.wasCut, slow.seqs]).toEqual([true, []])
  expect([fast.wasCut, fast.seqs]).toEqual([false, [1, 2, 3]])
  expect(world.group.members.size).toBe(1)
})

test('what was being made when something was removed is not kept for who comes after', async () => {
  if (textField === undefined) throw new Error('no field')
  const { resolve } = textField
  const gate = Promise.withResolvers<void>()
  let stored = 'there'
  textField.resolve = async () => {
    const found = stored
    await gate.promise
    return found
  }
  try {
    const world = await World.open('subscription { events { seq text } }')
    const [first, second] = [world.join(0), world.join(0)]
    world.tail.published(world.append(1))
    await setImmediate()
    stored = 'removed'
    world.tail.trimmed(0)
    gate.resolve()
    await world.settle()
    const third = world.join(0)
    await world.settle()
    const shown = [first, second, third].map(({ texts }) => texts.map((text) => text.includes('removed')))
    expect(shown).toEqual([[false], [false], [true]])
  } finally {
    textField.resolve = resolve
  }
})

/** Runs with a root field that fails with this code until `heal` is called. */
async function withFailing(code: string, run: (world: World, heal: () => void) => Promise<void>): Promise<void> {
  if (eventsField === undefined) throw new Error('no field')
  const { resolve } = eventsField
  let failing = true
  eventsField.resolve = (entry: unknown) => {
    if (failing) throw new GraphQLError('away', { extensions: { code } })
    return entry
  }
  try {
    await run(await World.open('subscription { events { seq } }'), () => (failing = false))
  } finally {
    eventsField.resolve = resolve
  }
}

test('an error in a result is not kept for those who ask again', async () => {
  await withFailing('NOT_FOUND', async (world, heal) => {
    const [first, second] = [world.join(0), world.join(0)]
    world.tail.published(world.append(1))
    await world.settle()
    heal()
    const third = world.join(0)
    await world.settle()
    expect([first, second, third].map(({ texts }) => texts.map((text) => text.includes('away')))).toEqual([
      [true],
      [true],
      [false],
    ])
  })
})

test('an event that cannot be loaded while the database is away is shown later, not skipped', async () => {
  await withFailing('DATABASE_UNAVAILABLE', async (world, heal) => {
    const live = world.join(0)
    await world.settle()
    world.tail.published(world.append(2))
    await world.settle()
    const late = world.join(0)
    expect([live.texts, late.texts]).toEqual([[], []])
    heal()
    while (live.texts.length < 2 || late.texts.length < 2) await setImmediate()
    expect([live.seqs, late.seqs]).toEqual([
      [1, 2],
      [1, 2],
    ])
  })
})
