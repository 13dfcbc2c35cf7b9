/**
 * (a) How long from sending a message to the final answer at a subscriber; (b) turns per second of 50 sessions; both
 * beside (c) the floor, the same work by the barest script (floor-main.ts). Product and floor take turns in short
 * rounds of the same run, and a ratio is the median of the rounds' ratios, so that a noisy moment hits both.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { MessageOutputsDocument, type MessageOutputsSubscription } from '../test/generated/graphql.ts'
import { ApiClient, type Watch } from '../test/harness/api-client.ts'
import { median, percentile, show } from './figures.ts'
import { cpuMs, postgresCpuMs, residentBytes } from './process-usage.ts'
import type { FloorApi } from './floor-main.ts'
import { HelperProcess } from './helper-process.ts'
import { JsonClient } from './json-client.ts'
import { TOKEN, USER_TOKEN, type Stage } from './stage.ts'
import type { Row } from './table.ts'

const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { __typename ... on SendMessagePayload { message { id } } } }`
const OPEN = `mutation ($input: OpenSessionInput!) { openSession(input: $input) { __typename ... on OpenSessionPayload { session { lastSeq } } } }`
interface Opened {
  readonly data: { readonly openSession: { readonly session: { readonly lastSeq: number } } }
}
export const SESSIONS = 50
export const MESSAGES = 4
/** Turns that are not counted: code is compiled, connections are opened, statements are prepared. */
export const WARM_UP_TURNS = 150
/** The same for (b): what is compiled for a long life is ready after about a thousand turns. */
const WARM_UP_ROUNDS = 4

export async function measureLatency(
  stage: Stage,
  { rounds, turns }: { rounds: number; turns: number },
): Promise<Row[]> {
  await using floor = await startFloor(stage)
  using product = new Product(stage)
  using ofUser = new Product(stage, USER_TOKEN)
  await product.answerTimes('cli:warm', WARM_UP_TURNS)
  await ofUser.answerTimes('@ben:warm', Math.ceil(WARM_UP_TURNS / 3))
  await floor.call('runTurns', { sessionIds: ['warm'], turns: WARM_UP_TURNS })
  const [same, fresh, user, least]: number[][][] = [[], [], [], []]
  for (let round = 0; round < rounds; round += 1) {
    same?.push(await product.answerTimes(`cli:same-${round}`, turns))
    const { latenciesMs } = await floor.call('runTurns', { sessionIds: [`a${round}`], turns })
    least?.push(latenciesMs)
    const first: number[] = []
    for (let turn = 0; turn < turns; turn += 1) first.push(...(await product.answerTimes(`cli:${round}-${turn}`, 1)))
    fresh?.push(first)
    user?.push(await ofUser.answerTimes(`@ben:${round}`, turns))
  }
  const row = (what: string, found: number[][] = [], floors: number[][] = []): Row => ({
    what: `(a) message to final answer, ms, ${what}`,
    value: show(median(found.flat())),
    floor: show(median(floors.flat())),
    ratio: show(median(found.map((times, n) => median(times) / median(floors[n] ?? [])))),
    note: `p10 ${spread(found, 0.1)}, p90 ${spread(found, 0.9)}; floor p10 ${spread(floors, 0.1)}, p90 ${spread(floors, 0.9)}`,
  })
  return [
    row('one session', same, least),
    row('new sessions', fresh, least),
    row('one session, role user', user, least),
    { ...row('role user to admin', user, same), value: '', floor: '', note: '' },
  ]
}

export async function measureThroughput(stage: Stage, { rounds }: { rounds: number }): Promise<Row[]> {
  await using floor = await startFloor(stage)
  using product = new Product(stage)
  const begunKb = await databaseKb(stage)
  const all: Throughput[] = []
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
    const before = cpuOf(stage)
    const ours = await product.turnsPerSecond(`cli:b${round}`)
    const after = cpuOf(stage)
    const sessionIds = Array.from({ length: SESSIONS }, (_, n) => `b${round}-${n}`)
    const { totalMs } = await floor.call('runTurns', { sessionIds, turns: MESSAGES })
    all.push({
      ours,
      floor: (SESSIONS * MESSAGES * 1000) / totalMs,
      serverMs: (after.server - before.server) / (SESSIONS * MESSAGES),
      postgresMs: (after.postgres - before.postgres) / (SESSIONS * MESSAGES),
    })
  }
  const what = `(b) turns per second, ${SESSIONS} sessions × ${MESSAGES}`
  // What is young, its code and its statements, is no worse a server, but another one.
  const diskKb = ((await databaseKb(stage)) - begunKb) / (all.length * SESSIONS * MESSAGES)
  return [
    toRow(what, all.slice(WARM_UP_ROUNDS)),
    toRow(`${what}, the server's first`, all.slice(0, WARM_UP_ROUNDS)),
    alone('(b) the same, disk, kB per turn, without the write-ahead log', show(diskKb)),
    alone('(b) the same, memory of the server afterwards, MB', show(residentBytes(stage.pid) / 1e6)),
  ]
}

interface Throughput {
  readonly ours: number
  readonly floor: number
  /** CPU per turn. */
  readonly serverMs: number
  readonly postgresMs: number
}

