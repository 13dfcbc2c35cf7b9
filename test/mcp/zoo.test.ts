/** Hostile servers of tools, in the sandbox: each has its defined end, and this process answers throughout. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test, vi } from 'vitest'
import { listProcesses, readEnvironment } from '../../src/execution/process/process-tree.ts'
import { PATIENCE } from '../harness/patience.ts'
import { createTestHome, findSandbox, skipReason } from '../sandbox/sandbox-support.ts'
import { callTool, McpWorld } from './mcp-world.ts'

const sandbox = await findSandbox()
const skipped = skipReason(sandbox)

/** What npm and pip read where there is no network. */
const NOT_RETRIED = ['npm_config_fetch_retries', 'PIP_RETRIES']

describe.skipIf(skipped !== '')(`the zoo${skipped}`, { concurrent: true }, () => {
  test('one that dies in a call: unknown, and it is started again', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('dies')
    const offered = await world.tool('dies__die')
    const died = world.call('dies__die')
    expect(await died).toMatchObject({ kind: 'unknown' })
    await expect.poll(() => world.tools('dies')).toEqual([])
    expect(world.problem('dies')).toMatch(/lost|not there/)
    const notCalled =
      /^It was not called: The MCP server "dies" (was lost; it is started again|is not there; it is tried again)\.$/
    expect(await callTool(offered)).toMatchObject({ kind: 'failed', text: expect.stringMatching(notCalled) })
    expect(await world.call('dies__live')).toMatchObject({ kind: 'done', text: 'alive' })
    expect(world.problem('dies')).toBeNull()
  })

  test('one that answers and ends at once: its answer counts', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('answers-last')
    const offered = await world.tool('answers-last__last')
    expect(await callTool(offered)).toMatchObject({ kind: 'done', text: 'written before it ended' })
  })

  test('one whose tools change all the time: what is not offered is in the log once', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('renames')
    const warnings = (): string[] => world.lines.filter((line) => line.includes('are not offered'))
    const untilListed = async (times: number): Promise<void> =>
      expect
        .poll(async () => Number((await world.call('renames__listed')).text), PATIENCE)
        .toBeGreaterThanOrEqual(times)
    await untilListed(3)
    expect(warnings()).toHaveLength(1)
    await world.call('renames__change')
    await expect.poll(warnings, PATIENCE).toHaveLength(2)
    await untilListed(6)
    expect(warnings()).toEqual([expect.stringContaining('no name'), expect.stringContaining('another bad name')])
  })

  test('one that prints garbage: left out; an answer that is none is unknown', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('garbage')
    expect(await world.call('garbage__chatty')).toMatchObject({ kind: 'done', text: 'said\ufffd \ufffd between' })
    expect(await world.call('garbage__odd')).toMatchObject({
      kind: 'unknown',
      text: expect.stringContaining('no answer of a tool'),
    })
    expect(await world.call('garbage__mute', { timeoutMs: 500 })).toMatchObject({ kind: 'unknown' })
    expect(world.tools('garbage')).toEqual(['garbage__chatty', 'garbage__odd', 'garbage__mute'])
    expect(world.problem('garbage')).toContain('2 tools that cannot be offered')
  })

  test('one that answers with 100 MB: cut off, or the connection ends', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('huge')
    const large = await world.call('huge__large')
    expect(large.kind).toBe('done')
    expect(Buffer.byteLength(large.text)).toBeLessThan(1024 * 1024 + 100)
    expect(await world.call('huge__deep')).toMatchObject({ kind: 'unknown' })
    expect(await world.call('huge__huge')).toMatchObject({ kind: 'unknown' })
    expect(await world.call('huge__large')).toMatchObject({ kind: 'done' })
  })

  test('one that never answers: ended by the time, by a cancel, and by the end of the server', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    // The limit is that of its start, too, which takes a while on a busy machine.
    world.keep('silent', 'timeout = 5')
    await world.tool('silent__wait')
    expect(await world.call('silent__wait')).toMatchObject({ kind: 'unknown', text: 'It did not answer within 5 s.' })
    const offered = await world.tool('silent__wait')
    const stop = new AbortController()
    const stopped = callTool(offered, { signal: stop.signal })
    stop.abort()
    expect(await stopped).toMatchObject({ kind: 'unknown' })
    expect(await callTool(offered, { signal: stop.signal })).toMatchObject({ kind: 'failed' })
    const underWay = callTool(offered)
    world.configure('')
    expect(await underWay).toMatchObject({ kind: 'unknown' })
    await expect.poll(() => running(world)).toEqual([])
  })

  test('where a call stands in a trace goes along in _meta; outside of a trace nothing does', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('hears')
    expect(await world.call('hears__ok')).toMatchObject({ kind: 'done', text: '{}' })
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    world.traceHeaders = { traceparent }
    expect(await world.call('hears__ok')).toMatchObject({ text: JSON.stringify({ traceparent }) })
  })

  test('names of others, and names that models cannot use', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('names')
    await world.tool('names__exec')
    expect(world.tools('names')).toEqual(['names__exec', 'names__skills__exec', 'names__constructor'])
    expect(await world.call('names__exec')).toMatchObject({ text: 'called exec' })
  })

  test('descriptions that give orders are data, bounded, and no bytes that cannot be stored', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('injected')
    const order = await world.tool('injected__order')
    expect(order.description).toContain('\ufffd and run')
    expect((await world.tool('injected__long')).description).toHaveLength(1024)
    expect(order.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    expect(order.effect).toBe('WRITE')
  })

  test('schemas that are bombs are refused one by one', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('bombs')
    const { parameters } = await world.tool('bombs__pattern')
    expect(world.tools('bombs')).toEqual(['bombs__pattern'])
    expect(parameters).toEqual({ type: 'object', properties: { pattern: { type: 'string' } } })
    expect(world.problem('bombs')).toMatch(
      / has 9 tools that cannot be offered\. \w+: its schema .*; \w+: its schema .*; …$/,
    )
  })

  test('progress without end: slowed down, and ended by the time', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('progress')
    await world.tool('progress__spin')
    let timeoutMs = 1500
    let answer = await world.call('progress__spin', { timeoutMs })
    // A busy machine hands on little in that time.
    while (answer.progress.length <= 100 && timeoutMs < 15_000) {
      timeoutMs *= 2
      answer = await world.call('progress__spin', { timeoutMs })
    }
    const { kind, progress } = answer
    expect(kind).toBe('unknown')
    expect(progress.length).toBeGreaterThan(100)
    expect(progress.length).toBeLessThan(10_000)
    expect(progress[0]?.message).toHaveLength(300)
  })

  test('a slow start: too slow for its time, and in time', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('slow', 'timeout = 1')
    await expect.poll(() => world.problem('slow')).toContain('is starting')
    await expect.poll(() => world.problem('slow')).toContain('is not there')
    world.keep('slow', 'timeout = 20')
    expect(await world.call('slow__ok')).toMatchObject({ kind: 'done' })
  })

  test('one that refuses: its reason is for admins', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('refuses')
    await expect.poll(() => world.problem('refuses')).toContain('is not there')
    expect(world.problem('refuses')).toContain('did not start as an MCP server does')
  })

  test('changed lists without end are read once a second', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('floods')
    const startedMs = performance.now()
    await world.tool('floods__reads')
    await expect.poll(async () => Number((await world.call('floods__reads')).text)).toBeGreaterThan(1)
    const { text } = await world.call('floods__reads')
    expect(Number(text)).toBeLessThanOrEqual((performance.now() - startedMs) / 1000 + 2)
  })

  test('a list without end', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('pages')
    await world.tool('pages__t0')
    expect(world.tools('pages')).toHaveLength(20)
  })

  test('one that crashes at once is started again after growing pauses; a program that is not there', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.secrets.set('LICENCE', 'hush-hush-1234567')
    world.keep('crashes', 'env = ["LICENCE"]')
    const starts = join(world.folderOf('crashes'), 'starts')
    await expect.poll(() => readFileSync(starts, 'utf8').split('\n').length).toBeGreaterThan(3)
    expect(world.problem('crashes')).toMatch(/ is not there; .*code 1.*: no licence found for \[REDACTED\]/)
    world.configure('[mcp.missing]\ncommand = "no-such-program"')
    await expect.poll(() => world.problem('missing')).toContain('is not there')
    expect(world.problem('crashes')).toBeNull()
  })

  test('of a secret that one prints as it ends nothing is shown, however long it is', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.secrets.set('LICENCE', `${'hush '.repeat(1000)}end`)
    world.keep('crashes', 'env = ["LICENCE"]')
    await expect.poll(() => world.problem('crashes')).toContain('no licence found for [REDACTED]')
    expect(world.lines.join('')).not.toContain('hush')
  })

  test('one that asks for more than a client gives', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('asks')
    expect(await world.call('asks__answers')).toMatchObject({ text: '[-32601,-32601,-32601]' })
  })

  test('a tool that changes asks again, and what was offered before is not called', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('changes')
    const before = await world.tool('changes__now')
    expect(before.effect).toBe('READ')
    await callTool(before)
    await expect.poll(async () => (await world.tool('changes__now')).fingerprint).not.toBe(before.fingerprint)
    const after = await world.tool('changes__now')
    expect(after.description).toContain('Sends all files')
    expect(await callTool(before)).toMatchObject({ kind: 'failed', text: expect.stringContaining('has changed it') })
  })

  test('one that searches around sees its folder and its secrets alone, and leaves nothing', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.secrets.set('LOOK_KEY', 'declared').set('OTHER_KEY', 'not declared')
    world.keep('looks', 'env = ["LOOK_KEY"]')
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const port = (listener.address() as { port: number }).port
    const { text } = await world.call('looks__look', { args: { path: world.home, port } })
    listener.close()
    const { environment, ...seen } = JSON.parse(text) as { environment: Record<string, string> }
    expect(environment).toMatchObject({ LOOK_KEY: 'declared', HOME: '/workspace' })
    const others = Object.keys(environment).filter((name) => !NOT_RETRIED.includes(name))
    expect(others.toSorted()).toEqual(['HOME', 'LANG', 'LOOK_KEY', 'PATH', 'PWD', 'SHLVL'])
    expect(environment).toMatchObject(Object.fromEntries(NOT_RETRIED.map((name) => [name, '0'])))
    expect(seen).toMatchObject({ sees: false, network: 'closed', folder: expect.arrayContaining(['looks.ts']) })
    expect(existsSync(world.folderOf('looks'))).toBe(true)
    expect(await world.call('looks__eat', { timeoutMs: 15_000 })).toMatchObject({ kind: 'unknown' })
    world.configure('')
    await expect.poll(() => running(world)).toEqual([])
  })

  test('one that may use the network reaches it, and npm and pip retry there as anywhere', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('looks', 'network = true')
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const port = (listener.address() as { port: number }).port
    const { text } = await world.call('looks__look', { args: { path: world.home, port } })
    listener.close()
    const { environment, ...seen } = JSON.parse(text) as { environment: Record<string, string> }
    expect(seen).toMatchObject({ sees: false, network: 'open' })
    expect(Object.keys(environment).filter((name) => NOT_RETRIED.includes(name))).toEqual([])
  })

  test('a program ends with its server, however that ends', async ({ expect, onTestFinished }) => {
    const home = createTestHome()
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const supervisor = spawn(process.execPath, ['test/mcp/program-process.ts', home])
    await once(supervisor.stdout, 'data')
    expect(running({ home })).not.toEqual([])
    supervisor.kill('SIGKILL')
    await expect.poll(() => running({ home })).toEqual([])
  })

  test('one that has something to put down is given the time for it', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    const note = join(world.folderOf('leaves'), 'note')
    // The time is over as well while the machine stands still: then it is tried once more.
    await vi.waitFor(async () => {
      world.keep('leaves')
      await world.tool('leaves__ok')
      world.configure('')
      await expect.poll(() => running(world)).toEqual([])
      expect(existsSync(note) && readFileSync(note, 'utf8')).toBe('gone')
    }, PATIENCE)
  })

  test('answers that come twice, and to what was not asked yet, change nothing', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('twice')
    for (const call of [1, 2, 3])
      expect(await world.call('twice__answer')).toMatchObject({ kind: 'done', text: `answer ${call}` })
    world.keep('foresees')
    for (const kind of ['done', 'done'])
      expect(await world.call('foresees__tell')).toMatchObject({ kind, text: 'asked' })
  })

  test('one that reads nothing any more: ended by the time, and with the server', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('deaf')
    await world.tool('deaf__hear')
    const args = { text: 'x'.repeat(5_000_000) }
    expect(await world.call('deaf__hear', { args, timeoutMs: 1500 })).toMatchObject({ kind: 'unknown' })
    world.configure('')
    await expect.poll(() => running(world)).toEqual([])
  })

  test('one that writes to its standard error without end answers all the same', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('mutters')
    for (const kind of ['done', 'done', 'done']) expect(await world.call('mutters__ok')).toMatchObject({ kind })
    expect(world.problem('mutters')).toBeNull()
  })

  test('a version of the protocol that there is none of: not there', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('ancient')
    await expect.poll(() => world.problem('ancient')).toContain('is not there')
    expect(world.tools('ancient')).toEqual([])
  })

  test('progress in values that are none, and of calls of others, is left out', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('missteps')
    const { kind, text, progress } = await world.call('missteps__walk')
    expect([kind, text]).toEqual(['done', 'walked'])
    expect(progress).toContainEqual({ done: 5, total: 2, message: 'forward\ufffd' })
    expect(progress.every(({ done }) => Number.isFinite(done) && done !== 1)).toBe(true)
  })

  test('parts that are no text are named, and nothing that they name is read', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('parts')
    const { kind, text } = await world.call('parts__show')
    expect(kind).toBe('done')
    expect(text.split('\n')).toEqual([
      '[resource file:///etc/passwd]',
      '[resource file:///etc/shadow: not text]',
      '[image image/svg+xml: not shown]',
      '[content of an unknown kind]',
      '[content of an unknown kind]',
      'seen',
      '[content of an unknown kind]',
    ])
  })

  test('reasons that are too long are cut; one that is none is no answer', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('complains')
    const long = await world.call('complains__long')
    expect(long.kind).toBe('failed')
    expect(long.text.length).toBeLessThan(2100)
    const own = await world.call('complains__own')
    expect(own.kind).toBe('failed')
    expect(Buffer.byteLength(own.text)).toBeLessThan(1024 * 1024 + 100)
    expect(await world.call('complains__odd', { timeoutMs: 1500 })).toMatchObject({ kind: 'unknown' })
    expect(await world.call('complains__long')).toMatchObject({ kind: 'failed' })
  })

  test('a secret that is not set keeps the server from starting', async (context) => {
    const { expect } = context
    const world = new McpWorld(context)
    world.keep('looks', 'env = ["NO_KEY"]')
    await expect.poll(() => world.problem('looks')).toMatch(/ is not there; .*: the secret NO_KEY is not set$/)
  })
})

/** Processes that were started for this home. */
function running({ home }: Pick<McpWorld, 'home'>): readonly number[] {
  return listProcesses().flatMap(({ pid }) => (commandOf(pid).includes(`${home}/mcp`) ? [pid] : []))
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readEnvironment(pid).join(' ')
  } catch {
    return ''
  }
}
