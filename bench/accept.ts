/**
 * (e) How many messages a second are accepted, and how long one takes to be: the ceiling, with a model that never
 * answers so that only intake works, and beside turns that really run.
 */
import { percentile, show } from './figures.ts'
import { JsonClient } from './json-client.ts'
import { TOKEN, type Stage } from './stage.ts'
import type { Row } from './table.ts'
import { Product } from './turns.ts'

const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { __typename ... on SendMessagePayload { message { id } } } }`
/** Below max_queued (100) for each. */
const PER_SESSION = 50

export async function measureAccept(stage: Stage, { messages }: { messages: number }): Promise<Row[]> {
  await stage.stub.call('hold', true)
  const rows: Row[] = []
  for (const atOnce of [1, 16, 64]) {
    const name = `cli:e${atOnce}`
    const { latenciesMs, perSecond } = await acceptWarm(stage, { name, atOnce, messages })
    const note = `p50 ${show(percentile(latenciesMs, 0.5))} ms, p99 ${show(percentile(latenciesMs, 0.99))} ms`
    rows.push({
      what: `(e) sendMessage per second, ${atOnce} at once`,
      value: show(perSecond),
      floor: '',
      ratio: '',
      note,
    })
  }
  await stage.stub.call('hold', false)
  for (const atOnce of [16, 64]) rows.push(await acceptBesideTurns(stage, { atOnce, messages: messages / 2 }))
  return rows
}

/** All turns of these messages run, as many at a time as the server lets; some time before, too. */
async function acceptBesideTurns(
  stage: Stage,
  { atOnce, messages }: { atOnce: number; messages: number },
): Promise<Row> {
  const name = `cli:e-turns${atOnce}`
  using product = new Product(stage)
  await product.turnsPerSecond(`${name}-warm`)
  const { latenciesMs, perSecond } = await acceptWarm(stage, { name, atOnce, messages })
  return {
    what: `(e) sendMessage per second, ${atOnce} at once, while turns run`,
    value: show(perSecond),
    floor: '',
    ratio: '',
    note: `p50 ${show(percentile(latenciesMs, 0.5))} ms, p99 ${show(percentile(latenciesMs, 0.99))} ms`,
  }
}

interface Load {
  readonly name: string
  readonly atOnce: number
  readonly messages: number
}

interface Accepted {
  readonly latenciesMs: number[]
  readonly perSecond: number
}

/** Over connections that have been used: Node takes one new one with each turn of its event loop. */
async function acceptWarm(stage: Stage, load: Load): Promise<Accepted> {
  const http = new JsonClient(TOKEN)
  const { name, atOnce, messages } = load
  await accept(stage, http, { name: `${name}-warm`, atOnce, messages: Math.max(atOnce, Math.ceil(messages / 5)) })
  const accepted = await accept(stage, http, load)
  http.close()
  return accepted
}

async function accept(stage: Stage, http: JsonClient, { name, atOnce, messages }: Load): Promise<Accepted> {
  const latenciesMs: number[] = []
  let sent = 0
  const beganMs = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (sent < messages) {
        const sessionId = `${name}-${Math.floor(sent / PER_SESSION)}`
        sent += 1
        const startedMs = performance.now()
        const reply = await http.post<{ data: { sendMessage: { __typename: string } } }>(`${stage.url}/graphql`, {
          query: SEND,
          variables: { input: { sessionId, content: 'A message that waits.' } },
        })
        if (reply.data.sendMessage.__typename !== 'SendMessagePayload') throw new Error(JSON.stringify(reply))
        latenciesMs.push(performance.now() - startedMs)
      }
    }),
  )
  const perSecond = (messages * 1000) / (performance.now() - beganMs)
  return { latenciesMs, perSecond }
}
