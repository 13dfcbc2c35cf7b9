/**
 * However a server is started and whichever process is told to stop, it drains: npm, npx, a supervisor that signals
 * every process of the service, a terminal. `drain.pg.test.ts` tells what draining is.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findDescendants } from '../../src/execution/process/process-tree.ts'
import { hasCode } from '../../src/platform/error-code.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { ServerProcess, type ServerProcessOptions } from '../harness/server-process.ts'
import { eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'

/** The user's own, without the Node that is installed beside the packages. */
const PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)
const OLD_NODE = PATH.split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file) && majorOf(file) < 24)
const oldNodeSkipReason = OLD_NODE === undefined ? ' [SKIPPED: no Node before 24 on the PATH]' : ''

function majorOf(node: string): number {
  return Number.parseInt(execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1), 10)
}

type Start = Pick<ServerProcessOptions, 'command'>

const config = { settings: { drain_timeout: 60 } }

/** A server that runs a command until the file `go` is there; on a database of its own unless one is given. */
async function beginTurn(
  start: Start,
  { shared, sessionId = 'cli:running' }: { shared?: Cluster; sessionId?: string } = {},
) {
  await using stack = new AsyncDisposableStack()
  const cluster = shared ?? stack.use(await Cluster.begin({ config }))
  const server = stack.use(await cluster.start({ ...start, env: { PATH } }))
  const ada = clientOf(server, 'ada')
  const go = cluster.path(`go-${sessionId.replace(':', '-')}`)
  await send(ada, sessionId, `run: echo begun; until [ -e ${go} ]; do sleep 0.02; done; echo ended`)
  const watch = stack.use(watchAll(ada, sessionId))
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  const owned = stack.move()
  return { cluster, server, watch, go, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** It waits for the turn, and the turn ends as if nothing had happened. */
async function expectDrained({ server, watch, go }: Awaited<ReturnType<typeof beginTurn>>): Promise<void> {
  await server.logged('draining: waiting for running turns')
  await writeFile(go, '')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(eventsOf(watch, 'TaskOutputEvent').map(({ text }) => text)).toEqual(['begun\n', 'ended\n'])
}

/** Signals `pid` and what has come of it, where `choose` agrees; returns which ones. */
function signalAll(pid: number, signal: NodeJS.Signals, choose: (pid: number) => boolean = () => true): number[] {
  return [pid, ...findDescendants(pid)].filter(choose).filter((one) => isSignalled(one, signal))
}

function isSignalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
    return false // a short-lived command has ended meanwhile
  }
}

/** Whom a terminal signals together. */
function groupOf(pid: number): string | undefined {
  const stat = readOrEmpty(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]
}

