/**
 * (i) A turn at message 1, 100, 1 000 and 10 000 of its session, and with 10, 1 000 and 100 000 facts: from sending a
 * message to its final answer, the next message sent as soon as that came, so what follows the answer counts too. The
 * cases take turns in short rounds, and a ratio is the median of the rounds' ratios to the first case.
 */
import pg from 'pg'
import { fillFacts, fillSession } from '../test/harness/long-history.ts'
import { median, percentile, show } from './figures.ts'
import { Stage } from './stage.ts'
import type { Row } from './table.ts'
import { Product } from './turns.ts'

const TURNS = [0, 99, 1000, 10_000]
const FACTS = [10, 1000, 100_000]
/** In a hundredth of the facts; its other words are in all of them. */
const ASKS_FOR_FACTS = 'Say hi to the server of team 42.'
/** Not counted. */
export const WARM_UP_TURNS = 100

export interface Size {
  readonly rounds: number
  readonly turns: number
}

/** What takes turns with others. */
export interface Case {
  readonly name: string
  /** Answer times of a round. */
  readonly run: (round: number) => Promise<number[]>
}

export async function measureLongSessions(stage: Stage, size: Size): Promise<Row[]> {
  // A young session is a new one for each round, or it would not stay young.
  const sessionId = (turns: number, round: number): string => `cli:history-${turns}-${turns < 1000 ? round : 0}`
  await withDatabase(stage, async (run) => {
    for (const turns of TURNS) {
      const ids = new Set(Array.from({ length: size.rounds }, (_, round) => sessionId(turns, round)))
      for (const id of ids) await fillSession(run, { id, turns })
    }
    await run('VACUUM ANALYZE', [])
  })
  await answerTimes(stage, 'cli:warm', WARM_UP_TURNS)
  const cases = TURNS.map((turns): Case => {
    return {
      name: `at message ${turns < 1000 ? turns + 1 : turns}`,
      run: (round) => answerTimes(stage, sessionId(turns, round), size.turns),
    }
  })
  return compare(cases, size)
}

export async function measureManyFacts(size: Size): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const cases: Case[] = []
  for (const facts of FACTS) {
    const stage = stack.use(await Stage.start())
    await withDatabase(stage, async (run) => {
      for (let from = 1; from <= facts; from += 10_000) await fillFacts(run, from, Math.min(facts, from + 9999))
      // As they are most of the time: compared with each other.
      await run('UPDATE consolidation_state SET last_fact_id = (SELECT max(id) FROM facts)', [])
      await run('VACUUM ANALYZE', [])
    })
    const product = stack.use(new Product(stage))
    const ask = (round: number): Promise<number[]> =>
      product.answerTimes(`cli:facts-${round}`, size.turns, { content: ASKS_FOR_FACTS })
    cases.push({ name: `with ${facts} facts`, run: ask })
  }
  for (const { run } of cases) for (let n = 1; n <= WARM_UP_TURNS / size.turns; n += 1) await run(-n)
  // The stages stand until it is measured: not "return compare…".
  return await compare(cases, size)
}

/** Of a session of the stage, one message after another. */
export async function answerTimes(stage: Stage, sessionId: string, turns: number): Promise<number[]> {
  using product = new Product(stage)
  // The connections stand until it is measured: not "return product…".
  return await product.answerTimes(sessionId, turns)
}

/** Each beside the first; `part`: its letter in the table. */
export async function compare(cases: readonly Case[], { rounds }: Size, part = 'i'): Promise<Row[]> {
  const found = cases.map((): number[][] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { run }] of cases.entries()) found[index]?.push(await run(round))
  }
  return cases.map(({ name }, index) => {
    const times = found[index] ?? []
    const ratios = times.map((round, n) => median(round) / median(found[0]?.[n] ?? []))
    return {
      what: `(${part}) message to final answer, ms, ${name}`,
      value: show(median(times.flat())),
      floor: '',
      ratio: show(median(ratios)),
      note: `p10 ${show(percentile(times.flat(), 0.1))}, p90 ${show(percentile(times.flat(), 0.9))}`,
    }
  })
}

type Run = (sql: string, values: readonly unknown[]) => Promise<unknown>

/** Past the server. */
export async function withDatabase(stage: Stage, fill: (run: Run) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: stage.databaseUrl })
  await client.connect()
  await fill((sql, values) => client.query(sql, [...values]))
  await client.end()
}
