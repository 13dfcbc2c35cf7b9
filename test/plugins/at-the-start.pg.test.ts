/** A server that starts with turns waiting, and plugins that take a moment: they take part in the first turn, too. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OpenSessionDocument } from '../generated/graphql.ts'
import { addExamplePlugin, addPlugin, read, until, update } from '../harness/plugins.ts'
import { answersIn, converse, send, Story, turnEnd, watchAll } from '../harness/story.ts'

const ID = 'web:queued'

let before: Story
beforeAll(async () => {
  before = await Story.begin()
  addExamplePlugin(before.home, 'clock')
  addPlugin(before.home, 'starts-late', 'starts-late.ts')
  for (const name of ['clock', 'starts-late']) {
    await until(before, name, 'DISABLED')
    await update(before, { name, enabled: true })
    await until(before, name, 'READY')
  }
  await before.as('ada').run(OpenSessionDocument, { input: { id: ID } })
  await before.app.stop()
})
afterAll(() => before[Symbol.asyncDispose]())

test('a command that was typed before the start goes to its plugin, not to the model', async () => {
  {
    await using paused = await Story.begin({ beside: before, paused: true })
    await send(paused.as('ada'), ID, '/time Europe/Berlin')
  }
  await using started = await Story.begin({ beside: before })
  await using watch = watchAll(started.as('ada'), ID)
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE', commandsHandled: ['time'] })
  expect(answersIn(watch)).toEqual([expect.stringMatching(/ 20\d\d at \d\d:\d\d$/)])
})

test('a plugin that does not come up keeps no turn waiting', async () => {
  const hold = join(before.home, 'hold')
  await writeFile(hold, '')
  const lines: string[] = []
  await using started = await Story.begin({ beside: before, log: (line) => void lines.push(line) })
  expect(await converse(started.as('ada'), ID, 'Hello')).toMatchObject({ status: 'DONE' })
  expect(await read(started, 'starts-late')).toMatchObject({ status: 'STARTING' })
  expect(lines.join('')).toContain('"plugins":["starts-late"]')
  await rm(hold)
  await until(started, 'starts-late', 'READY')
})
