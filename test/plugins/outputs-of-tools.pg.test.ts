/** What tools have answered, for the tasks after them: long answers stand whole in files of the workspace. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPlugin, until, update } from '../harness/plugins.ts'
import { addExampleSkill } from '../harness/skills.ts'
import { converse, Story } from '../harness/story.ts'
import { OpenSessionDocument } from '../generated/graphql.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
  addExampleSkill(story.home, 'json-pick')
  addPlugin(story.home, 'lists', 'lists.ts')
  await until(story, 'lists', 'DISABLED')
  await update(story, { name: 'lists', enabled: true })
  await until(story, 'lists', 'READY')
})
afterAll(() => story?.[Symbol.asyncDispose]())

const FILES = 'ls .factotum-outputs'
const BYTES = 'cat .factotum-outputs/*.txt | wc -c'

test('a skill and a command of a plan read the whole of a long answer', async () => {
  const lines = [
    'tool: lists__names {"count": 20000}',
    'skill: json-pick {"task": 1, "path": "19999"}',
    `run: ${BYTES}; ${FILES}`,
  ]
  const { tasks } = await converse(story.as('ada'), 'cli:lists', lines.join('\n'))
  expect(tasks.map(({ status }) => status)).toEqual(['DONE', 'DONE', 'DONE', 'DONE'])
  expect(tasks[1]?.output).toBe('n19999\n')
  expect(tasks[2]?.output).toBe(`${tasks[0]?.output?.length}\nlist.json\n${tasks[0]?.id}.txt\n`)
  const again = await converse(story.as('ada'), 'cli:lists', `tool: lists__names {"count": 900}\nrun: ${FILES}`)
  expect(again.tasks[1]?.output).toBe(`list.json\n${again.tasks[0]?.id}.txt\n`)
})

test('so does a plan that takes the place of the one in which the tool was called', async () => {
  const turn = await converse(
    story.as('ada'),
    'cli:lists-again',
    `tool: lists__names {"count": 900}\nrun: ${BYTES}\nfail: again`,
  )
  const [first, second] = turn.plans
  expect(first?.tasks[0]).toMatchObject({ type: 'TOOL', review: { verdict: 'REPLAN' } })
  expect(second?.tasks[0]).toMatchObject({ type: 'EXEC', output: `${first?.tasks[0]?.output?.length}\n` })
})

test('so does a conversation, also of what a tool says when it fails', async () => {
  const ada = story.as('ada')
  await ada.run(OpenSessionDocument, { input: { id: 'cli:lists-chat', mode: 'CHAT' } })
  const calls = ['tool: lists__names {"count": 900}', 'tool: lists__fails {}', `run: ${FILES}; ${BYTES}`]
  const { tasks } = await converse(ada, 'cli:lists-chat', calls.join('\n\n'))
  const [named, failed, listed] = tasks
  expect(failed).toMatchObject({ status: 'FAILED', output: null })
  const bytes = (named?.output?.length ?? 0) + (failed?.stderr?.length ?? 0)
  const names = [`${named?.id}.txt`, `${failed?.id}.stderr.txt`, 'list.json'].toSorted()
  expect(listed?.output).toBe(`${names.join('\n')}\n${bytes}\n`)
})

test('and so it is with the answer to a delegated task', async () => {
  const call = { task: 'Say it. '.repeat(120).trim(), expect: 'An answer.' }
  const { tasks } = await converse(
    story.as('ada'),
    'cli:lists-delegated',
    `tool: delegation__delegate ${JSON.stringify(call)}\nrun: ${BYTES}`,
  )
  expect(tasks[0]).toMatchObject({ tool: 'delegation__delegate', status: 'DONE' })
  expect(tasks[1]?.output).toBe(`${Buffer.byteLength(tasks[0]?.output ?? '')}\n`)
})
