/** Tools of an MCP server, in plans and in conversations: offered by rights, checked, approved and called. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ApiClient } from '../harness/api-client.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { PATIENCE } from '../harness/patience.ts'
import { answersIn, converse, eventsOf, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import { installMcpServer } from '../mcp/mcp-world.ts'
import { findSandbox, skipReason } from '../sandbox/sandbox-support.ts'
import {
  CreateTokenDocument,
  CreateUserDocument,
  OpenSessionDocument,
  ToolsDocument,
  UpdateUserDocument,
} from '../generated/graphql.ts'

const PROGRAM = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'
const MCP = `[mcp.judge]\ncommand = "node"\nargs = ["${PROGRAM}", "stdio"]\n`
const TOML = MCP + approvalRules('effect = "require"\ntool = "judge__get-env"')
/** As often as the limit on a token's requests allows for long. */
const OFTEN = { ...PATIENCE, interval: 200 }
const skipped = skipReason(await findSandbox())

async function untilOffered(): Promise<void> {
  const offered = async () => (await story.as('ada').run(ToolsDocument, { filter: { name: 'judge__*' } })).tools
  await vi.waitFor(async () => expect(await offered()).not.toEqual([]), OFTEN)
}

let story: Story
beforeAll(async () => {
  if (skipped !== '') return
  story = await Story.begin()
  installMcpServer(story.home, 'judge', '@modelcontextprotocol/server-everything')
  await story.reconfigure(storyConfig({ toml: TOML }))
  await untilOffered()
})
afterAll(() => story?.[Symbol.asyncDispose]())

test.skipIf(skipped !== '')(`users are offered what their patterns name, admins all${skipped}`, async () => {
  const { tools } = await story.as('ada').run(ToolsDocument, { filter: { name: '*echo' } })
  expect(tools).toMatchObject([{ name: 'judge__echo', source: 'judge', argsSchema: { type: 'object' } }])
  const ofBen = await story.as('ben').run(ToolsDocument, {})
  expect(ofBen.tools.map(({ source }) => source)).toEqual(['memory', 'session'])
})

test.skipIf(skipped !== '')('a plan calls a tool as a task, which is reviewed', async () => {
  const ada = story.as('ada')
  const turn = await converse(ada, 'cli:tool-plan', 'tool: judge__echo {"message": "hello"}\nWhat did it say?')
  expect(turn.status).toBe('DONE')
  expect(turn.tasks).toMatchObject([
    { type: 'TOOL', tool: 'judge__echo', args: { message: 'hello' }, status: 'DONE', output: 'Echo: hello' },
    { type: 'MSG', status: 'DONE' },
  ])
  expect(turn.tasks[0]?.review).toMatchObject({ verdict: 'OK' })
})

test.skipIf(skipped !== '')('a call takes as long as its server may, however short commands are', async () => {
  await story.reconfigure(storyConfig({ settings: { exec_timeout: 0.1 }, toml: TOML }))
  const call = 'tool: judge__trigger-long-running-operation {"duration": 3, "steps": 1}'
  const { tasks } = await converse(story.as('ada'), 'cli:tool-long', call)
  await story.reconfigure(storyConfig({ toml: TOML }))
  expect(tasks[0]).toMatchObject({ type: 'TOOL', status: 'DONE' })
})

test.skipIf(skipped !== '')('a plan with wrong arguments, or a tool that may not be used, goes back', async () => {
  const wrong = await converse(story.as('ada'), 'cli:tool-wrong', 'tool: judge__get-sum {"a": "two"}')
  expect(wrong.answers.join('\n')).toContain('must be number')
  expect(wrong.tasks.map(({ type }) => type)).toEqual(['MSG'])
  const barred = await converse(story.as('ben'), '@ben:tool', 'tool: judge__echo {"message": "hello"}')
  expect(barred.answers.join('\n')).toContain('not among those that may be called here')
})

test.skipIf(skipped !== '')(
  'arguments that cannot be stored as they are do not stop the turn, in a plan or a conversation',
  async () => {
    const ada = story.as('ada')
    const call = 'tool: judge__echo {"message": "a\\u0000b"}'
    await ada.run(OpenSessionDocument, { input: { id: 'cli:tool-nul-chat', mode: 'CHAT' } })
    for (const id of ['cli:tool-nul', 'cli:tool-nul-chat']) {
      const turn = await converse(ada, id, call)
      expect(turn.status).toBe('DONE')
      expect(turn.tasks[0]).toMatchObject({ args: { message: 'a\uFFFDb' }, output: 'Echo: a\uFFFDb' })
    }
  },
)

test.skipIf(skipped !== '')('a conversation calls tools with progress, and asks where a rule wants it', async () => {
  const ada = story.as('ada')
  await ada.run(OpenSessionDocument, { input: { id: 'cli:tool-chat', mode: 'CHAT' } })
  const message = [
    'tool: judge__trigger-long-running-operation {"duration": 1, "steps": 4}',
    '',
    'tool: judge__get-env {}',
    'And?',
  ]
  await send(ada, 'cli:tool-chat', message.join('\n'))
  await using watch = watchAll(ada, 'cli:tool-chat')
  const [asked] = await untilAsked(watch)
  expect(asked?.approvalReason).toContain('calls of tools "judge__get-env" need an approval')
  await decide(ada, { id: asked?.id ?? '', approve: false, note: 'No environment.' })
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(eventsOf(watch, 'TaskProgressEvent').at(-1)).toMatchObject({ total: 4 })
  expect(answersIn(watch).join('\n')).toContain('No environment.')
})

test.skipIf(skipped !== '')(
  'the patterns that an admin gives a user hold at once; one that is none changes nothing',
  async () => {
    const ada = story.as('ada')
    await ada.run(CreateUserDocument, { input: { name: 'tess', role: 'USER', tools: ['judge__get-*'] } })
    const { createToken } = await ada.run(CreateTokenDocument, { input: { name: 'tess', kind: 'USER', user: 'tess' } })
    if (createToken.__typename !== 'CreateTokenPayload') throw new Error(JSON.stringify(createToken))
    const tess = new ApiClient(story.app.url, createToken.secret)
    const offered = async (): Promise<string[]> => {
      const { tools } = await tess.run(ToolsDocument, { filter: { name: 'judge__*' } })
      return tools.map(({ name }) => name)
    }
    const atFirst = await offered()
    expect(atFirst).toContain('judge__get-sum')
    expect(atFirst.filter((name) => !name.startsWith('judge__get-'))).toEqual([])
    const refused = await ada.run(UpdateUserDocument, { input: { user: 'tess', tools: ['judge__echo', '!'] } })
    expect(refused.updateUser).toMatchObject({ __typename: 'InvalidInputRefusal' })
    expect(await offered()).toEqual(atFirst)
    const changed = await ada.run(UpdateUserDocument, { input: { user: 'tess', tools: ['judge__echo'] } })
    expect(changed.updateUser).toMatchObject({ __typename: 'UpdateUserPayload' })
    expect(await offered()).toEqual(['judge__echo'])
  },
)
