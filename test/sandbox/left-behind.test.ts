/**
 * What a command host that is killed leaves: nothing that runs, whenever it dies; and what no kernel ends for it is swept up when
 * another host starts, as are its folders. What belongs to others stays.
 */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { DEFAULT_COMMAND_LIMITS } from '../../src/execution/command-limits.ts'
import { sweepLeftBehind } from '../../src/execution/host/host-folder.ts'
import type { HostRequest, HostSettings } from '../../src/execution/host/host-messages.ts'
import { homeName, markOf, type OwnerMark } from '../../src/execution/process/owner-mark.ts'
import { isRunning, killProcess, readProcess } from '../../src/execution/process/process-tree.ts'
import { createCommandRunner, type CommandService } from '../../src/execution/run-command.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { randomHex } from '../../src/platform/id.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { rounds } from '../harness/rounds.ts'
import { findProcesses } from './outside-world.ts'
import { startCommandServer } from './run-command-server.ts'
import { createTestHome, findSandbox, FOREVER_MS, skipReason } from './sandbox-support.ts'

const sandbox = await findSandbox()
const HOST_MAIN = fileURLToPath(new URL('../../src/execution/host/command-host-main.ts', import.meta.url))
const NOBODY = { uid: 64_917, gid: 64_917 }
const BUBBLEWRAP = ['/usr/bin/bwrap']

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

function newHome(): string {
  const home = createTestHome()
  cleanups.push(() => rmSync(home, { recursive: true, force: true }))
  return home
}

/** A host without a server, so that nobody but the kernel ends what it runs. */
async function startBareHost(home: string, bubblewrapPaths: readonly string[]) {
  const settings: HostSettings = { home, limits: DEFAULT_COMMAND_LIMITS, bubblewrapPaths }
  const host = fork(HOST_MAIN, [JSON.stringify(settings)], { execArgv: [], env: {} })
  const tell = (request: HostRequest): void => void host.send(request, () => {})
  tell({ type: 'PROBE', id: 1 })
  await once(host, 'message')
  return { host, tell }
}

interface Way {
  readonly isConfined: boolean
}

/** Without a server: the command's name, and the home whose host has died. */
async function killBareSoon({ isConfined }: Way, delayMs: number) {
  const [marker, home] = [`early-${randomHex(6)}`, newHome()]
  const { host, tell } = await startBareHost(home, BUBBLEWRAP)
  const program = { kind: 'COMMAND', command: commandOf(marker) } as const
  const request = { program, timeoutMs: 60_000, isConfined, outputs: { list: null, isFirstOfTurn: false } }
  tell({ type: 'ALLOW', untilMs: FOREVER_MS })
  for (const id of [2, 3]) tell({ type: 'RUN', id, request: { ...request, sessionId: `cli:${id}` } })
  const exited = once(host, 'exit')
  killAtStart(must(host.pid, 'the host runs'), delayMs)
  await exited
  return { marker, home }
}

/** With a server, which tells its callers. Returns what runs of the commands when they have been told. */
async function killServedSoon({ isConfined }: Way, delayMs: number): Promise<readonly number[]> {
  const [marker, home] = [`early-${randomHex(6)}`, newHome()]
  const service = await startService(home, BUBBLEWRAP)
  cleanups.push(() => service.stop())
  const role = isConfined ? 'USER' : 'ADMIN'
  const outputs = { entries: [], isFirstOfTurn: false }
  const cancel = new AbortController()
  const { signal } = cancel
  const input = { taskId: 'task_1', role, timeoutMs: 60_000, outputs, signal, onOutput: () => {} } as const
  // After it a namespace is being prepared, for an admin's next command.
  await service.runner.run({ ...input, sessionId: 'cli:0', command: 'true' })
  const runs = ['cli:1', 'cli:2'].map((sessionId) =>
    service.runner.run({ ...input, sessionId, command: commandOf(marker) }),
  )
  const told = Promise.allSettled(runs)
  const host = hostOf(home)
  killAtStart(host, delayMs)
  // What the host had not taken yet is given to the next one, where it would run until its limit.
  await expect.poll(() => isReplaced(service, home, host), { timeout: 20_000, interval: 10 }).toBe(true)
  cancel.abort()
  await told
  return findProcesses(marker)
}

function isReplaced(service: CommandService, home: string, host: number): boolean {
  return service.hostProblem() === null && !childrenWith(home).includes(host)
}

