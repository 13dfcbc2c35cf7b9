/**
 * The accountant's month: what providers bill is what the audit sums up, by whatever it is grouped, what sessions and
 * turns show, and what /metrics counts; to the last token, whatever became of the calls.
 */
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AgentRole } from '../../src/core/model-call.ts'
import { askOperators } from '../harness/ask-operators.ts'
import { select } from '../harness/plugins.ts'
import { converse, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerRehearsal } from '../../src/model/rehearsal/rehearsal-answers.ts'
import { answerWell } from '../model/good-answers.ts'
import { chunk, sse, StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'
import {
  CancelTurnDocument,
  CheckpointSessionDocument,
  DeleteSessionDocument,
  UsageByDayDocument,
  UsageDocument,
} from '../generated/graphql.ts'

/** What the provider bills. */
class Bill {
  readonly sums = { calls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: 0 }
  factor = 1
  #n = 0

  /** Of the next call, in the provider's words: no two are alike. */
  next(): object {
    const n = (this.#n += 1)
    const [input, output, cached] = [1000 + 7 * n, 100 + 3 * n, n % 3 === 0 ? 0 : 400 + n]
    this.sums.inputTokens += input
    this.sums.outputTokens += output
    this.sums.cachedTokens += cached
    this.sums.cost += (this.factor * ((input - cached) * 3 + cached * 0.3 + output * 15)) / 1_000_000
    return { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: { cached_tokens: cached } }
  }
}

const priced = (factor: number): string =>
  `[prices."stub:stub-1"]\ninput = ${3 * factor}\ncached = ${0.3 * factor}\noutput = ${15 * factor}\n`

const bill = new Bill()
let stub: StubEndpoint
let story: Story
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: (call) => answer(call) })
  story = await Story.begin({ config: { toml: `${stubProvider(stub)}${priced(1)}` } })
})
afterAll(async () => {
  await story?.[Symbol.asyncDispose]()
  await stub?.close()
})

/** In place of what a model that behaves answers, by the message. */
type Special = 'error after it' | 'hangs after it' | 'says nothing of it' | 'null'
const SPECIAL: readonly Special[] = ['error after it', 'hangs after it', 'says nothing of it', 'null']

function answer(call: StubCall): StubAnswer {
  bill.sums.calls += 1
  const special = call.role === 'messenger' ? SPECIAL.find((one) => call.user.includes(one)) : undefined
  const content = contentOf(call)
  if (special === 'says nothing of it' || special === 'null') return { content, usage: special === 'null' ? null : {} }
  if (special === undefined) return { content, usage: bill.next() }
  const piece = chunk([{ index: 0, delta: { content: 'It is ' }, finish_reason: null }], { usage: bill.next() })
  return (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(sse(piece))
    if (special === 'error after it') response.end(sse({ error: { message: 'It broke.' } }))
  }
}

function contentOf(call: StubCall): unknown {
  const role: AgentRole = call.role
  if (role === 'planner') return answerRehearsal(call.user, 'plan').text
  if (role === 'messenger') return answerRehearsal(call.user, null).text
  const well = answerWell(call)
  return typeof well === 'object' && 'content' in well ? well.content : well
}

async function figures(): Promise<Record<string, object>> {
  const ada = story.as('ada')
  const found: Record<string, object> = {}
  for (const by of ['DAY', 'ROLE', 'MODEL', 'PROVIDER', 'SESSION', 'USER'] as const)
    found[by] = sumOf((await ada.run(UsageDocument, { by })).usage)
  for (const by of ['ROLE', 'MODEL', 'PROVIDER', 'SESSION', 'USER'] as const)
    found[`${by} by day`] = sumOf((await ada.run(UsageByDayDocument, { by })).usageByDay)
  return found
}

type Row = Awaited<ReturnType<typeof usageRows>>[number]
const usageRows = async () => (await story.as('ada').run(UsageDocument, { by: 'DAY' })).usage

function sumOf(rows: readonly Pick<Row, 'usage'>[]): object {
  const sum = (of: (usage: Row['usage']) => number): number => rows.reduce((all, { usage }) => all + of(usage), 0)
  return {
    calls: sum(({ calls }) => calls),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    cost: sum(({ cost }) => Number(cost?.amount ?? 0)),
  }
}

const billed = (): object => ({ ...bill.sums, cost: expect.closeTo(bill.sums.cost, 9) as number })

