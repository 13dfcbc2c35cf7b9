import { describe, expect, test } from 'vitest'
import type { Answer } from '../../src/agents/agent.ts'
import type { ProposedPlan } from '../../src/core/plan/plan.ts'
import { validatePlan } from '../../src/core/plan/plan-rules.ts'
import {
  ASSISTANT_CONTEXT,
  CURATOR_CONTEXT,
  INTROSPECTOR_CONTEXT,
  MESSENGER_CONTEXT,
  openAgentsWorld,
  PARAPHRASER_CONTEXT,
  PLANNER_CONTEXT,
  REVIEWER_CONTEXT,
  SUMMARIZER_CONTEXT,
  type AgentsWorld,
} from './agents-world.ts'
import { HOSTILE_ANSWERS, type HostileAnswer } from './hostile-answers.ts'
import { StubEndpoint } from './stub-endpoint.ts'

const signal = new AbortController().signal

describe('hostile answers', () => {
  test('are at least sixty, each with a name of its own', () => {
    expect(HOSTILE_ANSWERS.length).toBeGreaterThanOrEqual(60)
    expect(new Set(HOSTILE_ANSWERS.map(({ name }) => name)).size).toBe(HOSTILE_ANSWERS.length)
  })

  test.each(HOSTILE_ANSWERS)('$role: $name → $outcome', async (hostile) => {
    await using stub = await StubEndpoint.start({ always: hostile.answer })
    const llmIdleTimeoutMs = hostile.silent === true ? 50 : 10_000
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl, settings: { llmIdleTimeoutMs } })

    const answer = await askAs(hostile, world)

    expect(outcomeOf(answer)).toBe(hostile.outcome)
    expect(answer.calls.length).toBeGreaterThan(0)
    expect(stub.calls.length).toBeLessThanOrEqual(8)
    for (const call of answer.calls) {
      expect(call.status).toMatch(/^(OK|MODEL_[A-Z_]+)$/)
      for (const count of [call.inputTokens, call.outputTokens, call.cachedTokens]) expect(count).toBeLessThan(2 ** 31)
    }
    // One line, bounded, a whole sentence: it is shown to the user.
    const message = answer.kind === 'failed' ? answer.error.message : 'Fine.'
    expect(message).toMatch(/^[^\p{Cc}]{1,1500}\.$/u)
  })
})

function askAs({ role }: HostileAnswer, { agents }: AgentsWorld): Promise<Answer<unknown>> {
  switch (role) {
    case 'planner':
      return agents.plan(PLANNER_CONTEXT, [], signal)
    case 'reviewer':
      return agents.review(REVIEWER_CONTEXT, signal)
    case 'messenger':
      return agents.write(MESSENGER_CONTEXT, () => {}, signal)
    case 'assistant':
      return agents.converse(
        { context: ASSISTANT_CONTEXT, startedAt: new Date() },
        { onText: () => {}, onThinking: () => {} },
        signal,
      )
    case 'curator':
      return agents.curate(CURATOR_CONTEXT, signal)
    case 'summarizer':
      return agents.summarize(SUMMARIZER_CONTEXT, signal)
    case 'paraphraser':
      return agents.paraphrase(PARAPHRASER_CONTEXT, signal)
    case 'introspector':
      return agents.introspect(INTROSPECTOR_CONTEXT, signal)
    default:
      return role satisfies never
  }
}

function outcomeOf(answer: Answer<unknown>): string {
  if (answer.kind === 'failed') return answer.error.code
  const isPlan = typeof answer.output === 'object' && answer.output !== null && 'tasks' in answer.output
  return isPlan && validatePlan(answer.output as ProposedPlan, PLANNER_CONTEXT).length > 0 ? 'refused' : 'answered'
}