function cpuOf({ pid, home }: Stage): { readonly server: number; readonly postgres: number } {
  return { server: cpuMs(pid), postgres: postgresCpuMs(home) }
}

function toRow(what: string, found: readonly Throughput[]): Row {
  const of = (value: (one: Throughput) => number): number => median(found.map(value))
  return {
    what,
    value: show(of(({ ours }) => ours)),
    floor: show(of((one) => one.floor)),
    ratio: show(of((one) => one.ours / one.floor)),
    note:
      `best ${show(Math.max(...found.map(({ ours }) => ours)))}; floor best ${show(Math.max(...found.map((one) => one.floor)))}; ` +
      `CPU per turn: server ${show(of(({ serverMs }) => serverMs))} ms, PostgreSQL ${show(of(({ postgresMs }) => postgresMs))} ms`,
  }
}

function alone(what: string, value: string): Row {
  return { what, value, floor: '', ratio: '', note: '' }
}

/** Of the server's database: rows, indexes and what is kept beside them. */
async function databaseKb({ databaseUrl }: Stage): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ bytes: number }>('SELECT pg_database_size(current_database())::float8 AS bytes')
  await client.end()
  return (rows[0]?.bytes ?? 0) / 1000
}

function spread(rounds: readonly number[][], share: number): string {
  return show(percentile(rounds.flat(), share))
}

/** In a database of its own. */
export async function startFloor(stage: Stage): Promise<HelperProcess<FloorApi>> {
  const floor = new HelperProcess<FloorApi>('floor-main.ts')
  const databaseUrl = await stage.createDatabase('floor')
  await floor.call('prepare', { databaseUrl, modelUrl: stage.stubUrl })
  return floor
}

interface Asking {
  readonly content?: string
  readonly mode?: 'PLAN' | 'CHAT'
  readonly before?: () => Promise<void>
}

export class Product implements Disposable {
  readonly #stage: Pick<Stage, 'url'>
  readonly #token: string
  readonly #http: JsonClient

  /** Without a token: the bench's admin. */
  constructor(stage: Pick<Stage, 'url'>, token = TOKEN) {
    this.#stage = stage
    this.#token = token
    this.#http = new JsonClient(token)
  }

  /** One message after another in one session, each sent when the last was answered, after what `before` waits for. */
  async answerTimes(
    sessionId: string,
    count: number,
    { content = 'Say hi.', mode = 'PLAN', before }: Asking = {},
  ): Promise<number[]> {
    const opened = await this.#post<Opened>(OPEN, { input: { id: sessionId, mode } })
    await using watch = this.#watch(sessionId, opened.data.openSession.session.lastSeq)
    const seen = new AnswerCount(watch)
    // Subscribing is not confirmed by the protocol.
    await sleep(20)
    const found: number[] = []
    for (let turn = 1; turn <= count; turn += 1) {
      await before?.()
      const beganMs = performance.now()
      const sent = this.#post(SEND, { input: { sessionId, content } })
      await seen.reaches(turn)
      found.push(performance.now() - beganMs)
      await sent
    }
    return found
  }

  async turnsPerSecond(
    name: string,
    { mode = 'PLAN', sessions = SESSIONS }: { readonly mode?: 'PLAN' | 'CHAT'; readonly sessions?: number } = {},
  ): Promise<number> {
    const ids = Array.from({ length: sessions }, (_, n) => `${name}-${n}`)
    await Promise.all(ids.map((id) => this.#post(OPEN, { input: { id, mode } })))
    const watches = ids.map((id) => ({ id, watch: this.#watch(id) }))
    await sleep(300)
    const beganMs = performance.now()
    await Promise.all(
      watches.map(async ({ id, watch }) => {
        for (let n = 0; n < MESSAGES; n += 1) await this.#post(SEND, { input: { sessionId: id, content: 'Say hi.' } })
        await new AnswerCount(watch).reaches(MESSAGES)
      }),
    )
    const ms = performance.now() - beganMs
    await Promise.all(watches.map(({ watch }) => watch.close()))
    return (sessions * MESSAGES * 1000) / ms
  }

  [Symbol.dispose](): void {
    this.#http.close()
  }

  #watch(sessionId: string, after = 0): Watch<MessageOutputsSubscription> {
    return new ApiClient(this.#stage.url, this.#token).watch(MessageOutputsDocument, { sessionId, after })
  }

  #post<Reply>(query: string, variables: object): Promise<Reply> {
    return this.#http.post(`${this.#stage.url}/graphql`, { query, variables })
  }
}

/** Counts the whole texts that a subscription brings. */
class AnswerCount {
  readonly #watch: Watch<MessageOutputsSubscription>
  readonly #counted = new Set<MessageOutputsSubscription>()

  constructor(watch: Watch<MessageOutputsSubscription>) {
    this.#watch = watch
  }

  async reaches(count: number): Promise<void> {
    while (this.#counted.size < count) {
      const isNew = (one: MessageOutputsSubscription): boolean =>
        one.messageOutputs.__typename === 'TextCompletedEvent' && !this.#counted.has(one)
      this.#counted.add(await this.#watch.until(isNew))
    }
  }
}
