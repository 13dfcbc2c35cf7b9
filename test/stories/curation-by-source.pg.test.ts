/** Who decides is set by where something was learned, too: in a conversation, at a checkpoint, from an answer. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as api from '../generated/graphql.ts'
import { converse, Story } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_INTROSPECTION, GOOD_PLAN, GOOD_REVIEW } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

const SOURCES = ['chat', 'checkpoint', 'answer'] as const

let stub: StubEndpoint
let story: Story
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerWell })
  const held = SOURCES.map((source) => `[curation.${source}]\nadmin = "hold"\n`)
  const toml = `${stubProvider(stub)}\n[curation]\nadmin = "auto"\n${held.join('')}`
  story = await Story.begin({ config: { toml } })
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await stub.close()
})

const QUESTION = 'Who keeps the bell of the quay?'

const remembering = (text: string): object => ({
  index: 0,
  id: 'call_a',
  type: 'function',
  function: { name: 'memory__remember', arguments: JSON.stringify({ text }) },
})

/** Learns `text` where it can: of a review, by the tool of a conversation, at a checkpoint, from an answer. */
function learning(text: string): (call: StubCall) => StubAnswer {
  return (call) => {
    switch (call.role) {
      case 'reviewer':
        return { content: { ...GOOD_REVIEW, learn: text } }
      case 'introspector':
        return { content: { ...GOOD_INTROSPECTION, learnings: [text] } }
      case 'assistant':
        return call.body.messages?.at(-1)?.role === 'tool'
          ? answerWell(call)
          : { toolCalls: [remembering(text)], finishReason: 'tool_calls' }
      case 'planner': {
        const label = /^(Q\d+): Who keeps the bell/m.exec(call.user)?.[1]
        const answers = label === undefined ? null : [{ question: label, answer: text }]
        return { content: { ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.slice(answers === null ? 0 : 1), answers } }
      }
      default:
        return answerWell(call)
    }
  }
}

async function learned(sessionId: string) {
  const { learnings } = await story.as('ada').run(api.LearningsDocument, { filter: { sessionId } })
  return learnings.edges.map(({ node: { source, status, flags } }) => ({ source, status, flags }))
}

const held = (source: string) => ({ source, status: 'PENDING', flags: ['TEACHER'] })

test('what reviews learn is left to the curator here', async () => {
  stub.follow({ by: learning('The pump of the quay is red.') })
  await converse(story.as('ada'), 'cli:review', 'What is there?')
  expect(await learned('cli:review')).toEqual([{ source: 'REVIEW', status: 'PROMOTED', flags: [] }])
})

test('what is learned in a conversation waits for a person', async () => {
  const ada = story.as('ada')
  stub.follow({ by: learning('The hoist of the quay is green.') })
  await ada.run(api.OpenSessionDocument, { input: { id: 'cli:chat', mode: 'CHAT' } })
  await converse(ada, 'cli:chat', 'What is there?')
  expect(await learned('cli:chat')).toEqual([held('CHAT')])
})

test('so does what is learned at a checkpoint', async () => {
  const ada = story.as('ada')
  await converse(ada, 'cli:checkpoint', 'Hello.')
  stub.follow({ by: learning('The gate of the quay is blue.') })
  const before = await learned('cli:checkpoint')
  await ada.run(api.CheckpointSessionDocument, { sessionId: 'cli:checkpoint' })
  await expect.poll(() => learned('cli:checkpoint'), { interval: 100 }).toEqual([held('CHECKPOINT'), ...before])
})

test('and what is learned from an answer', async () => {
  const ada = story.as('ada')
  await ada.run(api.CreateQuestionDocument, { content: QUESTION })
  stub.follow({ by: learning('Ingrid keeps it.') })
  await converse(ada, 'cli:answer', 'Ingrid does.')
  expect(await learned('cli:answer')).toEqual([held('ANSWER')])
})
