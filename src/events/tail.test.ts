import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../test/harness/rounds.ts'
import type { SessionEvent } from '../core/session-event.ts'
import { createLogger } from '../platform/logger.ts'
import type { LogPage, LogRange } from './log.ts'
import { PAGE_SIZE, Tail, type Follower } from './tail.ts'

const logger = createLogger({ level: 'silent', pretty: false })

function eventOf(seq: number, text = ''): SessionEvent {
  return { type: 'TaskOutput', taskId: 't', stream: 'STDOUT', text, seq, at: new Date(0), sessionId: 's', turnId: null }
}

/** A log in memory: what PostgreSQL does for us, with reads that see the moment at which they are answered. */
class MemoryLog {
  events: SessionEvent[] = []
  lastSeq = 0
  reads = 0

  commit(count: number): SessionEvent[] {
    const added = Array.from({ length: count }, () => eventOf((this.lastSeq += 1)))
    this.events.push(...added)
    return added
  }

  page(range: LogRange): LogPage {
    this.reads += 1
    const rest = this.events.filter((event) => event.seq > range.after)
    const events = rest.slice(0, range.limit)
    const upTo = rest.length >= range.limit ? (events.at(-1)?.seq ?? this.lastSeq) : this.lastSeq
    return { events, upTo, lastSeq: this.lastSeq, removedUpTo: null, unknownTypes: [] }
  }
}

function tailOf(readPage: (range: LogRange) => Promise<LogPage | null>, onGone = (): void => undefined): Tail {
  return new Tail({ sessionId: 's', readPage, onGone, budget: { used: 0, limit: 1 << 20 }, logger })
}

/** Follows like the hub does: reads from its own cursor whenever it is notified, one read at a time. */
class Reader implements Follower {
  readonly seen: number[] = []
  readonly #tail: Tail
  #cursor: number
  #running: Promise<void> | null = null
  #again = false

  constructor(tail: Tail, cursor: number) {
    this.#tail = tail
    this.#cursor = cursor
    tail.followers.add(this)
  }

  trims = 0

  readonly ended = (): void => undefined

  readonly trimmed = (): void => void (this.trims += 1)

  readonly grew = (): void => {
    this.#again = true
    this.#running ??= this.#drain()
  }

  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  async #drain(): Promise<void> {
    while (this.#again) {
      this.#again = false
      const read = await this.#tail.read(this.#cursor)
      if (read === null) break
      this.seen.push(...read.events.map((event) => event.seq))
      if (read.upTo > this.#cursor) this.#again = true
      this.#cursor = read.upTo
    }
    this.#running = null
  }
}

