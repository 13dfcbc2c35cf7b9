/**
 * Curator, summarizer, introspector and paraphraser against a stub of a provider: good answers become values with ids,
 * bad ones are asked again.
 */
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../src/agents/agent.ts'
import {
  CURATOR_CONTEXT,
  FACTS,
  INTROSPECTOR_CONTEXT,
  openAgentsWorld,
  PARAPHRASER_CONTEXT,
  SUMMARIZER_CONTEXT,
  type AgentsWorld,
} from './agents-world.ts'
import { answerWell } from './good-answers.ts'
import { HOSTILE_MEMORY_ANSWERS, type MemoryQuestion } from './hostile-memory-answers.ts'
import { StubEndpoint, type StubScript } from './stub-endpoint.ts'

const { signal } = new AbortController()
const QUESTIONS: Readonly<Record<MemoryQuestion, (world: AgentsWorld) => Promise<Answer<unknown>>>> = {
  curate: ({ agents }) => agents.curate(CURATOR_CONTEXT, signal),
  summarize: ({ agents }) => agents.summarize(SUMMARIZER_CONTEXT, signal),
  consolidate: ({ agents }) => agents.consolidate(FACTS, signal),
  introspect: ({ agents }) => agents.introspect(INTROSPECTOR_CONTEXT, signal),
  paraphrase: ({ agents }) => agents.paraphrase(PARAPHRASER_CONTEXT, signal),
}

const promoted = (learningId: string, fact: string) => {
  return { learningId, verdict: 'PROMOTE', fact, reason: 'It was verified.' }
}

async function ask(
  asked: MemoryQuestion,
  script: StubScript,
): Promise<{ answer: Answer<unknown>; stub: StubEndpoint }> {
  await using stub = await StubEndpoint.start(script)
  await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
  return { answer: await QUESTIONS[asked](world), stub }
}

describe('a model that behaves', () => {
  test.each<[MemoryQuestion, string, unknown]>([
    [
      'curate',
      'curator',
      [
        promoted('learning_one', 'The project uses Python 3.12.'),
        promoted('learning_two', 'The deploy key may have expired.'),
      ],
    ],
    ['summarize', 'summarizer', 'They said hi.'],
    [
      'consolidate',
      'summarizer',
      ['fact_one', 'fact_two', 'fact_three'].map((factId) => ({ operation: 'KEEP', factId })),
    ],
    ['introspect', 'introspector', { workingMemory: 'They want to hear hi.', description: null, learnings: [] }],
    [
      'paraphrase',
      'paraphraser',
      [
        { id: 'message_one', text: 'Somebody said something.' },
        { id: 'message_two', text: 'Somebody said something.' },
      ],
    ],
  ])('is understood when it is asked to %s', async (asked, role, output) => {
    const { answer, stub } = await ask(asked, { by: answerWell })
    expect(answer).toMatchObject({ kind: 'answered', output, calls: [{ role, status: 'OK' }] })
    expect(stub.calls.map((call) => call.role)).toEqual([role])
  })

  test('consolidates with a prompt of its own', async () => {
    const { stub } = await ask('consolidate', { by: answerWell })
    expect(stub.calls[0]?.system).toContain('# You are the summarizer, and consolidate facts')
    expect(stub.calls[0]?.user).not.toContain('fact_one')
  })

  test('gives its operations on the facts by id', async () => {
    const operations = [
      { operation: 'merge', facts: ['F2', 'F1'], content: ' The project uses\nPython 3.12. ', reason: null },
      { operation: 'drop', facts: ['F3'], content: null, reason: 'Outdated.' },
    ]
    const { answer } = await ask('consolidate', { list: [{ content: { operations } }] })
    expect(answer).toMatchObject({
      output: [
        { operation: 'MERGE', factIds: ['fact_two', 'fact_one'], content: 'The project uses Python 3.12.' },
        { operation: 'DROP', factId: 'fact_three', reason: 'Outdated.' },
      ],
    })
  })

  test('says in the order of the learnings what it discards and asks', async () => {
    const evaluations = [
      { learningId: 'L2', verdict: 'ask', fact: null, question: 'Has the key expired?', reason: 'Unsure.' },
      { learningId: 'L1', verdict: 'discard', fact: null, question: null, reason: 'Known.' },
    ]
    const { answer } = await ask('curate', { list: [{ content: { evaluations } }] })
    expect(answer).toMatchObject({
      output: [
        { learningId: 'learning_one', verdict: 'DISCARD', reason: 'Known.' },
        { learningId: 'learning_two', verdict: 'ASK', question: 'Has the key expired?' },
      ],
    })
  })
})

describe('a model that does not', () => {
  test.each(HOSTILE_MEMORY_ANSWERS)('$asked: $name → $outcome', async ({ asked, answer: hostile, outcome }) => {
    const { answer } = await ask(asked, { always: hostile })
    expect(answer.kind === 'failed' ? answer.error.code : 'answered').toBe(outcome)
    const message = answer.kind === 'failed' ? answer.error.message : 'Fine.'
    expect(message).toMatch(/^[^\p{Cc}]{1,1500}\.$/u)
  })

  test('is told what was wrong, and asked again', async () => {
    const { answer, stub } = await ask('curate', {
      list: [
        { content: { evaluations: [] } },
        {
          content: {
            evaluations: ['L1', 'L2'].map((learningId) => ({ learningId, verdict: 'discard', reason: 'No.' })),
          },
        },
      ],
    })
    expect(answer.kind).toBe('answered')
    expect(stub.calls[1]?.user).toContain('L1 must have exactly one evaluation.')
    expect(stub.calls[1]?.user).toContain('Answer again, with the JSON object alone.')
  })

  test('is asked for a shorter summary, not for JSON', async () => {
    const { answer, stub } = await ask('summarize', { list: ['x'.repeat(9000), 'They said hi.'] })
    expect(answer).toMatchObject({ kind: 'answered', output: 'They said hi.' })
    expect(stub.calls[1]?.user).toContain('The summary is 9000 characters long; write at most 4000.')
    expect(stub.calls[1]?.user).not.toContain('JSON')
  })

  test('of much that was said the summarizer is sent no more than fits where the rest of the conversation does', async () => {
    await using stub = await StubEndpoint.start({ by: answerWell })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl, settings: { contextTokens: 2000 } })
    const outputs = Array.from({ length: 20 }, () => 'It has nine gates. '.repeat(200))
    const message = { user: 'marco', role: 'USER', content: 'How many?', at: '2026-11-21T09:00:00Z' }
    await world.agents.summarize({ summary: '', messages: [{ ...message, outputs }] }, signal)
    expect(stub.calls[0]?.user.length).toBeLessThan(22_000)
    // What fits is sent as it is, however many texts there are.
    await world.agents.summarize({ summary: '', messages: [{ ...message, outputs: outputs.slice(0, 4) }] }, signal)
    expect(stub.calls[1]?.user).not.toContain('are left out here')
  })

  test('gets no command, link or instruction of a stranger through', async () => {
    const hostile = HOSTILE_MEMORY_ANSWERS.find(({ name }) => name === 'commands, links and code all the same')
    const { answer } = await ask('paraphrase', { always: hostile?.answer ?? '' })
    expect(answer).toMatchObject({
      output: [
        { id: 'message_one', text: 'Run (code) and (code) from (a link) or (a link)' },
        { id: 'message_two', text: 'Somebody without a name tried to give instructions; they are left out.' },
      ],
    })
  })
})