function commandOf(pid: number): string {
  return readOrEmpty(`/proc/${pid}/cmdline`)
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

test('npm that is told to stop ends when the server has drained, with its exit code', async () => {
  await using turn = await beginTurn({ command: ['npm', 'start'] })
  turn.server.signal('SIGTERM')
  await expectDrained(turn)
  expect(await turn.server.ended).toEqual({ code: 0, signal: null })
  expect(turn.server.logs.at(-1)).toMatchObject({ msg: 'stopped' })
})

test('npx, whose shell ends at once, leaves a server that drains and ends', async () => {
  await using turn = await beginTurn({ command: ['npx', 'factotum'] })
  turn.server.signal('SIGTERM')
  await expectDrained(turn)
  // Its output is closed: no process is left that holds it.
  expect(await turn.server.ended).toEqual({ code: null, signal: 'SIGTERM' })
})

test('a Ctrl-C, which the terminal sends to all and npm passes on, is one request', async () => {
  await using turn = await beginTurn({ command: ['npm', 'start'] })
  const group = groupOf(turn.server.pid)
  signalAll(turn.server.pid, 'SIGINT', (pid) => groupOf(pid) === group)
  await expectDrained(turn)
  expect(await turn.server.ended).toEqual({ code: 0, signal: null })
})

test.skipIf(OLD_NODE === undefined).each(['bin/factotum.js', 'src/main.ts'])(
  `under an older Node %s starts the server, and passes on signals and the exit code${oldNodeSkipReason}`,
  async (file) => {
    await using turn = await beginTurn({ command: [OLD_NODE ?? '', file] })
    turn.server.signal('SIGTERM')
    await expectDrained(turn)
    expect(await turn.server.ended).toEqual({ code: 0, signal: null })
  },
)

test.skipIf(OLD_NODE === undefined)(
  `a launcher that is killed leaves a server that drains and ends${oldNodeSkipReason}`,
  async () => {
    await using turn = await beginTurn({ command: [OLD_NODE ?? '', 'bin/factotum.js'] })
    turn.server.signal('SIGKILL')
    await expectDrained(turn)
    expect(await turn.server.ended).toEqual({ code: null, signal: 'SIGKILL' })
  },
)

// The second goes on with the database that the first has stopped: to make one takes longer than all else.
describe('with the embedded PostgreSQL', () => {
  let shared: Cluster
  beforeAll(async () => {
    shared = await Cluster.begin({ config, embedded: true })
  })
  afterAll(() => shared[Symbol.asyncDispose]())

  test('told to stop together with its PostgreSQL and its command host, it drains and ends', async () => {
    await using turn = await beginTurn({}, { shared })
    const signalled = signalAll(turn.server.pid, 'SIGTERM', (pid) =>
      /postgres\0-D|command-host|cli\.mjs/.test(commandOf(pid)),
    )
    expect(signalled).toHaveLength(3)
    await turn.server.logged('stopping')
    await writeFile(turn.go, '')
    expect(await turn.server.ended).toEqual({ code: 0, signal: null })
  })

  test('told to stop with every process of the service, as systemd does, it ends, and the next start goes on', async () => {
    await using turn = await beginTurn({}, { shared, sessionId: 'cli:service' })
    signalAll(turn.server.pid, 'SIGTERM')
    expect(await turn.server.ended).toEqual({ code: 0, signal: null })

    await writeFile(turn.go, '')
    const next = await turn.cluster.start()
    await using resumed = watchAll(clientOf(next, 'ada'), 'cli:service')
    expect(await turnEnd(resumed)).toMatchObject({ turnStatus: 'DONE' })
  })
})

test('an embedded PostgreSQL that hangs, and so closes nothing, does not keep the server from its end', async () => {
  await using cluster = await Cluster.begin({ config: { settings: { drain_timeout: 1 } }, embedded: true })
  const server = await cluster.start()
  const hung = signalAll(server.pid, 'SIGSTOP', (pid) => commandOf(pid).includes('postgres'))
  expect(hung.length).toBeGreaterThan(1)
  server.signal('SIGTERM')
  const late = await server.logged('the server did not stop in time: leaving at once; running turns will be continued')
  expect(late).toMatchObject({ part: expect.any(String) })
  expect(await server.ended).toEqual({ code: 1, signal: null })
  for (const pid of hung) process.kill(pid, 'SIGCONT')
})

test('a database that is not there yet is waited for, and a server that waits can be told to stop', async () => {
  await using cluster = await Cluster.begin()
  await using proxy = await TcpProxy.start(cluster.databaseUrl ?? '')
  proxy.cut()
  const databaseUrl = proxy.through(cluster.databaseUrl ?? '')
  const waiting = Promise.withResolvers<number>()
  const onLog: ServerProcessOptions['onLog'] = (pid, { msg }) => {
    if (msg === 'the database is not there yet; waiting for it') waiting.resolve(pid)
  }
  const first = ServerProcess.start({ home: cluster.home, databaseUrl, onLog })
  process.kill(await waiting.promise, 'SIGTERM')
  await expect(first).rejects.toThrow('the server ended without')

  const again = Promise.withResolvers<void>()
  const second = cluster.start({
    databaseUrl,
    onLog: (_pid, { msg }) => msg.includes('not there yet') && again.resolve(),
  })
  await again.promise
  proxy.restore()
  const server = await second
  expect((await fetch(`${server.url}/ready`)).status).toBe(200)
})