describe('tail', () => {
  test('takes published events that continue it without reading the log', async () => {
    const log = new MemoryLog()
    log.commit(3)
    const tail = tailOf(async (range) => log.page(range))
    expect(await tail.anchor()).toBe(3)
    const readsBefore = log.reads
    const reader = new Reader(tail, 3)
    tail.published(log.commit(2))
    tail.published(log.commit(1))
    await reader.settled()
    expect(reader.seen).toEqual([4, 5, 6])
    expect(log.reads).toBe(readsBefore)
  })

  test('reads the log once per wake-up, however many follow', async () => {
    const log = new MemoryLog()
    const tail = tailOf(async (range) => log.page(range))
    await tail.anchor()
    const readers = Array.from({ length: 100 }, () => new Reader(tail, 0))
    const readsBefore = log.reads
    log.commit(7)
    tail.reached(7)
    await tail.settled()
    for (const reader of readers) await reader.settled()
    expect(readers.map((reader) => reader.seen.length)).toEqual(Array(100).fill(7))
    expect(log.reads - readsBefore).toBe(1)
  })

  test('readers with the same old cursor share a read', async () => {
    const log = new MemoryLog()
    log.commit(20)
    const tail = tailOf(async (range) => log.page(range))
    await tail.anchor()
    const readsBefore = log.reads
    await Promise.all(Array.from({ length: 50 }, async () => tail.read(5)))
    expect(log.reads - readsBefore).toBe(1)
  })

  test('tells its followers of each removal that is rung, and of those that a poll finds, once', async () => {
    const log = new MemoryLog()
    const tail = tailOf(async (range) => log.page(range))
    tail.published(log.commit(5))
    const reader = new Reader(tail, 5)
    tail.trimmed(3)
    tail.removedUpTo(3)
    expect(reader.trims).toBe(1)
    tail.removedUpTo(4)
    tail.removedUpTo(4)
    expect(reader.trims).toBe(2)
    tail.trimmed(0)
    expect(reader.trims).toBe(3)
  })

  test('keeps a bounded cache and falls back to the log', async () => {
    const log = new MemoryLog()
    const budget = { used: 0, limit: 1 << 20 }
    const tail = new Tail({
      sessionId: 's',
      readPage: async (range) => log.page(range),
      onGone: () => undefined,
      budget,
      logger,
    })
    await tail.anchor()
    for (let n = 0; n < 40; n += 1) {
      const event = eventOf((log.lastSeq += 1), 'x'.repeat(64 * 1024))
      log.events.push(event)
      tail.published([event])
      expect(budget.used).toBeLessThanOrEqual(256 * 1024)
    }
    const all = await tail.read(0)
    expect(all?.events.length).toBe(40)
    tail.close('stopped')
    expect(budget.used).toBe(0)
  })

  test('a read that overlaps what was published meanwhile adds nothing twice', async () => {
    const log = new MemoryLog()
    const answers: (() => void)[] = []
    const tail = tailOf((range) => new Promise((resolve) => answers.push(() => resolve(log.page(range)))))
    const anchored = tail.anchor()
    answers.shift()?.()
    await anchored
    const mine = log.commit(1)
    log.commit(1)
    tail.reached(2)
    tail.published(mine)
    answers.shift()?.()
    await tail.settled()
    const read = await tail.read(0)
    expect(read?.events.map((event) => event.seq)).toEqual([1, 2])
  })

  test('a session that was deleted ends its followers', async () => {
    const log = new MemoryLog()
    let gone = 0
    const pages: (LogPage | null)[] = [
      { ...log.page({ sessionId: 's', after: 0, limit: 1 }), lastSeq: 4, upTo: 4 },
      null,
    ]
    const tail = tailOf(
      async () => pages.shift() ?? null,
      () => (gone += 1),
    )
    expect(await tail.anchor()).toBe(4)
    tail.reached(9)
    await tail.settled()
    expect(gone).toBe(1)
  })

  test('a notification of a log that was longer once does not hide later events', async () => {
    const log = new MemoryLog()
    log.commit(2)
    const tail = tailOf(async (range) => log.page(range))
    await tail.anchor()
    tail.reached(500)
    await tail.settled()
    const reader = new Reader(tail, 2)
    tail.published(log.commit(1))
    await reader.settled()
    expect(reader.seen).toEqual([3])
  })

  test('a read that fails is made again at the next notification', async () => {
    const log = new MemoryLog()
    let failing = false
    const tail = tailOf(async (range) => {
      if (failing) throw new Error('database gone')
      return log.page(range)
    })
    await tail.anchor()
    const reader = new Reader(tail, 0)
    failing = true
    log.commit(2)
    tail.reached(2)
    await tail.settled()
    expect(reader.seen).toEqual([])
    failing = false
    tail.reached(2)
    await tail.settled()
    await reader.settled()
    expect(reader.seen).toEqual([1, 2])
  })
})

/**
 * Two writers (this process, which publishes, and another, which rings or is only found by a poll), deletions of
 * pieces, readers that come at any time with any cursor, reads of the log that are answered late and in any order.
 */
type Step =
  | { readonly kind: 'commit here'; readonly count: number; readonly late: boolean }
  | { readonly kind: 'commit elsewhere'; readonly count: number; readonly rings: boolean }
  | { readonly kind: 'delete'; readonly seqBack: number }
  | { readonly kind: 'follow'; readonly back: number }
  | { readonly kind: 'publish late' }
  | { readonly kind: 'poll' }
  | { readonly kind: 'answer a read' }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('commit here' as const),
    count: fc.integer({ min: 1, max: 4 }),
    late: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('commit elsewhere' as const),
    count: fc.constantFrom(1, 2, 3, PAGE_SIZE + 5),
    rings: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('delete' as const), seqBack: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ kind: fc.constant('follow' as const), back: fc.integer({ min: 0, max: 30 }) }),
  fc.constant({ kind: 'publish late' as const }),
  fc.constant({ kind: 'poll' as const }),
  fc.constant({ kind: 'answer a read' as const }),
)

