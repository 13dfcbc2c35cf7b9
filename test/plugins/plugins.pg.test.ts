/** Plugins as admins run them: found in the home, enabled, set, ended and removed while the server runs. */
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { askOperators } from '../harness/ask-operators.ts'
import { addExamplePlugin, addPlugin, read, select, until, update } from '../harness/plugins.ts'
import { converse, eventsOf, Story, storyConfig, watchAll } from '../harness/story.ts'
import {
  AuditDocument,
  OpenSessionDocument,
  PluginDocument,
  PluginsDocument,
  PluginUpdatesDocument,
  RestartPluginDocument,
  ToolsDocument,
  ToolProblemsDocument,
  UpdatePluginDocument,
} from '../generated/graphql.ts'
import { PATIENCE } from '../harness/patience.ts'

const KEY = 'the-key-of-the-diary-0123456789'

/** What the diary has noted, by the beginning of its keys. */
async function notes(story: Story, key: string): Promise<unknown[]> {
  const where = `plugin_name = 'diary' AND key LIKE '${key}%'`
  const rows = await select(story, `SELECT value FROM plugin_state WHERE ${where} ORDER BY updated_at`)
  return rows.map(({ value }) => value)
}

/**
 * Waits until it was started in both processes after so many starts, at last with these notes. Returns how many there
 * were: one that was slow is started again, so there may be more.
 */
async function startedInBoth(story: Story, before: number, last: object = {}): Promise<number> {
  return await vi.waitFor(async () => {
    const starts = await notes(story, 'start')
    expect(starts.length).toBeGreaterThanOrEqual(before + 2)
    expect(starts.slice(-2)).toMatchObject([last, last])
    return starts.length
  }, PATIENCE)
}