const SUM = (table: string): string => `SELECT coalesce(sum(model_calls), 0)::int AS calls,
  sum(input_tokens)::int AS "inputTokens", sum(output_tokens)::int AS "outputTokens",
  sum(cached_tokens)::int AS "cachedTokens", sum(cost) AS cost FROM ${table}`

test('whatever becomes of calls, all sums are what was billed', async () => {
  const [ada, ben, cleo] = [story.as('ada'), story.as('ben'), story.as('cleo')]
  await converse(ada, 'cli:plain', 'run: echo hi')
  for (const special of ['error after it', 'says nothing of it', 'null'])
    await converse(ben, `@ben:${special.replaceAll(' ', '-')}`, `Say this: ${special}`)
  await send(cleo, '@cleo:left', 'Say this: hangs after it')
  await using left = watchAll(cleo, '@cleo:left')
  await left.until(({ sessionEvents: { __typename: type } }) => type === 'TextDeltaEvent')
  await cleo.run(CancelTurnDocument, { sessionId: '@cleo:left' })
  expect(await turnEnd(left)).toMatchObject({ turnStatus: 'CANCELLED' })
  expect(await figures()).toEqual(Object.fromEntries(Object.keys(await figures()).map((by) => [by, billed()])))
  // Nothing but turns has called a model until now.
  expect(await select(story, SUM('turns'))).toEqual([billed()])
  expect(await select(story, SUM('sessions'))).toEqual([billed()])

  const task = JSON.stringify({ task: 'run: echo from the child', expect: 'An answer.' })
  await converse(ada, 'cli:parent', `tool: delegation__delegate ${task}`)
  // From now on another price holds; what was reckoned keeps its own.
  bill.factor = 2
  await story.reconfigure(storyConfig({ toml: `${stubProvider(stub)}${priced(2)}` }))
  await converse(cleo, '@cleo:dearer', 'hello')
  await ada.run(CheckpointSessionDocument, { sessionId: 'cli:plain' })
  await using plain = watchAll(ada, 'cli:plain')
  await plain.until(({ sessionEvents: { __typename: type } }) => type === 'CheckpointEvent')
  expect(await select(story, SUM('sessions'))).toEqual([billed()])

  await ada.run(DeleteSessionDocument, { id: 'cli:parent' })
  await ben.run(DeleteSessionDocument, { id: '@ben:null' })
  expect(await figures()).toEqual(Object.fromEntries(Object.keys(await figures()).map((by) => [by, billed()])))
  const metrics = await (await askOperators(story.app.url, '/metrics')).text()
  const counted = (kind: string): number => total(`model_tokens_total\\{.*kind="${kind}"`)
  const total = (named: string): number =>
    [...metrics.matchAll(new RegExp(`^factotum_${named}.*\\} ([\\d.]+)$`, 'gm'))]
      .map(([, count]) => Number(count))
      .reduce((all, count) => all + count, 0)
  const { inputTokens, outputTokens, cachedTokens } = bill.sums
  expect([counted('input'), counted('output'), counted('cached')]).toEqual([inputTokens, outputTokens, cachedTokens])
  expect(total('model_cost_total')).toBeCloseTo(bill.sums.cost, 9)
})

test('a sum of costs says how many calls it leaves out, and of which models', async () => {
  const ada = story.as('ada')
  const without = async (by: 'MODEL' | 'USER' | 'DAY'): Promise<number> => {
    const { usage } = await ada.run(UsageDocument, { by })
    return usage.reduce((sum, { unpricedCalls }) => sum + unpricedCalls, 0)
  }
  expect([await without('MODEL'), await without('USER'), await without('DAY')]).toEqual([0, 0, 0])
  await story.reconfigure(storyConfig({ toml: stubProvider(stub) }))
  const { usage: turn } = await converse(ada, 'cli:without-a-price', 'hello')
  expect(turn.cost).toBeNull()
  const { usage } = await ada.run(UsageDocument, { by: 'MODEL' })
  expect(usage.map(({ key, unpricedCalls }) => ({ key, unpricedCalls }))).toEqual([
    { key: 'stub:stub-1', unpricedCalls: turn.calls },
  ])
  const { usageByDay } = await ada.run(UsageByDayDocument, { by: 'PROVIDER' })
  expect(usageByDay.reduce((sum, { unpricedCalls }) => sum + unpricedCalls, 0)).toBe(turn.calls)
  expect([await without('USER'), await without('DAY')]).toEqual([turn.calls, turn.calls])
})
