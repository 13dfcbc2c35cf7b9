/** A process stops while a plugin is asked, what a task came to or for its sections: the next one asks it again. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import * as api from '../generated/graphql.ts'
import { addPlugin, select, until, update } from '../harness/plugins.ts'
import { PATIENCE } from '../harness/patience.ts'
import { send, Story, turnEnd, watchAll } from '../harness/story.ts'

const REASON = 'Rejected by the plugin judge: It must not be used.'

/** Only answers: each turn is begun by the process that runs then, and by no other. */
let place: Story
let running: Story
beforeAll(async () => {
  place = await Story.begin({ config: { settings: { drain_timeout: 0 } }, paused: true })
  running = await Story.begin({ beside: place })
  addPlugin(place.home, 'judge', 'judge.ts')
  await until(running, 'judge', 'DISABLED')
  await update(running, { name: 'judge', enabled: true })
})
afterAll(async () => {
  await running[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

/** Begins a turn in a process that stops as soon as the plugin is judging; resolves when the next one has ended it. */
async function leaveWhileJudged(
  sessionId: string,
  begin: (there: Story) => Promise<unknown>,
): Promise<api.TurnQuery['turn']> {
  await until(running, 'judge', 'READY')
  await begin(running)
  const judged = `SELECT key FROM plugin_state WHERE plugin_name = 'judge' AND value->>'sessionId' = '${sessionId}'`
  await vi.waitFor(async () => expect(await select(place, judged)).toHaveLength(1), PATIENCE)
  await running[Symbol.asyncDispose]()
  running = await Story.begin({ beside: place })
  await using watch = watchAll(running.as('ada'), sessionId)
  const { turnId } = await turnEnd(watch)
  return (await running.as('ada').run(api.TurnDocument, { id: turnId ?? '' })).turn
}

test('a conversation: what is rejected then is not shown to the model as done', async () => {
  const id = 'web:judged-chat'
  await running.as('ada').run(api.OpenSessionDocument, { input: { id, mode: 'CHAT' } })
  const turn = await leaveWhileJudged(id, (there) => send(there.as('ada'), id, 'run: echo fine'))
  expect(turn?.tasks[0]).toMatchObject({ type: 'EXEC', status: 'DONE', review: { verdict: 'REPLAN', reason: REASON } })
})

test('a call by a person: the turn fails for the reason', async () => {
  const id = 'web:judged-call'
  await running.as('ada').run(api.OpenSessionDocument, { input: { id } })
  const input = { sessionId: id, tool: 'judge__greet', args: {} }
  const turn = await leaveWhileJudged(id, (there) => there.as('ada').run(api.CallToolDocument, { input }))
  expect(turn).toMatchObject({ status: 'FAILED', failure: REASON })
})

test('a plan: another one follows', async () => {
  const id = 'web:judged-plan'
  await running.as('ada').run(api.OpenSessionDocument, { input: { id, mode: 'PLAN' } })
  const turn = await leaveWhileJudged(id, (there) => send(there.as('ada'), id, 'run: echo fine'))
  expect(turn?.tasks[0]).toMatchObject({ type: 'EXEC', status: 'DONE', review: { verdict: 'REPLAN', reason: REASON } })
})

test.each(['PLAN', 'CHAT'] as const)('mode %s: its section of the prompt is asked for again', async (mode) => {
  const id = `web:asked-${mode.toLowerCase()}`
  const ada = running.as('ada')
  await ada.run(api.OpenSessionDocument, { input: { id, mode } })
  await leaveWhileJudged(id, (there) => send(there.as('ada'), id, 'Hello'))
  const { modelCalls } = await running.as('ada').run(api.ModelCallsDocument, { first: 10, filter: { sessionId: id } })
  const prompts = modelCalls.edges.map(({ node }) => node.texts?.prompt ?? '')
  expect(prompts.join('\n')).toContain('The judge has said so.')
})