class World {
  readonly log = new MemoryLog()
  readonly readers: { reader: Reader; cursor: number }[] = []
  /** Seqs that were in the log and are not any more: a reader may or may not see them. */
  readonly deleted = new Set<number>()
  /** The notification of the newest commit is lost for good: only a poll finds the commit. */
  #unheard = false
  readonly #waiting: (() => void)[] = []
  readonly #unpublished: (readonly SessionEvent[])[] = []
  readonly tail = tailOf((range) => {
    // The answer is of the moment of the question or of the moment it arrives: both happen.
    const early = this.log.reads % 2 === 0 ? this.log.page(range) : null
    return new Promise<LogPage>((resolve) => this.#waiting.push(() => resolve(early ?? this.log.page(range))))
  })

  async do(step: Step): Promise<void> {
    const { log, tail } = this
    switch (step.kind) {
      case 'commit here': {
        const events = log.commit(step.count)
        this.#unheard = false
        if (step.late) this.#unpublished.push(events)
        else tail.published(events)
        break
      }
      case 'commit elsewhere':
        log.commit(step.count)
        this.#unheard = !step.rings
        if (step.rings) tail.reached(log.lastSeq)
        break
      case 'delete': {
        const [removed] = log.events.splice(Math.max(0, log.events.length - 1 - step.seqBack), 1)
        if (removed !== undefined) this.deleted.add(removed.seq)
        break
      }
      case 'follow': {
        await Promise.race([tail.anchor(), Promise.resolve()])
        const cursor = Math.max(0, log.lastSeq - step.back)
        const reader = new Reader(tail, cursor)
        this.readers.push({ reader, cursor })
        reader.grew()
        break
      }
      case 'publish late':
        tail.published(this.#unpublished.shift() ?? [])
        break
      case 'poll':
        tail.reached(log.lastSeq)
        break
      case 'answer a read':
        this.#waiting.splice(0, 1)[0]?.()
        break
    }
    await Promise.resolve()
  }

  /** Everything that is late arrives. */
  async settle(): Promise<void> {
    for (const events of this.#unpublished.splice(0)) this.tail.published(events)
    const finishing = { done: false }
    const finished = this.#finish().finally(() => (finishing.done = true))
    while (!finishing.done) {
      this.#waiting.splice(0, 1)[0]?.()
      await Promise.resolve()
    }
    await finished
  }

  async #finish(): Promise<void> {
    await this.tail.anchor()
    if (this.#unheard) this.tail.reached(this.log.lastSeq)
    await this.tail.settled()
    for (const { reader } of this.readers) {
      // The readers are not woken here: one that missed a notification must fail the test.
      await reader.settled()
    }
  }
}

test('every reader sees every event of the log after its cursor, once, in order, whatever happens when', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const world = new World()
      for (const step of steps) await world.do(step)
      await world.settle()
      for (const { reader, cursor } of world.readers) {
        const { seen } = reader
        expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
        const must = world.log.events.map((event) => event.seq).filter((seq) => seq > cursor)
        expect(seen.filter((seq) => !world.deleted.has(seq))).toEqual(must)
      }
    }),
    { numRuns: rounds(1000, 5000) },
  )
})

describe('after an erasure', () => {
  const erasure = (seq: number): SessionEvent => {
    return { type: 'SessionUpdated', erased: true, seq, at: new Date(0), sessionId: 's', turnId: null }
  }
  const textsOf = (read: { readonly events: readonly SessionEvent[] } | null): string[] =>
    (read?.events ?? []).flatMap((event) => (event.type === 'TaskOutput' ? [event.text] : []))

  test('what was kept of the log before it is read anew', async () => {
    const log = new MemoryLog()
    const tail = tailOf((range) => Promise.resolve(log.page(range)))
    tail.published([eventOf(1, 'secret'), eventOf(2, 'secret')])
    expect(textsOf(await tail.read(0))).toEqual(['secret', 'secret'])
    log.events = [eventOf(1, ''), eventOf(2, ''), erasure(3)]
    log.lastSeq = 3
    tail.published([erasure(3)])
    expect(textsOf(await tail.read(0))).toEqual(['', ''])
    expect(log.reads).toBe(1)
    expect(await tail.read(2)).toEqual({ events: [erasure(3)], upTo: 3 })
  })

  test('what was being read of the log meanwhile is read anew', async () => {
    const log = new MemoryLog()
    const held = Promise.withResolvers<void>()
    const tail = tailOf(async (range) => {
      const page = log.page(range)
      if (log.reads === 2) await held.promise
      return page
    })
    log.events = [eventOf(1, 'secret')]
    log.lastSeq = 1
    await tail.anchor()
    const reading = tail.read(0)
    log.events = [eventOf(1, ''), erasure(2)]
    log.lastSeq = 2
    tail.published([erasure(2)])
    held.resolve()
    expect(textsOf(await reading)).toEqual([''])
  })
})