/** Kills the host so long after its first command's process is there. Nothing else happens here meanwhile, or it would be missed. */
function killAtStart(host: number, delayMs: number): void {
  const children = `/proc/${host}/task/${host}/children`
  const before = readFileSync(children, 'utf8')
  const deadlineMs = performance.now() + 1_000
  while (readFileSync(children, 'utf8') === before && performance.now() < deadlineMs);
  const killAtMs = performance.now() + delayMs
  while (performance.now() < killAtMs);
  process.kill(host, 'SIGKILL')
}

function commandOf(marker: string): string {
  return `exec -a ${marker} sleep 1000`
}

/** Commands that have begun: what still starts them is called otherwise. */
function findBegun(marker: string): readonly number[] {
  return findProcesses(marker).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(marker)
    } catch {
      return false // it has ended meanwhile
    }
  })
}

/** The host of this process for this home. */
function hostOf(home: string): number {
  return must(childrenWith(home)[0], 'the host is a child of this process')
}

function childrenWith(home: string): readonly number[] {
  return findProcesses(home).filter((pid) => readProcess(pid)?.parentPid === process.pid)
}

const EARLY = [
  { name: 'a USER', isConfined: true },
  { name: 'an ADMIN', isConfined: false },
] as const
const ROUNDS = rounds(3, 10)
const LATEST_MS = 5

function delaysOf(round: number): readonly number[] {
  return [0, 1, 2, 3].map((part) => ((round + part / 4) * LATEST_MS) / ROUNDS)
}

describe.skipIf(!sandbox.available)(
  `a host that is killed just when it starts commands of${skipReason(sandbox)}`,
  () => {
    test.each(EARLY)(
      '$name leaves none that runs, although nobody sweeps up; what stands before its beginning is swept',
      async (way) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const killed = await Promise.all(delaysOf(round).map((delayMs) => killBareSoon(way, delayMs)))
          const begun = (): readonly number[] => killed.flatMap(({ marker }) => findBegun(marker))
          await expect.poll(begun, { timeout: 5_000, interval: 10 }).toEqual([])
          for (const { home } of killed) await sweepLeftBehind({ home, clock: systemClock, onProblem: () => {} })
          expect(killed.flatMap(({ marker }) => findProcesses(marker))).toEqual([])
        }
      },
      180_000,
    )

    test.each(EARLY)(
      '$name leaves nothing when its server has told the callers',
      async (way) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const left = await Promise.all(delaysOf(round).map((delayMs) => killServedSoon(way, delayMs)))
          expect(left.flat()).toEqual([])
        }
      },
      180_000,
    )
  },
)

interface Sleeper {
  readonly pid: number
  readonly ended: Promise<unknown>
}

function startSleeper(mark: OwnerMark, account: { uid?: number; gid?: number } = {}): Sleeper {
  const child = spawn('sleep', ['1000'], { env: { ...mark }, stdio: 'ignore', detached: true, ...account })
  cleanups.push(() => void child.kill('SIGKILL'))
  return { pid: must(child.pid, 'sleep starts'), ended: once(child, 'exit') }
}

/** The mark of a host that has lived. */
async function markOfDead(home: string): Promise<OwnerMark> {
  const owner = startSleeper({})
  const mark = markOf(home, owner.pid)
  process.kill(owner.pid, 'SIGKILL')
  await owner.ended
  return mark
}

const isRoot = process.geteuid?.() === 0
const SERVERS = [
  { name: 'this user', account: null, skipped: false },
  { name: 'an unprivileged account', account: NOBODY, skipped: !isRoot },
] as const

for (const { name, account, skipped } of SERVERS) {
  test.skipIf(skipped)(
    `a server that starts as ${name} ends what a host of its home has left, and nothing else`,
    async () => {
      const [home, otherHome] = [newHome(), newHome()]
      if (account !== null) chownSync(home, account.uid, account.gid)
      const who = account ?? {}
      const left = startSleeper(await markOfDead(home), who)
      const spared = [
        startSleeper({}, who),
        startSleeper(markOf(home, process.pid), who),
        startSleeper(await markOfDead(otherHome), who),
        startSleeper({ FACTOTUM_OWNER: 'no name of anybody' }, who),
      ]
      const job = { home, limits: DEFAULT_COMMAND_LIMITS, role: 'ADMIN', timeoutMs: 20_000, concurrency: 1 } as const
      const server = startCommandServer({ ...job, commands: ['true'] }, { account })
      for await (const report of server.reports) expect(report.type).not.toBe('OUTPUT')
      await left.ended
      expect(spared.map(({ pid }) => isRunning(pid))).toEqual(spared.map(() => true))
    },
  )
}

