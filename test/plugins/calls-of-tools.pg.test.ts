/** Calls of tools in a conversation: which are made side by side, and which are asked for by what they may do. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { addPlugin, until, update } from '../harness/plugins.ts'
import { converse, eventsOf, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import { OpenSessionDocument } from '../generated/graphql.ts'

let story: Story
beforeAll(async () => {
  // A call that waits for one which is not made fails soon.
  story = await Story.begin({ config: { settings: { exec_timeout: 20 } } })
  addPlugin(story.home, 'meeting', 'meeting.ts')
  await until(story, 'meeting', 'DISABLED')
  await update(story, { name: 'meeting', enabled: true })
  await until(story, 'meeting', 'READY')
})
afterAll(() => story?.[Symbol.asyncDispose]())

async function open(id: string): Promise<void> {
  await story.as('ada').run(OpenSessionDocument, { input: { id, mode: 'CHAT' } })
}

const call = (...tools: readonly string[]): string => tools.map((tool) => `tool: meeting__${tool} {}`).join('\n')

test('calls of one answer that only read are made side by side', async () => {
  await open('cli:meet')
  const { tasks } = await converse(story.as('ada'), 'cli:meet', call('meet', 'meet'))
  expect(tasks.slice(0, 2)).toMatchObject([
    { tool: 'meeting__meet', status: 'DONE', output: 'We have met.' },
    { tool: 'meeting__meet', status: 'DONE', output: 'We have met.' },
  ])
})

test('where one of them writes, each begins when the one before has ended', async () => {
  const ada = story.as('ada')
  await open('cli:mix')
  await send(ada, 'cli:mix', call('look', 'change', 'look'))
  await using watch = watchAll(ada, 'cli:mix')
  await turnEnd(watch)
  const steps = eventsOf(watch, 'TaskUpdateEvent').filter(
    ({ task, taskStatus }) => task.type === 'TOOL' && taskStatus !== 'PENDING',
  )
  expect(steps.map(({ task, taskStatus }) => `${task.index} ${taskStatus}`)).toEqual([
    '0 RUNNING',
    '0 DONE',
    '1 RUNNING',
    '1 DONE',
    '2 RUNNING',
    '2 DONE',
  ])
})

test('a rule for tools that write asks for those, and for no other', async () => {
  const ada = story.as('ada')
  const rules = approvalRules('effect = "require"\ntool_effect = "write"')
  await story.reconfigure(storyConfig({ settings: { exec_timeout: 20 }, toml: rules }))
  await open('cli:writes')
  await send(ada, 'cli:writes', `${call('look')}\nrun: echo free\n\n${call('change')}`)
  await using watch = watchAll(ada, 'cli:writes')
  const [asked, ...more] = await untilAsked(watch)
  expect(more).toEqual([])
  expect(asked?.approvalReason).toContain('calls of tools with effect WRITE need an approval')
  expect(eventsOf(watch, 'TaskUpdateEvent').filter(({ taskStatus }) => taskStatus === 'DONE')).toHaveLength(2)
  await decide(ada, { id: asked?.id ?? '', approve: true })
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(eventsOf(watch, 'TaskUpdateEvent').filter(({ taskStatus }) => taskStatus === 'DONE')).toHaveLength(4)
})
