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
import { randomHex } from '../../src/platform/random.ts'
import { OpenSessionDocument, ToolsDocument, type WatchSessionSubscription } from '../generated/graphql.ts'
import type { Watch } from '../harness/api-client.ts'
import { dumpDatabase } from '../harness/dump-database.ts'
import { findLeaks } from '../harness/leaks.ts'
import { addPlugin, read, until, update } from '../harness/plugins.ts'
import { converse, eventsOf, Story, storyConfig, turnEnd, watchAll, type Conversation } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { moveIn } from '../mcp/move-in.ts'
import { GOOD_PLAN, GOOD_REVIEW } from '../model/good-answers.ts'
import { chunk, sse, StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'
import { findSandbox, skipReason } from './sandbox-support.ts'

const skipped = skipReason(await findSandbox())
const SESSION = 'cli:tells'
const PLANNED = 'cli:tells-by-plan'
const SECRETS = {
  'key of a plugin': `cnry-plugin+${randomHex(8)}/"ä&=%`,
  'key of a tool server': `cnry-mcp+${randomHex(8)}/"ä&=%`,
}
const [PLUGIN_KEY, MCP_KEY] = Object.values(SECRETS)
/** What the planner reads of it. */
const REFUSED = 'holds the value of a secret'
const BOTH = `${PLUGIN_KEY} and ${MCP_KEY}`

const CALLS = [
  ['teller__say', { note: BOTH }],
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

/** A plan that calls the tools that end well, and says this wherever a plan can. */
function planOf(said: string): object {
  const calls = CALLS.filter(([name]) => /__(?:say|tell)$/.test(name)).map(([name]) => ({
    type: 'tool',
    detail: said,
    skill: name,
    args: JSON.stringify(name === 'teller__say' ? { note: said } : {}),
    expect: said,
  }))
  const answer = { type: 'msg', detail: said, skill: null, args: null, expect: null }
  return { ...GOOD_PLAN, goal: said, tasks: [...calls, answer] }
}

/** Calls every tool, and says what it knows. */
function leakAll({ role, user, body }: StubCall): StubAnswer {
  // A plan that holds a secret is refused, whatever it was for.
  if (role === 'planner') return { content: planOf(user.includes(REFUSED) ? 'all' : BOTH) }
  if (role === 'reviewer') return { content: { ...GOOD_REVIEW, reason: BOTH } }
  // A conversation has no role of its own here: it is what functions are offered to.
  if (body.tools === undefined) return streamed([{ content: `It is ${BOTH}.` }])
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
  let watchOfPlan: Watch<WatchSessionSubscription>
  let called: Conversation
  let planned: Conversation
  beforeAll(async () => {
    stub = cleanup.use(await StubEndpoint.start({ by: leakAll }))
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
    await converse(ada, SESSION, '/say')
    await turnEnd(watch, 2)
    watchOfPlan = cleanup.use(watchAll(ada, PLANNED))
    planned = await converse(ada, PLANNED, 'Plan to tell me what you know.')
    await turnEnd(watchOfPlan)
  })
  afterAll(() => cleanup.disposeAsync())

  test('have gone in: every tool was called, and marks stand in their place', async () => {
    expect(called.tasks.map(({ type, tool, status }) => [tool ?? type, status])).toEqual([
      ['MSG', 'DONE'],
      ['teller__say', 'DONE'],
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

  test('have gone in by a plan, too, whose first try held them and was refused', () => {
    expect(planned.tasks.map(({ type, tool, status }) => [tool ?? type, status])).toEqual([
      ['teller__say', 'DONE'],
      ['tells__tell', 'DONE'],
      ['MSG', 'DONE'],
    ])
    for (const { output } of planned.tasks) expect(output).toContain(REDACTED)
    const planners = stub.calls.filter(({ role }) => role === 'planner')
    expect(planners.map(({ user }) => user.includes(REFUSED))).toEqual([false, true])
    const roles = new Set(stub.calls.map(({ role }) => role))
    expect([...roles]).toEqual(expect.arrayContaining(['planner', 'reviewer', 'messenger']))
  })

  test('are nowhere in the database', async () => {
    expect(findLeaks(await dumpDatabase(story.databaseUrl), SECRETS)).toEqual([])
  })

  test('are nowhere in the log, of all levels', () => {
    expect(log.join('')).toContain('"plugin":"teller"')
    expect(findLeaks(log.join(''), SECRETS)).toEqual([])
  })

  test('are in nothing that subscribers were sent', () => {
    expect(eventsOf(watch, 'PluginEvent').length).toBeGreaterThan(0)
    expect(eventsOf(watch, 'TaskProgressEvent').length).toBeGreaterThan(0)
    expect(findLeaks(JSON.stringify([watch.received, watchOfPlan.received]), SECRETS)).toEqual([])
  })

  test('are in nothing that a model was shown', () => {
    expect(findLeaks(JSON.stringify(stub.calls.map(({ body }) => body)), SECRETS)).toEqual([])
  })
})
