/**
 * Plugins, their runtimes and tool servers that loop, end, eat memory and flood, within a whole server: turns, sockets
 * and other plugins go on.
 */
import { expect, test, vi } from 'vitest'
import { askOperators } from '../harness/ask-operators.ts'
import { PATIENCE } from '../harness/patience.ts'
import { addPlugin, read, until, update } from '../harness/plugins.ts'
import { answersIn, converse, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import { McpServersDocument, OpenSessionDocument, ToolsDocument } from '../generated/graphql.ts'
import { moveIn } from '../mcp/move-in.ts'
import { findSandbox, skipReason } from '../sandbox/sandbox-support.ts'

/**
 * Each does it whenever there is a message. Where the processors are busy a call may be late before its thread has
 * reached the limit, and five such failures rest the plugin with that as its last error; zoo.test.ts has the limits.
 */
const HOSTILE = {
  loops: /event loop has hung|did not answer/,
  exits: /ended by itself/,
  'eats-heap': /MB of memory|did not answer/,
  'steals-port': /flooded the server|did not answer/,
} as const

test('whatever a plugin does, the turns of others, their subscriptions and other plugins go on', async () => {
  await using story = await Story.begin()
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  addPlugin(story.home, 'good-plugin', 'good-plugin.ts')
  for (const name of Object.keys(HOSTILE)) addPlugin(story.home, name, `zoo/${name}.ts`)
  const names = ['good-plugin', ...Object.keys(HOSTILE)]
  for (const name of names) {
    await until(story, name, 'DISABLED')
    await update(story, { name, enabled: true })
    await until(story, name, 'READY')
  }
  await using watch = watchAll(ben, '@ben:beside')
  // Its message meets all of them at once; the others begin while they do what they do.
  await send(ada, 'cli:meets', 'run: echo met')
  const commands = ['one', 'two']
  for (const word of commands) {
    const { status, tasks } = await converse(ben, '@ben:beside', `run: echo ${word}`)
    expect([status, tasks[0]?.output]).toEqual(['DONE', `${word}\n`])
  }
  const greeted = await converse(ben, '@ben:beside', '/greet Ben')
  expect(greeted.answers).toEqual([expect.stringContaining('Hello, Ben!')])
  await turnEnd(watch, commands.length + 1)
  expect(answersIn(watch)).toHaveLength(commands.length + 1)
  await using met = watchAll(ada, 'cli:meets')
  expect(await turnEnd(met)).toMatchObject({ turnStatus: 'DONE' })

  for (const [name, reason] of Object.entries(HOSTILE)) {
    await vi.waitFor(async () => {
      const { crashes, failures, lastError } = await read(story, name)
      expect(crashes + failures).toBeGreaterThan(0)
      expect(lastError).toMatch(reason)
    }, PATIENCE)
  }
  const good = await read(story, 'good-plugin')
  expect([good.status, good.failures, good.crashes, good.lastError]).toEqual(['READY', 0, 0, null])
  await expect.poll(async () => (await askOperators(story.app.url, '/ready')).status).toBe(200)
})

const RUNTIMES = 'hostile-runtimes'
const LOOPING = 'looping-runtime'
/** What is an outage is answered by the role's own model; what has been shown in part, or is no answer, fails. */
const BY_ANOTHER = ['DONE', null, [expect.stringContaining('Hello')]]
const FAILS = [
  'FAILED',
  expect.stringMatching(/runtime/),
  [expect.stringMatching(/^The language model .*\(reference \S+\)\.$/)],
]
/** Those that only fail their answer; then one that ends its plugin's thread, and one that never comes back to it. */
const HOSTILE_RUNTIMES = [
  {
    [`${RUNTIMES}/silent`]: BY_ANOTHER,
    [`${RUNTIMES}/garbage`]: FAILS,
    [`${RUNTIMES}/endless`]: FAILS,
    [`${RUNTIMES}/refuses`]: BY_ANOTHER,
    [`${RUNTIMES}/bomb`]: BY_ANOTHER,
  },
  { [`${RUNTIMES}/exits`]: FAILS, [`${LOOPING}/loops`]: BY_ANOTHER },
]

test('whatever the runtime of a plugin does, its turn has an end, and the turns of others go on', async () => {
  await using story = await Story.begin({ config: { settings: { llm_idle_timeout: 5, provider_outage_wait: 0 } } })
  const [ada, ben] = [story.as('ada'), story.as('ben')]
  for (const name of [RUNTIMES, LOOPING]) {
    addPlugin(story.home, name, `runtimes/${name}.ts`)
    await until(story, name, 'DISABLED')
    await update(story, { name, enabled: true })
    await until(story, name, 'READY')
  }
  await using beside = watchAll(ben, '@ben:beside')
  const endOf = async (runtime: string): Promise<readonly [string, readonly unknown[]]> => {
    const id = `cli:${runtime.replace('/', '-')}`
    await ada.run(OpenSessionDocument, { input: { id, mode: 'CHAT', model: `${runtime}:one` } })
    const { status, failure, answers } = await converse(ada, id, 'Hello')
    return [runtime, [status, failure, answers]]
  }
  for (const runtimes of HOSTILE_RUNTIMES) {
    const ends = Promise.all(Object.keys(runtimes).map(endOf))
    expect(await converse(ben, '@ben:beside', 'run: echo beside')).toMatchObject({ status: 'DONE' })
    expect(Object.fromEntries(await ends)).toEqual(runtimes)
  }
  await turnEnd(beside, HOSTILE_RUNTIMES.length)
  for (const name of [RUNTIMES, LOOPING])
    await expect.poll(async () => (await read(story, name)).crashes, PATIENCE).toBeGreaterThan(0)
  await expect.poll(async () => (await askOperators(story.app.url, '/ready')).status).toBe(200)
})

const skipped = skipReason(await findSandbox())
const SERVERS = ['floods', 'garbage', 'crashes', 'bombs', 'silent']

test.skipIf(skipped !== '')('whatever a tool server does, turns and the tools of others go on', async () => {
  await using story = await Story.begin()
  const ada = story.as('ada')
  for (const name of [...SERVERS, 'dies']) moveIn(story.home, name)
  const sections = [...SERVERS, 'dies'].map((name) => `[mcp.${name}]\ncommand = "node"\nargs = ["${name}.ts"]\n`)
  await story.reconfigure(storyConfig({ toml: sections.join('') }))
  await ada.run(OpenSessionDocument, { input: { id: 'cli:beside', mode: 'CHAT' } })
  await using watch = watchAll(ada, 'cli:beside')
  const offered = async (): Promise<number> =>
    (await ada.run(ToolsDocument, { filter: { name: 'dies__live' } })).tools.length
  await expect.poll(offered).toBe(1)
  for (let turn = 1; turn <= 3; turn += 1) {
    const { status, tasks } = await converse(ada, 'cli:beside', 'tool: dies__live {}')
    expect([status, tasks[0]?.output]).toEqual(['DONE', 'alive'])
  }
  await turnEnd(watch, 3)
  expect(answersIn(watch)).toHaveLength(3)
  const { mcpServers } = await ada.run(McpServersDocument, {})
  const problems = new Map(mcpServers?.map(({ name, problem }) => [name, problem]))
  expect(problems.get('dies')).toBeNull()
  expect(SERVERS.filter((name) => problems.get(name) !== null).length).toBeGreaterThan(1)
})
