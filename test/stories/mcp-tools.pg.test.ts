/** Tools of MCP servers in turns: their answers, their ends, and approvals that hold for what was approved. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { moveIn } from '../mcp/move-in.ts'
import { answerWell, GOOD_PLAN } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { findSandbox, skipReason } from '../sandbox/sandbox-support.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { PATIENCE } from '../harness/patience.ts'
import { converse, eventsOf, send, Story, storyConfig, turnEnd, watchAll, type Conversation } from '../harness/story.ts'
import { CancelTurnDocument, McpServersDocument, OpenSessionDocument, ToolsDocument } from '../generated/graphql.ts'

const skipped = skipReason(await findSandbox())
const SERVERS = ['dies', 'changes', 'names', 'looks', 'silent'].map(
  (name) => `[mcp.${name}]\ncommand = "node"\nargs = ["${name}.ts"]\n`,
)
const KEYS = '[mcp.looks]\nenv = ["LOOK_KEY"]\n'
const TOML = `${approvalRules('effect = "require"\ntool = "changes__*"', 'effect = "require"\ntool = "names__*"')}
${SERVERS.join('').replace('[mcp.looks]\n', KEYS)}
[mcp.gone]
command = "node"
args = ["gone.ts"]
[mcp.off]
url = "https://tools.example.com/mcp"
enabled = false
`

describe.skipIf(skipped !== '')(`tools of MCP servers${skipped}`, () => {
  let story: Story
  beforeAll(async () => {
    story = await Story.begin({ environment: { LOOK_KEY: 'looking-glass-key', OTHER_KEY: 'other-glass-key' } })
    for (const name of ['dies', 'changes', 'names', 'looks', 'silent']) moveIn(story.home, name)
    await story.reconfigure(storyConfig({ toml: TOML }))
  })
  afterAll(() => story[Symbol.asyncDispose]())

  async function open(id: string): Promise<void> {
    await story.as('ada').run(OpenSessionDocument, { input: { id, mode: 'CHAT' } })
  }

  /** A server may still be starting: says it again until its tool was there. */
  function call(id: string, line: string): Promise<Conversation> {
    const say = async (): Promise<Conversation> => {
      const turn = await converse(story.as('ada'), id, line)
      expect(turn.tasks[0]?.stderr ?? '').not.toMatch(/was not called|There is no tool/i)
      return turn
    }
    // Not as fast as it can: a token's requests are limited.
    return vi.waitFor(say, { ...PATIENCE, interval: 200 })
  }

  test('are called, die, and come back; no secret of theirs is in a row', async () => {
    await open('cli:mcp')
    const lived = await call('cli:mcp', 'tool: dies__live {}')
    expect(lived.tasks[0]).toMatchObject({ type: 'TOOL', tool: 'dies__live', status: 'DONE', output: 'alive' })
    const died = await call('cli:mcp', 'tool: dies__die {}')
    expect(died).toMatchObject({ status: 'DONE', tasks: [{ status: 'INTERRUPTED' }, { type: 'MSG' }] })
    const again = await call('cli:mcp', 'tool: dies__live {}')
    expect(again.tasks[0]).toMatchObject({ status: 'DONE', output: 'alive' })
    const looked = await call('cli:mcp', `tool: looks__look ${JSON.stringify({ path: story.home, port: 1 })}`)
    expect(looked.tasks[0]).toMatchObject({ status: 'DONE', output: expect.stringContaining('"sees":false') })
    expect(looked.tasks[0]?.output).toContain('"LOOK_KEY":"[REDACTED]"')
    expect(JSON.stringify(looked)).not.toMatch(/glass-key/)
  })

  test('that never answer do not hold up a cancel; what the call did is not known', async () => {
    const ada = story.as('ada')
    await open('cli:silent')
    const offered = async (): Promise<number> =>
      (await ada.run(ToolsDocument, { filter: { name: 'silent__wait' } })).tools.length
    await expect.poll(offered).toBe(1)
    await send(ada, 'cli:silent', 'tool: silent__wait {}')
    await using watch = watchAll(ada, 'cli:silent')
    const isTask = (status: string) => (): boolean =>
      eventsOf(watch, 'TaskUpdateEvent').some(({ taskStatus }) => taskStatus === status)
    await watch.until(isTask('RUNNING'))
    await ada.run(CancelTurnDocument, { sessionId: 'cli:silent' })
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'CANCELLED' })
    expect(isTask('INTERRUPTED')()).toBe(true)
  })

  test('stand in a list for admins, with what is wrong', async () => {
    const listed = async (): Promise<readonly object[]> =>
      (await story.as('ada').run(McpServersDocument, {})).mcpServers ?? []
    const gone = { name: 'gone', enabled: true, toolCount: 0, problem: expect.stringMatching(/./) }
    await expect.poll(listed).toContainEqual(expect.objectContaining(gone))
    const off = { name: 'off', enabled: false, reach: 'URL', target: 'https://tools.example.com/mcp', toolCount: 0 }
    expect(await listed()).toContainEqual({ ...off, problem: null })
    const dies = { name: 'dies', enabled: true, reach: 'PROGRAM', target: 'node dies.ts', toolCount: 2, problem: null }
    await expect.poll(listed).toContainEqual(dies)
  })

  /** Sends the line; resolves to whether it was asked for, and decides so for the session. */
  async function approving(id: string, nth: number, line: string): Promise<boolean> {
    const ada = story.as('ada')
    await send(ada, id, line)
    await using watch = watchAll(ada, id)
    const asked = untilAsked(watch, nth).then((approvals) => approvals.at(-1))
    const ended = turnEnd(watch, nth).then(() => null)
    const approval = await Promise.race([asked, ended])
    asked.catch(() => undefined) // the watch ends before
    if (approval == null) return false
    expect(await decide(ada, { id: approval.id, approve: true, scope: 'SESSION' })).toMatchObject({
      __typename: 'DecideApprovalPayload',
    })
    await ended
    return true
  }

  test('an approval for the session holds for a tool as it was', async () => {
    await call('cli:mcp', 'tool: dies__live {}')
    await open('cli:mcp-same')
    expect(await approving('cli:mcp-same', 1, 'tool: names__exec {}')).toBe(true)
    expect(await approving('cli:mcp-same', 2, 'tool: names__exec {}')).toBe(false)
    await open('cli:mcp-changed')
    expect(await approving('cli:mcp-changed', 1, 'tool: changes__now {}')).toBe(true)
    await expect.poll(() => approvingOnce('cli:mcp-changed')).toBe(true)
  })

  /** Whether what was approved before is asked for again. */
  async function approvingOnce(id: string): Promise<boolean> {
    const ada = story.as('ada')
    const { message } = await send(ada, id, 'tool: changes__now {}')
    await using watch = watchAll(ada, id)
    const last = await watch.until(
      ({ sessionEvents: event }) =>
        (event.__typename === 'TurnCompletedEvent' || event.__typename === 'TurnPausedEvent') &&
        watch.received.some(
          ({ sessionEvents: one }) =>
            one.__typename === 'MessageReceivedEvent' && one.message.id === message.id && one.turnId === event.turnId,
        ),
    )
    return last.sessionEvents.__typename === 'TurnPausedEvent'
  }
})

