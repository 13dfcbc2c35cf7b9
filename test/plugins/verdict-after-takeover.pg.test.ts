/** A process stops while a plugin judges what a task came to: the next one asks the plugin again. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import * as api from '../generated/graphql.ts'
import { addPlugin, select, until, update } from '../harness/plugins.ts'
import { PATIENCE } from '../harness/patience.ts'
import { send, Story, turnEnd, watchAll } from '../harness/story.ts'

vi.setConfig({ testTimeout: 180_000 })

const REASON = 'Rejected by the plugin judge: It must not be used.'

let survivor: Story
beforeAll(async () => {
  survivor = await Story.begin({ config: { settings: { drain_timeout: 0 } } })
  addPlugin(survivor.home, 'judge', 'judge.ts')
  await until(survivor, 'judge', 'DISABLED')
  await update(survivor, { name: 'judge', enabled: true })
  await until(survivor, 'judge', 'READY')
})
afterAll(() => survivor[Symbol.asyncDispose]())

/** Those of the plugin, which this process has once the plugin runs in it. */
async function toolsOf(story: Story): Promise<string[]> {
  const { tools } = await story.as('ada').run(api.ToolsDocument, { filter: { name: 'judge__*' } })
  return (tools ?? []).map(({ name }) => name)
}

/** Begins a turn in another process, which stops as soon as the plugin is judging; resolves when the turn has ended. */
async function leaveWhileJudged(
  sessionId: string,
  begin: (there: Story) => Promise<unknown>,
): Promise<api.TurnQuery['turn']> {
  await using watch = watchAll(survivor.as('ada'), sessionId)
  const there = await Story.begin({ beside: survivor })
  await vi.waitFor(async () => expect(await toolsOf(there)).toEqual(['judge__greet']), PATIENCE)
  await begin(there)
  const judged = `SELECT key FROM plugin_state WHERE plugin_name = 'judge' AND value->>'sessionId' = '${sessionId}'`
  await vi.waitFor(async () => expect(await select(survivor, judged)).toHaveLength(1), PATIENCE)
  await there[Symbol.asyncDispose]()
  const { turnId } = await turnEnd(watch)
  return (await survivor.as('ada').run(api.TurnDocument, { id: turnId ?? '' })).turn
}

test('a conversation: what is rejected then is not shown to the model as done', async () => {
  const id = 'web:judged-chat'
  await survivor.as('ada').run(api.OpenSessionDocument, { input: { id, mode: 'CHAT' } })
  const turn = await leaveWhileJudged(id, (there) => send(there.as('ada'), id, 'run: echo fine'))
  expect(turn?.tasks[0]).toMatchObject({ type: 'EXEC', status: 'DONE', review: { verdict: 'REPLAN', reason: REASON } })
})

test('a call by a person: the turn fails for the reason', async () => {
  const id = 'web:judged-call'
  await survivor.as('ada').run(api.OpenSessionDocument, { input: { id } })
  const input = { sessionId: id, tool: 'judge__greet', args: {} }
  const turn = await leaveWhileJudged(id, (there) => there.as('ada').run(api.CallToolDocument, { input }))
  expect(turn).toMatchObject({ status: 'FAILED', failure: REASON })
})

test('a plan: another one follows', async () => {
  const id = 'web:judged-plan'
  await survivor.as('ada').run(api.OpenSessionDocument, { input: { id, mode: 'PLAN' } })
  const turn = await leaveWhileJudged(id, (there) => send(there.as('ada'), id, 'run: echo fine'))
  expect(turn?.tasks[0]).toMatchObject({ type: 'EXEC', status: 'DONE', review: { verdict: 'REPLAN', reason: REASON } })
})
