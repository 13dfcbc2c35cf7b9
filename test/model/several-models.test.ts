/** What it means that none of a role's models answers: whether waiting helps, and for how long. */
import { expect, test } from 'vitest'
import { openAgentsWorld, PLANNER_CONTEXT } from './agents-world.ts'
import { StubEndpoint, type StubAnswer } from './stub-endpoint.ts'

const { signal } = new AbortController()

const NO_CREDIT: StubAnswer = { status: 402, body: { error: { message: 'No credit left.' } } }
const WRONG_KEY: StubAnswer = { status: 401, body: { error: { message: 'Who are you?' } } }
const away = (seconds?: number): StubAnswer => ({
  status: 429,
  headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
  body: { error: { message: 'Too many requests.' } },
})

/** How a plan fails whose models answer so, in their order. */
async function failureOf(...answers: readonly StubAnswer[]): Promise<unknown> {
  const models = ['stub-1', 'second', 'third'].slice(0, answers.length)
  await using stub = await StubEndpoint.start({
    by: ({ model }) => answers[models.indexOf(model)] ?? 'there is no such model',
  })
  await using world = await openAgentsWorld({ baseUrl: stub.baseUrl, fallbacks: models.slice(1) })
  const answer = await world.agents.plan(PLANNER_CONTEXT, [], signal)
  expect(answer.calls.map(({ model }) => model)).toEqual(models)
  if (answer.kind === 'answered') return 'answered'
  const { code, retry, retryAfterMs } = answer.error
  return { code, retry, retryAfterMs }
}

test('one that has no credit left is no reason not to wait for the other', async () => {
  const overloaded = { code: 'MODEL_OVERLOADED', retry: 'backoff', retryAfterMs: 120_000 }
  expect(await failureOf(NO_CREDIT, away(120))).toEqual(overloaded)
  expect(await failureOf(away(120), WRONG_KEY)).toEqual(overloaded)
})

test('the shortest pause that one of them asks for is kept, not that of the first', async () => {
  const waitMs = (retryAfterMs: number | null) => ({ code: 'MODEL_OVERLOADED', retry: 'backoff', retryAfterMs })
  expect(await failureOf(away(7200), away(90))).toEqual(waitMs(90_000))
  // One that asks for none is asked again as usual.
  expect(await failureOf(away(7200), away())).toEqual(waitMs(null))
})

test('where waiting helps with none of them, it is the failure of the first', async () => {
  const expected = { code: 'MODEL_QUOTA', retry: 'never', retryAfterMs: null }
  expect(await failureOf(NO_CREDIT, WRONG_KEY)).toEqual(expected)
})

test('the model of the session is not called a second time where it is one of the role', async () => {
  await using stub = await StubEndpoint.start({ always: NO_CREDIT })
  const called = async (ownModel: string): Promise<readonly string[]> => {
    const own = { provider: 'stub', model: ownModel }
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl, fallbacks: ['second'], ownModel: own })
    return (await world.agents.plan(PLANNER_CONTEXT, [], signal)).calls.map(({ model }) => model)
  }
  expect(await called('stub-1')).toEqual(['stub-1', 'second'])
  expect(await called('second')).toEqual(['second', 'stub-1'])
  expect(await called('third')).toEqual(['third', 'stub-1', 'second'])
})
