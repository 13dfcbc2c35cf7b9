/**
 * (o) Turns of conversations: from a message to its final answer, without a tool (one call of the model) and with one
 * (two calls, and `echo hi` between), beside the floor of the same work; and a warm one at message 10 and at message
 * 1 000, in rounds of the same session each, whose first turn is not counted: it reads what was said.
 */
import { fillSession } from '../test/harness/long-history.ts'
import { median, percentile, show } from './figures.ts'
import { compare, withDatabase, type Size } from './history.ts'
import type { Stage } from './stage.ts'
import type { Row } from './table.ts'
import { Product, startFloor } from './turns.ts'

const WARM_UP_TURNS = 100
const KINDS = [
  { kind: 'chat', content: 'Say hi.' },
  { kind: 'chat with a tool', content: 'Use a tool.' },
] as const

export async function measureChat(stage: Stage, { rounds, turns }: Size): Promise<Row[]> {
  await using floor = await startFloor(stage)
  using product = new Product(stage)
  const rows: Row[] = []
  for (const { kind, content } of KINDS) {
    const ask = (sessionId: string, count: number) => product.answerTimes(sessionId, count, { content, mode: 'CHAT' })
    await ask(`cli:warm-${content.length}`, WARM_UP_TURNS)
    await floor.call('runTurns', { sessionIds: [`warm-${kind}`], turns: WARM_UP_TURNS, kind })
    const [found, least]: [number[][], number[][]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      found.push(await ask(`cli:chat-${content.length}-${round}`, turns))
      least.push((await floor.call('runTurns', { sessionIds: [`${kind}-${round}`], turns, kind })).latenciesMs)
    }
    rows.push({
      what: `(o) message to final answer, ms, ${kind}`,
      value: show(median(found.flat())),
      floor: show(median(least.flat())),
      ratio: show(median(found.map((times, n) => median(times) / median(least[n] ?? [])))),
      note: `p10 ${show(percentile(found.flat(), 0.1))}, p90 ${show(percentile(found.flat(), 0.9))}`,
    })
  }
  return rows
}

const TURNS = [9, 999] as const

export async function measureWarmChat(stage: Stage, size: Size): Promise<Row[]> {
  using product = new Product(stage)
  const idOf = (turns: number, round: number): string => `cli:warm-${turns}-${round}`
  await withDatabase(stage, async (run) => {
    for (const turns of TURNS)
      for (let round = 0; round < size.rounds; round += 1) await fillSession(run, { id: idOf(turns, round), turns })
    await run('VACUUM ANALYZE', [])
  })
  await product.answerTimes('cli:warm-up', WARM_UP_TURNS, { mode: 'CHAT' })
  const cases = TURNS.map((turns) => ({
    name: `warm chat at message ${turns + 1}`,
    run: async (round: number) =>
      (await product.answerTimes(idOf(turns, round), size.turns + 1, { mode: 'CHAT' })).slice(1),
  }))
  // The connections stand until it is measured: not "return compare…".
  return await compare(cases, size, 'o')
}
