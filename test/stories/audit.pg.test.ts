/** The audit over the API: who did what, what it cost, live and sealed; never an output, never a secret. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { converse, Story } from '../harness/story.ts'
import { AuditDocument, UsageDocument, type AuditFilter, type AuditQuery } from '../generated/graphql.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story[Symbol.asyncDispose]())

type Entry = AuditQuery['audit']['edges'][number]['node']

async function auditOf(filter: AuditFilter, place = story): Promise<Entry[]> {
  const { audit } = await place.as('ada').run(AuditDocument, { first: 100, filter })
  return audit.edges.map(({ node }) => node)
}

test('a turn leaves its model calls, its tasks and its reviews', async () => {
  const turn = await converse(story.as('ada'), 'cli:figures', 'run: echo very private output')
  const entries = await auditOf({ turnId: turn.id })
  expect(entries.filter(({ kind }) => kind === 'MODEL_CALL')).toHaveLength(turn.usage.calls)
  expect(entries.filter(({ kind }) => kind === 'TASK')).toMatchObject([
    { taskType: 'MSG', taskStatus: 'DONE' },
    { taskType: 'EXEC', taskStatus: 'DONE', detail: 'echo very private output', outputLength: 20 },
  ])
  expect(entries.filter(({ kind }) => kind === 'REVIEW')).toMatchObject([{ verdict: 'OK', hasLearning: false }])
  expect(new Set(entries.map(({ actor, tokenName }) => `${actor} ${tokenName}`))).toEqual(new Set(['ada ada']))
})

test('usage sums up what the turns say they cost', async () => {
  const turns = [
    await converse(story.as('ada'), 'cli:usage', 'run: echo one'),
    await converse(story.as('ada'), 'cli:usage', 'hello'),
  ]
  const sum = (of: (usage: (typeof turns)[number]['usage']) => number): number =>
    turns.reduce((total, { usage }) => total + of(usage), 0)
  const { usage } = await story.as('ada').run(UsageDocument, { by: 'SESSION' })
  expect(usage.find(({ key }) => key === 'cli:usage')?.usage).toMatchObject({
    calls: sum(({ calls }) => calls),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
  })
})
