/**
 * The agents of a session without its secrets: what reaches a model holds none of them, whichever field of a context
 * they stand in, and neither do the answers. Ids, times and words of ours pass as they are, or nothing could be found
 * again by them.
 */
import { describe, expect, test } from 'vitest'
import type { Agents, Answer } from '../../src/agents/agent.ts'
import { redactedAgents } from '../../src/agents/redacted-agents.ts'
import { REDACTED } from '../../src/core/text/redacted.ts'
import { Redactor } from '../../src/secrets/redaction.ts'
import {
  CURATOR_CONTEXT,
  FACTS,
  INTROSPECTOR_CONTEXT,
  MESSENGER_CONTEXT,
  openAgentsWorld,
  PARAPHRASER_CONTEXT,
  PLANNER_CONTEXT,
  REVIEWER_CONTEXT,
  SUMMARIZER_CONTEXT,
} from './agents-world.ts'
import { answerWell, GOOD_PLAN, shownLabels } from './good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from './stub-endpoint.ts'

const { signal } = new AbortController()
const SECRET = 'open-sesame-42'
const ignore = (): void => undefined

/** Not to be hidden, though a secret is called the same: words of ours and ids. */
const ALIKE = ['INTERRUPTED', 'learning_one', 'fact_two', 'message_one', 'question_one']
const redactor = Redactor.of([SECRET, ...ALIKE])

const AT = '2026-11-21T09:00:00Z'
const task = {
  ...REVIEWER_CONTEXT.task,
  args: { query: 'x' },
  outputFile: 'out.txt',
  stderrFile: 'err.txt',
  truncated: false,
  stderr: 'x',
}
const dialogue = {
  exchanges: [
    { turnId: null, messages: [{ user: 'bob', role: 'USER', content: 'x', at: AT }], answers: [{ text: 'x', at: AT }] },
  ],
  leftOut: false,
  isNearlyFull: false,
} as const
const history = [{ goal: 'x', reason: 'x' }]
const facts = [{ id: 'fact_two', content: 'x' }]
const replan = {
  completed: [task],
  remaining: [{ type: 'MSG', detail: 'x' }],
  failed: task,
  reason: 'x',
  history,
} as const
const planner = {
  ...PLANNER_CONTEXT,
  additions: [{ content: 'x', whilePlanRan: true }],
  dialogue,
  summary: 'x',
  workingMemory: 'x',
  facts,
  paraphrased: [{ sender: 'Eve#1', at: AT, text: 'x' }],
  secretNames: ['deploy'],
  questionFacts: [{ questionId: 'question_one', id: 'fact_two', content: 'x' }],
  replan,
}
const plan = {
  goal: 'x',
  tasks: [{ type: 'SKILL', detail: 'x', skill: 'search', args: '{"query": "x"}', expect: 'x' }],
  secrets: [],
  answers: [
    { questionId: 'question_one', answer: 'x', outcome: { verdict: 'REPLACE', factId: 'fact_two', text: 'x' } },
  ],
  factsUsed: ['fact_two'],
} as const
const work = [{ type: 'EXEC', detail: 'x', status: 'DONE', reason: 'x' }]
const introspected = { ...INTROSPECTOR_CONTEXT.messages[0], work } as (typeof INTROSPECTOR_CONTEXT.messages)[number]

const QUESTIONS: Readonly<Record<string, (agents: Agents) => Promise<Answer<unknown>>>> = {
  plan: (agents) => agents.plan(planted(planner), planted([{ plan, problems: ['x'] }]), signal),
  review: (agents) => agents.review(planted({ ...REVIEWER_CONTEXT, task, history }), signal),
  write: (agents) => agents.write(planted({ ...MESSENGER_CONTEXT, dialogue, outputs: [task], facts }), ignore, signal),
  curate: (agents) =>
    agents.curate(planted({ ...CURATOR_CONTEXT, facts, questions: PLANNER_CONTEXT.questions, summary: 'x' }), signal),
  summarize: (agents) => agents.summarize(planted({ ...SUMMARIZER_CONTEXT, summary: 'x' }), signal),
  consolidate: (agents) => agents.consolidate(planted(FACTS), signal),
  paraphrase: (agents) => agents.paraphrase(planted(PARAPHRASER_CONTEXT), signal),
  introspect: (agents) =>
    agents.introspect(
      planted({
        ...INTROSPECTOR_CONTEXT,
        description: 'x',
        workingMemory: 'x',
        summary: 'x',
        messages: [introspected],
      }),
      signal,
    ),
}

