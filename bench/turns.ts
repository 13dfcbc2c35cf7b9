/**
 * (a) How long from sending a message to the final answer at a subscriber; (b) turns per second of 50 sessions; (c) the same
 * work by the floor (floor-main.ts). Product and floor take turns in the same run, so that noise hits both.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { MessageOutputsDocument, type MessageOutputsSubscription } from '../test/generated/graphql.ts'
import { ApiClient, type Watch } from '../test/harness/api-client.ts'
import { median, percentile, show } from './figures.ts'
import type { FloorApi } from './floor-main.ts'
import { HelperProcess } from './helper-process.ts'
import { JsonClient } from './json-client.ts'
import type { Row } from './main.ts'
import { TOKEN, type Stage } from './stage.ts'

const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { __typename ... on SendMessagePayload { message { id } } } }`
const OPEN = `mutation ($input: OpenSessionInput!) { openSession(input: $input) { __typename } }`
const SESSIONS = 50
const MESSAGES = 4

export async function measureTurns(
  stage: Stage,
  { rounds, perRound }: { rounds: number; perRound: number },
): Promise<Row[]> {
  await using floor = new HelperProcess<FloorApi>('floor-main.ts')
  const databaseUrl = await stage.createDatabase('floor')
  await floor.call('prepare', { databaseUrl, modelUrl: stage.stubUrl })
  const product = new Product(stage)
  const found = {
    latency: [] as number[],
    floorLatency: [] as number[],
    rate: [] as number[],
    floorRate: [] as number[],
  }
  // The first round warms both up and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const latency = await product.latencies(`cli:a${round}`, perRound)
    const alone = await floor.call('runTurns', { sessionIds: [`a${round}`], turns: perRound })
    const rate = await product.turnsPerSecond(`cli:b${round}`)
    const sessionIds = Array.from({ length: SESSIONS }, (_, n) => `b${round}-${n}`)
    const crowd = await floor.call('runTurns', { sessionIds, turns: MESSAGES })
    if (round === 0) continue
    found.latency.push(...latency)
    found.floorLatency.push(...alone.latenciesMs)
    found.rate.push(rate)
    found.floorRate.push((SESSIONS * MESSAGES * 1000) / crowd.totalMs)
  }
  product.close()
  const [a, floorA, b, floorB] = [found.latency, found.floorLatency, found.rate, found.floorRate].map(median)
  if (a === undefined || floorA === undefined || b === undefined || floorB === undefined) return []
  const spread = `p10 ${show(percentile(found.latency, 0.1))}, p90 ${show(percentile(found.latency, 0.9))}`
  return [
    {
      what: '(a) message to final answer, ms',
      value: show(a),
      floor: show(floorA),
      ratio: show(a / floorA),
      note: spread,
    },
    {
      what: `(b) turns per second, ${SESSIONS} × ${MESSAGES}`,
      value: show(b),
      floor: show(floorB),
      ratio: show(b / floorB),
      note: '',
    },
  ]
}

class Product {
  readonly #stage: Stage
  readonly #http = new JsonClient(TOKEN)

  constructor(stage: Stage) {
    this.#stage = stage
  }

  /** One message after another in one session, each sent when the last was answered. */
  async latencies(sessionId: string, count: number): Promise<number[]> {
    await this.#post(OPEN, { input: { id: sessionId } })
    await using watch = this.#watch(sessionId)
    const found: number[] = []
    for (let turn = 0; turn < count; turn += 1) {
      const beganMs = performance.now()
      const sent = this.#post(SEND, { input: { sessionId, content: 'Say hi.' } })
      await answers(watch, turn + 1)
      found.push(performance.now() - beganMs)
      await sent
      // The turn's last commit and the session's release are not part of the answer's way.
      await sleep(5)
    }
    return found
  }

  async turnsPerSecond(name: string): Promise<number> {
    const ids = Array.from({ length: SESSIONS }, (_, n) => `${name}-${n}`)
    await Promise.all(ids.map((id) => this.#post(OPEN, { input: { id } })))
    const watches = ids.map((id) => ({ id, watch: this.#watch(id) }))
    await sleep(300)
    const beganMs = performance.now()
    await Promise.all(
      watches.map(async ({ id, watch }) => {
        for (let n = 0; n < MESSAGES; n += 1) await this.#post(SEND, { input: { sessionId: id, content: 'Say hi.' } })
        await answers(watch, MESSAGES)
      }),
    )
    const ms = performance.now() - beganMs
    await Promise.all(watches.map(({ watch }) => watch.close()))
    return (SESSIONS * MESSAGES * 1000) / ms
  }

  close(): void {
    this.#http.close()
  }

  #watch(sessionId: string): Watch<MessageOutputsSubscription> {
    return new ApiClient(this.#stage.url, TOKEN).watch(MessageOutputsDocument, { sessionId, after: 0 })
  }

  #post(query: string, variables: object): Promise<unknown> {
    return this.#http.post(`${this.#stage.url}/graphql`, { query, variables })
  }
}

/** Resolves when so many whole texts have come. */
async function answers(watch: Watch<MessageOutputsSubscription>, count: number): Promise<void> {
  let seen = 0
  await watch.until(({ messageOutputs }) => messageOutputs.content != null && ++seen === count)
}
