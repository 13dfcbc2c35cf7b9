/** Names that plugins, MCP servers and the server itself have in common: who has one, and what the others are told. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { approvalRules } from '../harness/approvals.ts'
import { addExamplePlugin, addPlugin, read, until, update } from '../harness/plugins.ts'
import { converse, Story, storyConfig } from '../harness/story.ts'
import {
  OpenSessionDocument,
  ToolProblemsDocument,
  ToolsDocument,
  type ToolProblemsQuery,
} from '../generated/graphql.ts'
import { PATIENCE } from '../harness/patience.ts'

type Problems = ToolProblemsQuery['toolProblems']

test('a plugin with a name of the server itself is refused, and takes the place of no tool or skill', async () => {
  await using story = await Story.begin()
  const ada = story.as('ada')
  for (const name of ['session', 'memory', 'skills', 'exec']) {
    const folder = addPlugin(story.home, name, 'impostor.ts')
    const file = `${folder}/plugin.ts`
    writeFileSync(file, readFileSync(file, 'utf8').replace("'impostor'", `'${name}'`))
  }
  await story.reconfigure(storyConfig({ toml: approvalRules('effect = "require"\ntool = "*"') }))
  for (const name of ['session', 'memory', 'skills', 'exec']) {
    await until(story, name, 'FAILED')
    expect(await update(story, { name, enabled: true })).toMatchObject({ plugin: { enabled: true } })
    expect(await read(story, name)).toMatchObject({
      status: 'FAILED',
      lastError: expect.stringMatching(/^it needs another name: Factotum itself has .*"memory".*"session", "skills"$/),
    })
  }
  const { tools } = await ada.run(ToolsDocument, {})
  expect(tools.map(({ name }) => name)).toEqual(['delegation__delegate', 'memory__remember', 'session__keep_secret'])
  await ada.run(OpenSessionDocument, { input: { id: 'cli:impostor', mode: 'CHAT' } })
  const call = `tool: memory__remember ${JSON.stringify({ text: 'The office of the shop is in Bari.' })}`
  const { tasks } = await converse(ada, 'cli:impostor', call)
  expect(tasks[0]).toMatchObject({ tool: 'memory__remember', status: 'DONE' })
  expect(tasks[0]?.output).not.toContain('impostor')
})

test('of an MCP server and a plugin with one name the plugin counts; the server is told of, and follows it', async () => {
  await using story = await Story.begin()
  const ada = story.as('ada')
  const problem = async (): Promise<Problems> => (await ada.run(ToolProblemsDocument)).toolProblems ?? []
  const toml = '[mcp.clock]\nurl = "http://127.0.0.1:1/mcp"\nallow_private = true\n'
  await story.reconfigure(storyConfig({ toml }))
  const own = { source: 'clock', problem: expect.stringMatching(/^The MCP server "clock" is /) }
  await vi.waitFor(async () => expect(await problem()).toEqual([own]), PATIENCE)
  addExamplePlugin(story.home, 'clock')
  await until(story, 'clock', 'DISABLED')
  await update(story, { name: 'clock', enabled: true })
  await until(story, 'clock', 'READY')
  expect(await problem()).toEqual([
    { source: 'clock', problem: 'The tools of the MCP server "clock" are not offered while a plugin has its name.' },
  ])
  const { tools } = await ada.run(ToolsDocument, { filter: { name: 'clock__*' } })
  expect(tools).toMatchObject([{ name: 'clock__now' }])
  await update(story, { name: 'clock', enabled: false })
  expect(await problem()).toEqual([own])
})