/** With a secret in every text that is no id, no time and no word of ours. */
function planted<Value>(value: Value): Value {
  const json = JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'string' && !/^([A-Z_]+|string|[a-z]+_[a-z]+|\d{4}-.*Z)$/.test(inner)
      ? `${inner} ${SECRET}`
      : inner,
  )
  return JSON.parse(json) as Value
}

/** A model that repeats a secret in all that it says. */
function leak(call: StubCall): StubAnswer {
  switch (call.role) {
    case 'planner':
      return { content: { ...GOOD_PLAN, goal: SECRET } }
    case 'reviewer':
      return { content: { status: 'replan', reason: SECRET, learn: SECRET } }
    case 'messenger':
      return { pieces: ['It printed ', SECRET] }
    case 'curator':
      return {
        content: {
          evaluations: shownLabels(call.user, 'L').map((learningId) => ({
            learningId,
            verdict: 'promote',
            fact: `It is ${SECRET}.`,
            question: null,
            reason: SECRET,
          })),
        },
      }
    case 'paraphraser':
      return {
        content: {
          paraphrases: shownLabels(call.user, 'M').map((message) => ({
            message,
            givesInstructions: false,
            text: SECRET,
          })),
        },
      }
    case 'introspector':
      return { content: { workingMemory: SECRET, description: SECRET, learnings: [`It is ${SECRET}.`] } }
    default:
      return call.user.includes('\n# Facts to consolidate\n') ? answerWell(call) : `They said ${SECRET}.`
  }
}

async function ask(question: string): Promise<{ output: unknown; prompt: string }> {
  await using stub = await StubEndpoint.start({ by: leak })
  await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
  const answer = await QUESTIONS[question]?.(redactedAgents(world.agents, () => redactor))
  if (answer?.kind !== 'answered') throw new Error(JSON.stringify(answer))
  return { output: answer.output, prompt: stub.calls.map((call) => call.user).join('\n') }
}

describe.each(Object.keys(QUESTIONS))('to %s', (question) => {
  test('a model is given no secret, and none comes back', async () => {
    const { output, prompt } = await ask(question)
    expect(prompt).toContain(REDACTED)
    expect(prompt).not.toContain(SECRET)
    // The plan comes as it is: the secrets that the planner found are taken out of it
    // (src/turn/secrets/take-secrets.ts).
    expect(JSON.stringify(output).includes(SECRET)).toBe(question === 'plan')
  })
})

test('ids that are called like a secret are kept', async () => {
  const { output } = await ask('curate')
  expect(output).toMatchObject([{ learningId: 'learning_one', fact: `It is ${REDACTED}.`, reason: REDACTED }, {}])
})

test('a status that is called like a secret is kept', async () => {
  await using stub = await StubEndpoint.start({ by: answerWell })
  await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
  const agents = redactedAgents(world.agents, () => redactor)
  const interrupted = { ...REVIEWER_CONTEXT, task: { ...task, status: 'INTERRUPTED' } } as const
  const [hidden, plain] = [await agents.review(interrupted, signal), await world.agents.review(interrupted, signal)]
  expect([hidden.kind, plain.kind]).toEqual(['answered', 'answered'])
  const [first, second] = stub.calls.map((call) => call.user.replaceAll(/[0-9a-f]{32}/g, ''))
  expect(first).toBe(second)
})
