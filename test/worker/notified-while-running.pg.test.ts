/**
 * The slot of a session: work that is notified while it is occupied is begun as soon as it is free, not with the next
 * poll (the polls of this worker wait for ever after the first, so nothing else could begin it), and a claim that took
 * nothing does not free what another one has taken.
 */
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Doorbell } from '../../src/events/doorbell.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { LogLines } from '../../src/platform/log-lines.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import type { AcceptResult } from '../../src/store/intake/accept-message.ts'
import type { BegunTurn } from '../../src/store/turn/begin-turn.ts'
import type { Lease } from '../../src/store/turn/lease.ts'
import { commitTurn } from '../../src/store/turn/turn-commit.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { Worker } from '../../src/worker/worker.ts'
import { Arrivals } from '../harness/arrivals.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { createWorld, type World } from '../intake/intake-world.ts'
import { TIMING } from '../../src/config/timing.ts'

const SESSION = '@alice:notified'
const logger = createLogger({ level: 'silent', pretty: false })

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

/** A run that ends its turn, and frees its slot, when the test says so. */
class HeldRun {
  readonly #lease: Lease
  readonly #freed = Promise.withResolvers<void>()
  readonly begun: BegunTurn | null
  readonly settled = this.#freed.promise

  constructor(lease: Lease, begun: BegunTurn | null) {
    this.#lease = lease
    this.begun = begun
  }