function foldersOf(home: string): readonly string[] {
  const names = readdirSync('/tmp').filter((name) => name.startsWith(`factotum-host-${homeName(home)}_`))
  const probes = ['sessions', 'sandbox'].flatMap((folder) => {
    const path = join(home, folder)
    return existsSync(path) ? readdirSync(path).filter((name) => name.startsWith('factotum-host-')) : []
  })
  return [...names, ...probes]
}

async function startService(home: string, bubblewrapPaths: readonly string[] = []) {
  const service = await createCommandRunner({
    home,
    logger: createLogger({ level: 'silent', pretty: false }),
    clock: systemClock,
    bubblewrapPaths,
  })
  service.allowUntil(FOREVER_MS)
  return service
}

test('a command that no kernel ends with its host, and the folder of that host, are gone when the next server has started', async () => {
  const home = newHome()
  const marker = `stray-${randomHex(6)}`
  cleanups.push(() => findProcesses(marker).forEach(killProcess))
  const command = `(setsid bash -c 'exec -a ${marker} sleep 1000' &); exec -a ${marker} sleep 1000`
  const { host, tell } = await startBareHost(home, [])
  const request = { program: { kind: 'COMMAND', command }, timeoutMs: 60_000, isConfined: false } as const
  tell({ type: 'ALLOW', untilMs: FOREVER_MS })
  tell({
    type: 'RUN',
    id: 2,
    request: { ...request, sessionId: 'cli:1', outputs: { list: null, isFirstOfTurn: true } },
  })
  await expect.poll(() => findProcesses(marker).length, { timeout: 10_000, interval: 10 }).toBeGreaterThanOrEqual(2)
  host.kill('SIGKILL')
  await once(host, 'exit')
  expect(findProcesses(marker)).not.toEqual([])
  const [folder] = foldersOf(home)
  expect(folder).toBeDefined()
  const service = await startService(home)
  expect(findProcesses(marker)).toEqual([])
  expect(foldersOf(home)).toHaveLength(1)
  expect(foldersOf(home)).not.toContain(folder)
  await service.stop()
  expect(foldersOf(home)).toEqual([])
})

test('a host that stood still when its server died ends with all that it ran when the next server starts', async () => {
  const home = newHome()
  const marker = `stray-${randomHex(6)}`
  cleanups.push(() => findProcesses(marker).forEach(killProcess))
  const commands = [`echo begun; exec -a ${marker} sleep 1000`]
  const job = {
    home,
    limits: DEFAULT_COMMAND_LIMITS,
    role: 'ADMIN',
    timeoutMs: 60_000,
    concurrency: 1,
    commands,
  } as const
  const server = startCommandServer(job, { account: null })
  for await (const report of server.reports) if (report.type === 'OUTPUT') break
  await expect.poll(() => findProcesses(marker).length, { timeout: 10_000, interval: 10 }).toBeGreaterThan(0)
  const host = findProcesses(home).find((pid) => readProcess(pid)?.parentPid === server.process.pid)
  process.kill(must(host, 'the server has a host'), 'SIGSTOP')
  cleanups.push(() => findProcesses(home).forEach(killProcess))
  const exited = once(server.process, 'exit')
  server.process.kill('SIGKILL')
  await exited
  expect(findProcesses(marker)).not.toEqual([])
  const service = await startService(home)
  expect([...findProcesses(marker), ...findProcesses(home).filter((pid) => pid === host)]).toEqual([])
  await service.stop()
  expect(foldersOf(home)).toEqual([])
})

test('the folder of a host goes when it is replaced; one that is in use stays', async () => {
  const home = newHome()
  const [first, second] = [await startService(home), await startService(home)]
  const before = foldersOf(home)
  expect(before).toHaveLength(2)
  process.kill(hostOf(home), 'SIGKILL')
  const stayed = (): number => foldersOf(home).filter((name) => before.includes(name)).length
  await expect.poll(stayed, { timeout: 10_000, interval: 10 }).toBe(1)
  await expect.poll(() => foldersOf(home).length, { timeout: 10_000, interval: 10 }).toBe(2)
  await Promise.all([first.stop(), second.stop()])
  expect(foldersOf(home)).toEqual([])
})
