/** Plugins whose settings change while a turn runs: it goes on with each as it is now. */
import { writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { PATIENCE } from '../harness/patience.ts'
import { addExamplePlugin, addPlugin, read, until, update } from '../harness/plugins.ts'
import { send, Story, turnEnd, watchAll } from '../harness/story.ts'
import { OpenSessionDocument, ToolProblemsDocument, TurnDocument } from '../generated/graphql.ts'

interface Turn {
  readonly mode: 'PLAN' | 'CHAT'
  /** What the message says after the command that waits. */
  readonly lines: string
  /** While that command runs. */
  readonly meanwhile: () => Promise<unknown>
}

async function turnOf(story: Story, { mode, lines, meanwhile }: Turn) {
  const ada = story.as('ada')
  const id = `cli:${mode.toLowerCase()}`
  const file = story.path(`go-${mode}`)
  await ada.run(OpenSessionDocument, { input: { id, mode } })
  await send(ada, id, `run: until [ -e ${file} ]; do sleep 0.02; done${lines}`)
  await using watch = watchAll(ada, id)
  await watch.until(
    ({ sessionEvents: event }) => event.__typename === 'TaskUpdateEvent' && event.taskStatus === 'RUNNING',
  )
  await meanwhile()
  writeFileSync(file, '')
  const { turnId } = await turnEnd(watch)
  const { turn } = await ada.run(TurnDocument, { id: turnId ?? '' })
  return turn?.plans.flatMap(({ tasks }) => tasks) ?? []
}

async function begin(name: string): Promise<Story> {
  const story = await Story.begin()
  addExamplePlugin(story.home, name)
  await until(story, name, 'DISABLED')
  await update(story, { name, enabled: true })
  await until(story, name, 'READY')
  return story
}

test('a guard rejects what its settings forbid, also those that it was given during the turn', async () => {
  await using story = await begin('guard')
  const tasks = await turnOf(story, {
    mode: 'PLAN',
    lines: '\nrun: echo forbidden',
    meanwhile: async () => {
      expect(await update(story, { name: 'guard', settings: { words: ['forbidden'] } })).toHaveProperty('plugin')
      await until(story, 'guard', 'READY')
    },
  })
  expect(tasks[0]).toMatchObject({ status: 'DONE', review: { verdict: 'OK' } })
  expect(tasks[1]).toMatchObject({
    detail: 'echo forbidden',
    status: 'DONE',
    review: { verdict: 'REPLAN', reason: expect.stringContaining('The guard does not allow "forbidden"') },
  })
})

test('a guard that is disabled during a turn rejects nothing any more', async () => {
  await using story = await begin('guard')
  const tasks = await turnOf(story, {
    mode: 'PLAN',
    lines: '\nrun: echo DROP TABLE',
    meanwhile: () => update(story, { name: 'guard', enabled: false }),
  })
  expect(tasks[1]).toMatchObject({ detail: 'echo DROP TABLE', status: 'DONE', review: { verdict: 'OK' } })
})

test('a tool that a turn was offered is called in the plugin as it is now', async () => {
  await using story = await begin('clock')
  const tasks = await turnOf(story, {
    mode: 'CHAT',
    lines: '\n\ntool: clock__now {"zone":"Asia/Tokyo"}',
    meanwhile: async () => {
      expect(await update(story, { name: 'clock', settings: { zone: 'Asia/Tokyo' } })).toHaveProperty('plugin')
      await until(story, 'clock', 'READY')
    },
  })
  expect(tasks[1]).toMatchObject({ tool: 'clock__now', status: 'DONE', output: expect.stringMatching(/ 20\d\d at \d/) })
})

test('why a plugin does not start is for admins alone, without its secrets; a session reads that it is not running', async () => {
  await using story = await Story.begin()
  const key = 'hush-hush-1234567'
  writeFileSync(story.path('.env'), `COURIER_KEY=${key}\n`)
  addPlugin(story.home, 'courier', 'courier.ts')
  await until(story, 'courier', 'DISABLED')
  await update(story, { name: 'courier', enabled: true })
  await until(story, 'courier', 'READY')
  const why = 'db.internal:5432 refuses the key [REDACTED]'
  const tasks = await turnOf(story, {
    mode: 'CHAT',
    lines: '\n\ntool: courier__bring {}',
    meanwhile: async () => {
      await update(story, { name: 'courier', settings: { breaks: true } })
      const failed = async (): Promise<void> =>
        expect(await read(story, 'courier')).toMatchObject({ lastError: expect.stringContaining(why) })
      await vi.waitFor(failed, PATIENCE)
    },
  })
  expect(tasks[1]).toMatchObject({ tool: 'courier__bring', status: 'FAILED' })
  const shown = JSON.stringify(tasks[1])
  expect(shown).toContain('The plugin courier is not running')
  expect(shown).not.toContain('db.internal')
  const { toolProblems } = await story.as('ada').run(ToolProblemsDocument)
  expect(toolProblems).toEqual([{ source: 'courier', problem: expect.stringContaining(why) }])
})