describe.skipIf(skipped !== '')(`a tool that never answers${skipped}`, () => {
  test('is planned for no more often than one that fails', async () => {
    await using stub = await StubEndpoint.start({ by: planWaiting })
    const server = '[mcp.silent]\ncommand = "node"\nargs = ["silent.ts"]\ntimeout = 4\n'
    await using story = await Story.begin()
    moveIn(story.home, 'silent')
    const toml = `${stubProvider(stub)}${server}`
    await story.reconfigure(storyConfig({ settings: { max_replan_depth: 2 }, toml }))
    const ada = story.as('ada')
    await expect
      .poll(async () => (await ada.run(ToolsDocument, { filter: { name: 'silent__wait' } })).tools.length)
      .toBe(1)
    await send(ada, 'cli:never', 'Wait for it.')
    await using watch = watchAll(ada, 'cli:never')
    const plans = (): number => eventsOf(watch, 'PlanCreatedEvent').length
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnCompletedEvent' || plans() > 3)
    expect(plans()).toBe(3)
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'FAILED' })
    const ended = eventsOf(watch, 'TaskUpdateEvent').filter(({ taskStatus }) => taskStatus === 'INTERRUPTED')
    expect(ended).toHaveLength(3)
  })
})

/** Another plan each time, with the same call: it reviews as none would do. */
function planWaiting(call: StubCall): StubAnswer {
  const wait = { type: 'tool', detail: 'Wait.', skill: 'silent__wait', args: '{}', expect: 'An answer.' }
  const say = { type: 'msg', detail: `Say so, in ${call.index} words.`, skill: null, args: null, expect: null }
  if (call.role === 'planner') return { content: { ...GOOD_PLAN, tasks: [wait, say] } }
  return call.role === 'reviewer'
    ? { content: { status: 'replan', reason: 'No answer.', learn: null } }
    : answerWell(call)
}
