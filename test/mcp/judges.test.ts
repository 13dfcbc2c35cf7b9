/** The servers that the protocol's own project publishes, as judges: as programs in the sandbox, and over HTTP. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, type TestContext } from 'vitest'
import { lastingPort } from '../harness/lasting-port.ts'
import { findSandbox, skipReason } from '../sandbox/sandbox-support.ts'
import { McpWorld } from './mcp-world.ts'

const EVERYTHING = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'
const FILES = 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js'
const skipped = skipReason(await findSandbox())

/** Throws unless all is as the server's documentation says. */
async function judge(world: McpWorld): Promise<void> {
  expect(await world.call('judge__echo', { args: { message: 'hello' } })).toMatchObject({
    kind: 'done',
    text: 'Echo: hello',
  })
  expect(await world.call('judge__get-sum', { args: { a: 2, b: 40 } })).toMatchObject({
    kind: 'done',
    text: expect.stringContaining('42'),
  })
  const refused = await world.call('judge__get-sum', { args: { a: 'two' } })
  expect(refused.kind).toBe('failed')
  const long = await world.call('judge__trigger-long-running-operation', { args: { duration: 1, steps: 4 } })
  expect(long.kind).toBe('done')
  expect(long.progress.map(({ done, total }) => [done, total])).toContainEqual([4, 4])
  const late = await world.call('judge__trigger-long-running-operation', {
    args: { duration: 30, steps: 2 },
    timeoutMs: 300,
  })
  expect(late).toMatchObject({ kind: 'unknown', text: 'It did not answer within 0.3 s.' })
  expect((await world.call('judge__get-tiny-image')).text).toContain('[image image/png: not shown]')
  expect((await world.call('judge__get-structured-content', { args: { location: 'Chicago' } })).kind).toBe('done')
}

describe.skipIf(skipped !== '')(`as programs${skipped}`, { concurrent: true }, () => {
  test('server-everything', async (context) => {
    const world = new McpWorld(context)
    world.install('judge', '@modelcontextprotocol/server-everything')
    world.configure(`[mcp.judge]\ncommand = "node"\nargs = ["${EVERYTHING}", "stdio"]`)
    await judge(world)
    expect(world.problem('judge')).toBeNull()
  })

  test('server-filesystem reads and writes its own folder alone', async (context) => {
    const world = new McpWorld(context)
    world.install('files', '@modelcontextprotocol/server-filesystem')
    world.configure(`[mcp.files]\ncommand = "node"\nargs = ["${FILES}", "/workspace"]`)
    expect((await world.tool('files__read_text_file')).effect).toBe('READ')
    expect((await world.tool('files__write_file')).effect).toBe('WRITE')
    const written = await world.call('files__write_file', { args: { path: '/workspace/note.txt', content: 'kept' } })
    expect(written.kind).toBe('done')
    expect(readFileSync(join(world.folderOf('files'), 'note.txt'), 'utf8')).toBe('kept')
    writeFileSync(join(world.folderOf('files'), 'other.txt'), 'from outside', { mode: 0o644 })
    expect(await world.call('files__read_text_file', { args: { path: '/workspace/other.txt' } })).toMatchObject({
      kind: 'done',
      text: 'from outside',
    })
    expect(await world.call('files__read_text_file', { args: { path: '/etc/passwd' } })).toMatchObject({
      kind: 'failed',
    })
    expect(existsSync(join(world.home, 'note.txt'))).toBe(false)
  })
})

test('server-everything over HTTP', async (context) => {
  const world = new McpWorld(context)
  const port = await startEverything(context)
  world.configure(`[mcp.judge]\nurl = "http://127.0.0.1:${port}/mcp"\nallow_private = true`)
  await judge(world)
  expect(world.problem('judge')).toBeNull()
})

async function startEverything(context: TestContext): Promise<string> {
  const port = await lastingPort()
  const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { ...process.env, PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  context.onTestFinished(() => void child.kill())
  await once(child.stderr, 'data')
  return port
}