  /** Nothing waits: the session is free in the database before its slot is here. */
  async endTurn(): Promise<void> {
    const { turn } = must(this.begun, 'the turn was begun with the claim')
    const finish = { status: 'DONE', failure: null, at: new Date() } as const
    await commitTurn(world.context.database, { lease: this.#lease, turn }, { events: [], finish })
  }

  free = (): void => this.#freed.resolve()
  handOver = this.free
  abandon = this.free
  cancelTurn = (): void => undefined
  finishTurnOnly = (): void => undefined
}

/** Time passes, but no pause ends before it is aborted. */
class EndlessPauses implements Clock {
  begun = 0
  now = () => systemClock.now()
  monotonicMs = (): number => systemClock.monotonicMs()
  after: Clock['after'] = (ms, action) => systemClock.after(ms, action)

  sleep(_ms: number, signal?: AbortSignal): Promise<void> {
    this.begun += 1
    return new Promise((resolve) => {
      if (signal?.aborted === true) resolve()
      else signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

/** A pause between two turns ends, and its time has passed, when the test says so. */
class HeldPaces extends EndlessPauses {
  readonly held: { readonly ms: number; readonly action: () => void }[] = []
  #nowMs = 0

  override monotonicMs = () => this.#nowMs
  override after: Clock['after'] = (ms, action) => {
    if (ms > 50) return systemClock.after(ms, action)
    this.held.push({ ms, action })
    return () => {}
  }

  end(): void {
    const { ms, action } = must(this.held.pop(), 'a turn waits')
    this.#nowMs += ms
    action()
  }
}

/** Until no claim is under way: only then is a message offered a node. */
async function quiet(worker: Worker): Promise<void> {
  const offered = async (): Promise<object | null> => {
    let offer: object | null = null
    await worker.takeWith('@alice:other', (start) => {
      offer = start
      return Promise.resolve({ kind: 'NoSession' })
    })
    return offer
  }
  await expect.poll(offered).not.toBeNull()
}

interface Stage extends AsyncDisposable {
  readonly worker: Worker
  readonly doorbell: Doorbell
  readonly runs: Arrivals<HeldRun>
}

/** A worker that has claimed nothing yet. */
async function begin({ clock = new EndlessPauses(), load = { isBusy: false } } = {}): Promise<Stage> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTemporaryHome())
  // Those of the world have the numbers that a real one would get.
  await world.sql('DELETE FROM nodes')
  const { database, config } = world.context
  const doorbell = new Doorbell({ url: database.url, logger, clock: systemClock })
  const runs = new Arrivals<HeldRun>()
  const worker = new Worker({
    database,
    home: home.path,
    homeProblem: () => null,
    logLines: new LogLines(),
    metrics: createMetrics(),
    doorbell,
    config,
    timing: TIMING,
    clock,
    logger,
    conversations: { heldOf: () => null, stop: () => undefined },
    load,
    commands: { allowUntil: () => undefined, endAll: () => Promise.resolve() },
    startRun: (lease, begun) => {
      const run = new HeldRun(lease, begun)
      runs.add(run)
      return run
    },
  })
  await worker.start()
  stack.defer(() => worker.stop())
  // The beats and the poll have had their first ticks.
  await expect.poll(() => clock.begun).toBe(2)
  await quiet(worker)
  const cleanup = stack.move()
  return { worker, doorbell, runs, [Symbol.asyncDispose]: () => cleanup.disposeAsync() }
}

test('a session that is notified between the end of its turn and that of its run is taken again at once', async () => {
  await using stage = await begin()
  const { worker, doorbell, runs } = stage
  await sendMessage(world.context, world.as('alice'), { sessionId: SESSION, content: 'first' })
  doorbell.ring({ kind: 'work', sessionId: SESSION })
  const [first] = await runs.until(({ length }) => length === 1)
  await quiet(worker)
  await first?.endTurn()
  await sendMessage(world.context, world.as('alice'), { sessionId: SESSION, content: 'second' })
  doorbell.ring({ kind: 'work', sessionId: SESSION })
  first?.free()
  await setImmediate()
  // What has been begun by now is waited for.
  await worker.stop()

  expect(runs.all.map(({ begun }) => begun?.turn.content)).toEqual(['first', 'second'])
})

test('what a claim of many takes while the answer to its message is on its way keeps its slot', async () => {
  await using stage = await begin()
  const { worker, doorbell, runs } = stage
  const answer = Promise.withResolvers<AcceptResult>()
  const accepted = worker.takeWith(SESSION, async () => {
    await sendMessage(world.context, world.as('alice'), { sessionId: SESSION, content: 'first' })
    doorbell.ring({ kind: 'work', sessionId: '' })
    return answer.promise
  })
  const [run] = await runs.until(({ length }) => length === 1)
  answer.resolve({ kind: 'Accepted', seq: 1, turnId: 'turn_1', interrupted: null, taken: null })
  await accepted
  await setImmediate()
  doorbell.ring({ kind: 'work', sessionId: '' })
  await quiet(worker)

  // A second run would take the lease from the first, whose command is then marked as interrupted.
  expect(runs.all).toHaveLength(1)
  expect(await world.sql(`SELECT epoch FROM sessions WHERE id = '${SESSION}'`)).toMatchObject([{ epoch: 1 }])
  run?.free()
})

test('while the event loop is busy and messages come, turns beyond six begin one by one, though none of them ends', async () => {
  const [clock, load] = [new HeldPaces(), { isBusy: false }]
  await using stage = await begin({ clock, load })
  const { doorbell, runs } = stage
  load.isBusy = true
  await quiet(stage.worker) // a message comes
  for (let n = 1; n <= 8; n += 1) {
    await sendMessage(world.context, world.as('alice'), { sessionId: `@alice:${n}`, content: 'Hello' })
    doorbell.ring({ kind: 'work', sessionId: `@alice:${n}` })
  }
  await runs.until(({ length }) => length === 6)
  await expect.poll(() => clock.held).toHaveLength(1)
  expect(runs.all).toHaveLength(6)

  clock.end()
  await runs.until(({ length }) => length === 7)
  await expect.poll(() => clock.held).toHaveLength(1)
  clock.end()
  const all = await runs.until(({ length }) => length === 8)
  for (const run of all) run.free()
})

test('work that is notified while claims go on, and may not begin yet, begins with the next pace', async () => {
  const [clock, load] = [new HeldPaces(), { isBusy: false }]
  await using stage = await begin({ clock, load })
  const { worker, doorbell, runs } = stage
  for (let n = 1; n <= 6; n += 1) {
    await sendMessage(world.context, world.as('alice'), { sessionId: `@alice:${n}`, content: 'Hello' })
    doorbell.ring({ kind: 'work', sessionId: `@alice:${n}` })
  }
  await runs.until(({ length }) => length === 6)
  await quiet(worker)
  doorbell.ring({ kind: 'work', sessionId: '' }) // a claim that finds nothing
  doorbell.ring({ kind: 'work', sessionId: '' })
  load.isBusy = true
  await expect.poll(() => clock.held).toHaveLength(1)
  await sendMessage(world.context, world.as('alice'), { sessionId: '@alice:7', content: 'Hello' })

  clock.end()
  const all = await runs.until(({ length }) => length === 7)
  for (const run of all) run.free()
})