describe('in two processes', () => {
  let here: Story
  let there: Story
  const servers = new AsyncDisposableStack()
  beforeAll(async () => {
    here = servers.use(await Story.begin())
    there = servers.use(await Story.begin({ beside: here }))
  })
  afterAll(() => servers.disposeAsync())

  test('a plugin is found, enabled, set, restarted and removed, in every process', async () => {
    const ada = here.as('ada')
    await using updates = ada.watch(PluginUpdatesDocument, {})
    await updates.until(({ pluginUpdates }) => pluginUpdates.readList)
    await writeFile(here.path('.env'), `DIARY_KEY=${KEY}\n`)
    addPlugin(here.home, 'broken', 'zoo/exits-at-load.ts')
    const folder = addPlugin(here.home, 'diary', 'diary.ts')
    await updates.until(({ pluginUpdates }) => pluginUpdates.plugin?.name === 'diary')
    await until(here, 'broken', 'FAILED')
    expect((await read(here, 'broken')).lastError).toContain('ended by itself, with code 3')
    const listed = async (): Promise<unknown> => {
      const { plugins } = await ada.run(PluginsDocument)
      return plugins?.edges.map(({ node }) => [node.name, node.status, node.enabled])
    }
    await expect.poll(listed).toEqual([
      ['activity', 'READY', true],
      ['broken', 'FAILED', false],
      ['context', 'DISABLED', false],
      ['delegation', 'READY', true],
      ['diary', 'DISABLED', false],
      ['mcp', 'READY', true],
    ])
    expect(await read(there, 'diary')).toMatchObject({
      release: '2.0.0',
      origin: 'FOLDER',
      instructs: false,
      tools: ['read'],
      commands: ['diary'],
      hooks: ['onSettingsChange'],
      secretSettings: ['key'],
      settingsSchema: { type: 'object', properties: { owner: { default: 'nobody' } } },
    })

    expect(await update(here, { name: 'diary', enabled: true })).toMatchObject({
      plugin: { enabled: true, version: 2 },
    })
    await until(here, 'diary', 'READY')
    let starts = await startedInBoth(here, 0)

    expect(await update(here, { name: 'diary', settings: { owner: '' } })).toMatchObject({
      __typename: 'InvalidInputRefusal',
      issues: [{ path: ['settings'], problem: expect.stringContaining('owner: Too small') }],
    })
    const stale = { name: 'diary', enabled: false, version: 1 }
    expect((await ada.run(UpdatePluginDocument, { input: stale })).updatePlugin).toMatchObject({
      reason: 'STALE_VERSION',
    })
    const gone = { name: 'nothing', version: 1 }
    expect((await ada.run(UpdatePluginDocument, { input: gone })).updatePlugin.__typename).toBe('NotFoundRefusal')

    const settings = { owner: 'ada', key: 'DIARY_KEY' }
    expect(await update(there, { name: 'diary', settings, position: 7 })).toMatchObject({
      plugin: { settings, position: 7 },
    })
    starts = await startedInBoth(here, starts, { owner: 'ada', length: KEY.length, key: '[REDACTED]' })
    expect(await notes(here, 'told')).toEqual([settings])
    const said = 'SELECT role, content, user_name, client FROM messages ORDER BY seq'
    const asked = { role: 'USER', user_name: 'ada', client: 'plugin:diary', content: 'Dear diary, [REDACTED]' }
    await vi.waitFor(async () => {
      const messages = await select(here, said)
      expect(messages).toContainEqual(expect.objectContaining(asked))
      expect(messages).toContainEqual(expect.objectContaining({ role: 'ASSISTANT', content: 'It was a nice day.' }))
    }, PATIENCE)

    await using watch = watchAll(ada, 'web:diary')
    await watch.until(({ sessionEvents: event }) => event.__typename === 'PluginEvent')
    expect(eventsOf(watch, 'PluginEvent')[0]).toMatchObject({
      plugin: 'diary',
      name: 'begun',
      data: { key: '[REDACTED]' },
    })

    const { restartPlugin } = await ada.run(RestartPluginDocument, { name: 'diary' })
    expect(restartPlugin.__typename).toBe('RestartPluginPayload')
    starts = await startedInBoth(here, starts)
    await appendFile(`${folder}/plugin.ts`, '// changed\n')
    await startedInBoth(here, starts)

    expect(await update(here, { name: 'diary', settings: { owner: 'absent', key: 'DIARY_KEY' } })).toHaveProperty(
      'plugin',
    )
    await vi.waitFor(
      async () => expect((await read(here, 'diary')).lastError).toBe('it did not start: there is no user "absent"'),
      PATIENCE,
    )
    expect(await update(here, { name: 'diary', enabled: false })).toMatchObject({ plugin: { enabled: false } })
    await until(here, 'diary', 'DISABLED')
    rmSync(folder, { recursive: true })
    await until(there, 'diary', 'MISSING')
    expect(await read(here, 'diary')).toMatchObject({ settings: { owner: 'absent' }, position: 7, lastError: null })

    const { audit } = await ada.run(AuditDocument, { first: 50, filter: { kind: ['CONFIG'] } })
    const changes = audit?.edges.flatMap(({ node }) =>
      node.__typename === 'ConfigAudit' && node.configChange.startsWith('PLUGIN')
        ? [[node.configChange, node.configDetail, node.actor?.name]]
        : [],
    )
    expect(changes?.toReversed()).toEqual([
      ['PLUGIN_FOUND', 'broken ?', 'server'],
      ['PLUGIN_FOUND', 'diary 2.0.0', 'server'],
      ['PLUGIN_UPDATED', 'diary, enabled', 'ada'],
      ['PLUGIN_UPDATED', 'diary, position 7, settings owner key', 'ada'],
      ['PLUGIN_RESTARTED', 'diary', 'ada'],
      ['PLUGIN_UPDATED', 'diary, settings owner', 'ada'],
      ['PLUGIN_UPDATED', 'diary, disabled', 'ada'],
    ])
  })

  test('delegating is switched off and on in every process, like a plugin', async () => {
    const offered = async (on: Story): Promise<string[]> => {
      const { tools } = await on.as('ada').run(ToolsDocument, { filter: { name: 'delegation__*' } })
      return (tools ?? []).map(({ name }) => name)
    }
    await until(here, 'delegation', 'READY')
    await vi.waitFor(async () => expect(await offered(there)).toEqual(['delegation__delegate']), PATIENCE)
    expect(await read(here, 'delegation')).toMatchObject({ origin: 'BUILT_IN', enabled: true })
    await update(here, { name: 'delegation', enabled: false })
    for (const on of [here, there]) await vi.waitFor(async () => expect(await offered(on)).toEqual([]), PATIENCE)
    const { toolProblems } = await there.as('ada').run(ToolProblemsDocument)
    expect(toolProblems).toContainEqual({
      source: 'delegation',
      problem: 'An admin has disabled the plugin delegation.',
    })
    await using later = await Story.begin({ beside: here })
    expect(await offered(later)).toEqual([])
    await update(here, { name: 'delegation', enabled: true })
    for (const on of [here, there, later])
      await vi.waitFor(async () => expect(await offered(on)).toEqual(['delegation__delegate']), PATIENCE)
  })
})

