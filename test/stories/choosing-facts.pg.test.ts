/** Which facts a prompt gets: what a message refers back to, the goal of a plan that failed, and how many at most. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import * as api from '../generated/graphql.ts'
import { converse, Story } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_PLAN, GOOD_REVIEW, shownLabels } from '../model/good-answers.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'

const FACTS_SHOWN = 3

let stub: StubEndpoint
let story: Story
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerWell })
  story = await Story.begin({ config: { settings: { facts_shown: FACTS_SHOWN }, toml: stubProvider(stub) } })
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await stub.close()
})
beforeEach(() => {
  stub.follow({ by: answerWell })
  stub.calls.length = 0
})

async function state(...contents: string[]): Promise<void> {
  for (const content of contents) await story.as('ada').run(api.CreateFactDocument, { content })
}

function plannerPrompts(): string[] {
  return stub.calls.filter(({ role }) => role === 'planner').map(({ user }) => user)
}

test('a prompt gets facts about what the message refers back to', async () => {
  const ada = story.as('ada')
  const fact = 'The crane of Narvik lifts nine tons.'
  await state(fact)
  await converse(ada, 'cli:refers', 'Is it loud there?')
  await converse(ada, 'cli:refers', 'I mean the crane.')
  await converse(ada, 'cli:refers', 'When was it inspected?')
  const shown = plannerPrompts().map((prompt) => prompt.includes(fact))
  expect(shown).toEqual([false, true, true])
})

test('a plan that follows a failed one gets facts about its goal', async () => {
  const ada = story.as('ada')
  const fact = 'The lighthouse of Vardø is switched by Tove.'
  await state(fact)
  stub.follow({
    by: (call) => {
      const attempt = plannerPrompts().length
      const tasks = GOOD_PLAN.tasks.map((task) =>
        task.type === 'exec' ? { ...task, detail: `echo ${attempt}` } : task,
      )
      if (call.role === 'planner') return { content: { ...GOOD_PLAN, goal: 'Switch the lighthouse on', tasks } }
      if (call.role !== 'reviewer' || attempt > 1) return answerWell(call)
      return { content: { ...GOOD_REVIEW, status: 'replan', reason: 'Nothing was switched.' } }
    },
  })
  await converse(ada, 'cli:goal', 'Do what is due tonight.')
  expect(plannerPrompts().map((prompt) => prompt.includes(fact))).toEqual([false, true])
})

test('no prompt gets more than facts_shown', async () => {
  await state(...['one', 'two', 'four', 'five', 'nine'].map((n) => `Silo ${n} of Harstad holds barley.`))
  await converse(story.as('ada'), 'cli:bound', 'Which silos of Harstad hold barley?')
  const [prompt = ''] = plannerPrompts()
  expect(shownLabels(prompt, 'F')).toEqual(['F1', 'F2', 'F3'])
})
