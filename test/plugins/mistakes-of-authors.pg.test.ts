/** What an author is shown of a mistake: what it is, and where it stands. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { OpenSessionDocument, PluginDocument } from '../generated/graphql.ts'
import { PATIENCE } from '../harness/patience.ts'
import { addExamplePlugin, addPlugin, read, until, update } from '../harness/plugins.ts'
import { converse, Story } from '../harness/story.ts'

const NO_CITY = "Cannot read properties of undefined (reading 'city')"

const lines: string[] = []
let story: Story
beforeAll(async () => {
  const toml = '[plugins]\npackages = ["factotum-plugin-wheather"]\n'
  story = await Story.begin({ config: { toml }, log: (line) => void lines.push(line) })
})
afterAll(() => story[Symbol.asyncDispose]())

/** What the log has of the plugin, at or above level "info". */
function logged(plugin: string): readonly Record<string, unknown>[] {
  const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  return all.filter((line) => line['plugin'] === plugin && Number(line['level']) >= 30)
}

async function untilFound(name: string): Promise<void> {
  const found = async (): Promise<unknown> => (await story.as('ada').run(PluginDocument, { name })).plugin
  await vi.waitFor(async () => expect(await found()).toMatchObject({ name }), PATIENCE)
}

test('an error has its place in the plugin, in lastError and in the log; a model is not shown it', async () => {
  const ada = story.as('ada')
  addPlugin(story.home, 'faults', 'zoo/faults.ts')
  await untilFound('faults')
  await update(story, { name: 'faults', enabled: true })
  await until(story, 'faults', 'READY')
  await ada.run(OpenSessionDocument, { input: { id: 'web:faults', mode: 'CHAT' } })

  const { answers } = await converse(ada, 'web:faults', 'tool: faults__city {}')
  expect(answers.join()).toContain(NO_CITY)
  expect(answers.join()).not.toContain('plugin.ts')
  const line = { level: 30, msg: `tool city threw: ${NO_CITY}`, fields: { place: 'plugin.ts:5:66' } }
  await vi.waitFor(() => expect(logged('faults')).toContainEqual(expect.objectContaining(line)), PATIENCE)

  await converse(ada, 'web:faults', 'run: true')
  const ofHook = `onTaskComplete: ${NO_CITY} (plugin.ts:5:66)`
  await vi.waitFor(async () => expect((await read(story, 'faults')).lastError).toBe(ofHook), PATIENCE)

  await converse(ada, 'web:faults', '/later')
  const ofTimer = `it threw outside of a call: ${NO_CITY} (plugin.ts:5:66)`
  await vi.waitFor(async () => expect((await read(story, 'faults')).lastError).toBe(ofTimer), PATIENCE)
})

test('an answer that a hook does not take is named with what is wrong with it', async () => {
  const folder = join(story.home, 'plugins/shapes')
  mkdirSync(folder, { recursive: true })
  const head = `name: 'shapes', version: '1.0.0', api: 1, title: 'Shapes', description: 'Gives back an object.'`
  writeFileSync(
    join(folder, 'plugin.js'),
    `export default { ${head}, hooks: { onBeforeInvoke: (data) => ({ sections: data.sections }) } }\n`,
  )
  await untilFound('shapes')
  await update(story, { name: 'shapes', enabled: true })
  await until(story, 'shapes', 'READY')
  await converse(story.as('ada'), 'web:shapes', 'Hello')
  const why = 'onBeforeInvoke: it answered what this hook does not take: Invalid input: expected array, received object'
  await vi.waitFor(async () => expect((await read(story, 'shapes')).lastError).toBe(why), PATIENCE)
})

test('one that cannot be loaded is in the log, with the line that is wrong', async () => {
  const folder = join(story.home, 'plugins/torn')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'plugin.ts'), '// A comment.\nenum Size { Small }\nexport default { Size }\n')
  await untilFound('torn')
  await until(story, 'torn', 'FAILED')
  const error = expect.stringMatching(/enum is not supported .*\(plugin\.ts:2\)$/)
  expect((await read(story, 'torn')).lastError).toEqual(error)
  const line = { level: 40, error, msg: 'a plugin cannot be loaded; it is left out' }
  await vi.waitFor(() => expect(logged('torn')).toMatchObject([line]), PATIENCE)
})

test('what lies among plugins and is none is in the log once, and so is a package that is not installed', async () => {
  for (const [folder, file] of [
    ['My_Tools', 'plugin.ts'],
    ['empty', 'main.ts'],
    ['.git', 'plugin.ts'],
  ] as const) {
    mkdirSync(join(story.home, 'plugins', folder), { recursive: true })
    writeFileSync(join(story.home, 'plugins', folder, file), '')
  }
  writeFileSync(join(story.home, 'plugins', 'README.md'), '')
  const none = (): unknown[] =>
    lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'no plugin is found where one may be meant')
      .map(({ what, why }) => `${String(what)}: ${String(why)}`)
      .toSorted()
  const all = [
    expect.stringMatching(/^My_Tools: its name is not lower-case letters/),
    expect.stringMatching(/^empty: it has no plugin\.ts, /),
    expect.stringMatching(/^factotum-plugin-wheather: it is not installed/),
  ]
  await vi.waitFor(() => expect(none()).toEqual(all), PATIENCE)
  addExamplePlugin(story.home, 'guard')
  await untilFound('guard')
  expect(none()).toEqual(all)
})

test('one that is never loaded holds up no other: what an admin changes holds before it is given up', async () => {
  addExamplePlugin(story.home, 'clock')
  await until(story, 'clock', 'DISABLED')
  await update(story, { name: 'clock', enabled: true })
  await until(story, 'clock', 'READY')
  const folder = addPlugin(story.home, 'endless', 'endless.ts')
  await vi.waitFor(() => expect(existsSync(join(folder, 'loading'))).toBe(true), PATIENCE)
  await update(story, { name: 'clock', enabled: false })
  await until(story, 'clock', 'DISABLED')
  expect((await story.as('ada').run(PluginDocument, { name: 'endless' })).plugin).toBeNull()
  await untilFound('endless')
  const lastError = 'it did not answer within 10 s'
  await vi.waitFor(async () => expect(await read(story, 'endless')).toMatchObject({ lastError }), PATIENCE)
})
