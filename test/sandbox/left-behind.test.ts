/**
 * What a command host leaves that no kernel ends for it is swept up when another host starts, as are its folders. What
 * belongs to others stays. What it leaves when it dies while it starts a command: `killed-at-start.test.ts`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { DEFAULT_COMMAND_LIMITS } from '../../src/execution/command-limits.ts'
import { homeName, markOf, type OwnerMark } from '../../src/execution/process/owner-mark.ts'
import { isRunning, killProcess, readProcess } from '../../src/execution/process/process-tree.ts'
import { createCommandRunner } from '../../src/execution/run-command.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { randomHex } from '../../src/platform/random.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { BareHost } from './bare-host.ts'
import { findProcesses } from './outside-world.ts'
import { startCommandServer } from './run-command-server.ts'
import { FOREVER_MS, newHome } from './sandbox-support.ts'

const NOBODY = { uid: 64_917, gid: 64_917 }

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

/** The host of this process for this home. */
function hostOf(home: string): number {
  return must(childrenWith(home)[0], 'the host is a child of this process')
}

function childrenWith(home: string): readonly number[] {
  return findProcesses(home).filter((pid) => readProcess(pid)?.parentPid === process.pid)
}

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
  const host = await BareHost.start(home, [])
  void host.run(command, { sessionId: 'cli:1', isConfined: false })
  await expect.poll(() => findProcesses(marker).length, { interval: 10 }).toBeGreaterThanOrEqual(2)
  await host.kill()
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
  await expect.poll(() => findProcesses(marker).length, { interval: 10 }).toBeGreaterThan(0)
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
  await expect.poll(stayed, { interval: 10 }).toBe(1)
  await expect.poll(() => foldersOf(home).length, { interval: 10 }).toBe(2)
  await Promise.all([first.stop(), second.stop()])
  expect(foldersOf(home)).toEqual([])
})
