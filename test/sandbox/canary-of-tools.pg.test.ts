/**
 * Canaries in conversations: the keys of a plugin and of an MCP server, which tell them wherever they can, and a model
 * that repeats them in arguments, thoughts and answers. They are found nowhere: not in the database, the log, the
 * events, nor in what models are shown.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REDACTED } from '../../src/core/text/redacted.ts'
import { randomHex } from '../../src/platform/id.ts'
import { OpenSessionDocument, ToolsDocument, type WatchSessionSubscription } from '../generated/graphql.ts'
import type { Watch } from '../harness/api-client.ts'
import { dumpDatabase } from '../harness/dump-database.ts'
import { findLeaks } from '../harness/leaks.ts'
import { addPlugin, read, until, update } from '../harness/plugins.ts'
import { converse, eventsOf, Story, storyConfig, turnEnd, watchAll, type Conversation } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { moveIn } from '../mcp/move-in.ts'
import { chunk, sse, StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'
import { findSandbox, skipReason } from './sandbox-support.ts'

const skipped = skipReason(await findSandbox())
const SESSION = 'cli:tells'
const SECRETS = {
  'key of a plugin': `cnry-plugin+${randomHex(8)}/"ä&=%`,
  'key of a tool server': `cnry-mcp+${randomHex(8)}/"ä&=%`,
}
const [PLUGIN_KEY, MCP_KEY] = Object.values(SECRETS)
const BOTH = `${PLUGIN_KEY} and ${MCP_KEY}`

const CALLS = [
  ['teller__tell', { note: BOTH }],
  ['teller__fail', {}],
  ['tells__tell', {}],
  ['tells__fail', {}],
  ['exec', { command: `echo '${PLUGIN_KEY}'` }],
] as const

/** One answer of a model, in pieces; it thinks before it says or calls anything. */
function streamed(deltas: readonly object[]): StubAnswer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const delta of [{ reasoning: `I know ${BOTH}.` }, ...deltas])
      response.write(sse(chunk([{ index: 0, delta, finish_reason: null }])))
    response.end(`${sse(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]))}data: [DONE]\n\n`)
  }
}

/** Calls every tool, and says what it knows. */
function tellAll({ body }: StubCall): StubAnswer {
  if (JSON.stringify(body.messages).includes('call_0')) return streamed([{ content: `It is ${BOTH}.` }])
  const calls = CALLS.map(([name, args], index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }))
  return streamed([{ content: `First: ${BOTH}` }, { tool_calls: calls }])
}

describe.skipIf(skipped !== '')(`keys of tools${skipped}`, () => {
  const cleanup = new AsyncDisposableStack()
  const log: string[] = []
  let stub: StubEndpoint
  let story: Story
  let watch: Watch<WatchSessionSubscription>
  let called: Conversation
  beforeAll(async () => {
    stub = cleanup.use(await StubEndpoint.start({ by: tellAll }))
    const mcp = '[mcp.tells]\ncommand = "node"\nargs = ["tells.ts"]\nenv = ["MCP_KEY"]\n'
    story = cleanup.use(await Story.begin({ log: (line) => log.push(line) }))
    const lines = [`TELLER_KEY='${PLUGIN_KEY}'`, `MCP_KEY='${MCP_KEY}'`]
    await writeFile(join(story.home, '.env'), lines.join('\n'), { mode: 0o600 })
    addPlugin(story.home, 'teller', 'teller.ts')
    moveIn(story.home, 'tells')
    await story.reconfigure(storyConfig({ toml: `${mcp}${stubProvider(stub)}` }))
    await until(story, 'teller', 'DISABLED')
    await update(story, { name: 'teller', enabled: true })
    await until(story, 'teller', 'READY')
    const ada = story.as('ada')
    const offered = async (): Promise<number> =>
      (await ada.run(ToolsDocument, { filter: { name: 'tells__*' } })).tools.length
    while ((await offered()) < 2) await sleep(100)
    await ada.run(OpenSessionDocument, { input: { id: SESSION, mode: 'CHAT' } })
    watch = cleanup.use(watchAll(ada, SESSION))
    called = await converse(ada, SESSION, 'Tell me what you know.')
    await converse(ada, SESSION, '/tell')
    await turnEnd(watch, 2)
  }, 120_000)
  afterAll(() => cleanup.disposeAsync())

  test('have gone in: every tool was called, and marks stand in their place', async () => {
    expect(called.tasks.map(({ type, tool, status }) => [tool ?? type, status])).toEqual([
      ['MSG', 'DONE'],
      ['teller__tell', 'DONE'],
      ['teller__fail', 'FAILED'],
      ['tells__tell', 'DONE'],
      ['tells__fail', 'FAILED'],
      ['EXEC', 'DONE'],
      ['MSG', 'DONE'],
    ])
    for (const { output, stderr } of called.tasks) expect(`${output} ${stderr}`).toContain(REDACTED)
    expect((await read(story, 'teller')).lastError).toContain(REDACTED)
    const thoughts = eventsOf(watch, 'ThinkingEvent').map(({ content, delta }) => `${content ?? ''}${delta ?? ''}`)
    expect(thoughts.join('')).toContain(REDACTED)
    const messages = stub.calls.map(({ body }) => JSON.stringify(body.messages))
    expect(messages.at(-1)).toMatch(/Told[^]*It is \[REDACTED\]/)
  })

  test('are nowhere in the database', async () => {
    expect(findLeaks(await dumpDatabase(story.databaseUrl), SECRETS)).toEqual([])
  })

  test('are nowhere in the log, of all levels', () => {
    expect(log.join('')).toContain('"plugin":"teller"')
    expect(findLeaks(log.join(''), SECRETS)).toEqual([])
  })

  test('are in nothing that subscribers were sent', () => {
    expect(eventsOf(watch, 'PluginEvent')).toHaveLength(1)
    expect(eventsOf(watch, 'TaskProgressEvent').length).toBeGreaterThan(0)
    expect(findLeaks(JSON.stringify(watch.received), SECRETS)).toEqual([])
  })

  test('are in nothing that a model was shown', () => {
    expect(findLeaks(JSON.stringify(stub.calls.map(({ body }) => body)), SECRETS)).toEqual([])
  })
})