describe('in one process', () => {
  let story: Story
  beforeAll(async () => {
    story = await Story.begin()
  })
  afterAll(() => story[Symbol.asyncDispose]())

  test('one that was not loaded in time when it was found is loaded again, with the same files', async () => {
    addPlugin(story.home, 'late', 'late.ts')
    const found = async (): Promise<object | null> =>
      (await story.as('ada').run(PluginDocument, { name: 'late' })).plugin ?? null
    await vi.waitFor(
      async () => expect(await found()).toMatchObject({ title: 'late', lastError: expect.stringContaining('10 s') }),
      PATIENCE,
    )
    expect(await found()).toMatchObject({ status: 'DISABLED' })
    await writeFile(story.path('go'), '')
    await vi.waitFor(async () => expect(await found()).toMatchObject({ title: 'Late', lastError: null }), PATIENCE)
    await update(story, { name: 'late', enabled: true })
    await until(story, 'late', 'READY')
  })

  test('the tool of an example is called by a conversation, and is gone with the plugin', async () => {
    const ada = story.as('ada')
    addExamplePlugin(story.home, 'clock')
    addExamplePlugin(story.home, 'guard')
    await until(story, 'guard', 'DISABLED')
    await update(story, { name: 'clock', enabled: true })
    await until(story, 'clock', 'READY')
    await ada.run(OpenSessionDocument, { input: { id: 'cli:clock', mode: 'CHAT' } })
    const called = await converse(ada, 'cli:clock', 'tool: clock__now {"zone":"Europe/Berlin"}')
    expect(called.tasks[0]).toMatchObject({
      type: 'TOOL',
      status: 'DONE',
      output: expect.stringMatching(/ 20\d\d at \d/),
    })
    const wrong = await converse(ada, 'cli:clock', 'tool: clock__now {"zone":"Nowhere"}')
    expect(wrong.tasks[0]).toMatchObject({ type: 'TOOL', status: 'FAILED', output: null })
    expect(await read(story, 'clock')).toMatchObject({ status: 'READY', lastError: null })
    await update(story, { name: 'clock', enabled: false })
    await vi.waitFor(
      async () => expect(await read(story, 'clock')).toMatchObject({ calls: 4, failures: 0, crashes: 0 }),
      PATIENCE,
    )
    const figures = await (await askOperators(story.app.url, '/metrics')).text()
    expect(figures).toContain('factotum_plugin_calls_total{plugin="clock",outcome="ok"} 4')
    const gone = await converse(ada, 'cli:clock', 'tool: clock__now {"zone":"UTC"}')
    expect(gone.tasks.filter(({ type, status }) => type === 'TOOL' && status === 'DONE')).toEqual([])
  })

  test('a package that config.toml names is a plugin; of a folder with its name, the folder counts', async () => {
    const folder = story.path('node_modules', 'factotum-plugin-greeter')
    await mkdir(folder, { recursive: true })
    const module = (title: string): string =>
      `import { definePlugin } from 'factotum/plugin'
      export default definePlugin({ name: 'greeter', version: '1.0.0', api: 1, title: '${title}', description: 'Greets.' })`
    await writeFile(`${folder}/index.js`, module('Packed'))
    await writeFile(
      `${folder}/package.json`,
      JSON.stringify({ name: 'factotum-plugin-greeter', type: 'module', main: 'index.js' }),
    )
    await story.reconfigure(storyConfig({ toml: '[plugins]\npackages = ["factotum-plugin-greeter", "not-there"]\n' }))
    await until(story, 'greeter', 'DISABLED')
    expect(await read(story, 'greeter')).toMatchObject({ origin: 'PACKAGE', title: 'Packed' })
    await update(story, { name: 'greeter', enabled: true })
    await until(story, 'greeter', 'READY')
    await mkdir(story.path('plugins', 'greeter'), { recursive: true })
    await writeFile(story.path('plugins', 'greeter', 'plugin.ts'), module('Local'))
    await vi.waitFor(
      async () =>
        expect(await read(story, 'greeter')).toMatchObject({ origin: 'FOLDER', title: 'Local', status: 'READY' }),
      PATIENCE,
    )
    await story.reconfigure(storyConfig())
    rmSync(story.path('plugins', 'greeter'), { recursive: true })
    await until(story, 'greeter', 'MISSING')
  })
})

test('a model whose runtime is not there is told of in the log, and when plugins are changed', async () => {
  const lines: string[] = []
  const toml = '[models]\nmessenger = "tois/agent:one"\n'
  await using story = await Story.begin({ config: { toml }, log: (line) => void lines.push(line) })
  const problem = 'a model of config.toml cannot answer: There is no plugin'
  await vi.waitFor(() => expect(lines.filter((line) => line.includes(problem))).toHaveLength(1), PATIENCE)
  await until(story, 'activity', 'READY')
  expect(await update(story, { name: 'activity', enabled: false })).toMatchObject({
    warnings: [expect.stringContaining('tois/agent:one: There is no plugin "tois"')],
  })
  expect(lines.filter((line) => line.includes(problem))).toHaveLength(1)
})

test('a plugin stays while its folder cannot be read, and the log tells of it once', async () => {
  const lines: string[] = []
  await using story = await Story.begin({ log: (line) => void lines.push(line) })
  const countOf = (text: string): number => lines.filter((line) => line.includes(text)).length
  const plugins = story.path('plugins')
  const place = (target: string): void => {
    symlinkSync(target, `${plugins}.next`)
    renameSync(`${plugins}.next`, plugins)
  }
  mkdirSync(story.path('real-plugins'))
  place('real-plugins')
  addExamplePlugin(story.home, 'guard')
  await until(story, 'guard', 'DISABLED')
  await update(story, { name: 'guard', enabled: true })
  await until(story, 'guard', 'READY')
  place('plugins') // a link to itself: ELOOP
  await vi.waitFor(() => expect(countOf('scan for plugins failed')).toBe(1), PATIENCE)
  for (const position of [3, 4]) {
    await update(story, { name: 'activity', position }) // polls once more
    expect(await read(story, 'guard')).toMatchObject({ status: 'READY', crashes: 0 })
  }
  expect(countOf('scan for plugins failed')).toBe(1)
  place('real-plugins')
  await vi.waitFor(() => expect(countOf('scan for plugins works again')).toBe(1), PATIENCE)
  place('nowhere')
  await until(story, 'guard', 'MISSING')
})
