/**
 * A command host that is killed while it starts commands: none of them goes on without it, and a server that tells its
 * callers that their commands are lost has ended all of them. One moment is held still; many others are tried.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import type { CommandInput } from '../../src/execution/command.ts'
import { sweepLeftBehind } from '../../src/execution/host/host-folder.ts'
import { homeName } from '../../src/execution/process/owner-mark.ts'
import {
  isRunning,
  listProcesses,
  readEnvironment,
  readProcess,
  type ProcessEntry,
} from '../../src/execution/process/process-tree.ts'
import { createCommandRunner, type CommandService } from '../../src/execution/run-command.ts'
import { sessionsFolder } from '../../src/execution/workspace/workspace.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { randomHex } from '../../src/platform/random.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { rounds } from '../harness/rounds.ts'
import { BareHost } from './bare-host.ts'
import { HeldBubblewrap } from './held-bubblewrap.ts'
import { findProcesses } from './outside-world.ts'
import { createTestHome, findSandbox, FOREVER_MS, skipReason } from './sandbox-support.ts'

const sandbox = await findSandbox()
const ROUNDS = rounds(1, 10)
/** From the first launch on; the others follow within a few milliseconds. */
const DELAYS_MS = [0, 1, 2, 4].flatMap((ms) => Array.from({ length: ROUNDS }, (_, round) => ms + round / ROUNDS))
const LIMIT_MS = 120_000 * ROUNDS
/** Started together, so that one kill meets each of them at another moment. */
const FIRST = 'cli:1'
const SESSIONS = [FIRST, 'cli:2', 'cli:3', 'cli:4']
const WITHIN = { interval: 50 }

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

interface Scene {
  readonly home: string
  readonly bubblewrap: HeldBubblewrap
  readonly marker: string
  readonly command: string
}

interface Way {
  readonly isConfined: boolean
  /** The first command is given to a launch that waits for it, or is still being made. */
  readonly isPrepared?: boolean
}

const WAYS = [
  { name: 'a USER', isConfined: true },
  { name: 'an ADMIN', isConfined: false },
] as const
const ALL_WAYS = [
  ...WAYS,
  { name: 'a USER, one of them prepared,', isConfined: true, isPrepared: true },
  { name: 'an ADMIN, one of them prepared,', isConfined: false, isPrepared: true },
] as const
/** In the arguments of every launch: they do not tell the command. */
const LAUNCH = '--json-status-fd'

function setScene(): Scene {
  const home = createTestHome()
  cleanups.push(() => rmSync(home, { recursive: true, force: true }))
  const marker = `early-${randomHex(6)}`
  return { home, marker, bubblewrap: new HeldBubblewrap(home), command: `touch ran; exec -a ${marker} sleep 1000` }
}

async function startBareHost(scene: Scene): Promise<BareHost> {
  const host = await BareHost.start(scene.home, [scene.bubblewrap.path])
  cleanups.push(() => sweep(scene))
  cleanups.push(() => host.kill())
  return host
}

async function startService({ home, bubblewrap }: Scene): Promise<CommandService> {
  const service = await createCommandRunner({
    home,
    logger: createLogger({ level: 'silent', pretty: false }),
    clock: systemClock,
    bubblewrapPaths: [bubblewrap.path],
  })
  cleanups.push(() => service.stop())
  service.allowUntil(FOREVER_MS)
  return service
}

function beginBare(host: BareHost, { command }: Scene, { isConfined }: Way): void {
  for (const sessionId of SESSIONS) void host.run(command, { sessionId, isConfined })
}

function runServed(
  service: CommandService,
  { isConfined }: Way,
  what: Pick<CommandInput, 'command' | 'sessionId'>,
): Promise<unknown> {
  const fixed = { taskId: 'task_1', timeoutMs: 20_000, outputs: { entries: [], files: [], isFirstOfTurn: true } }
  const { signal } = new AbortController()
  const role: CommandInput['role'] = isConfined ? 'USER' : 'ADMIN'
  return service.runner.run({ ...fixed, ...what, role, signal, onOutput: () => {} })
}

/** Resolves when every caller has been told that its command is lost. */
async function loseAll(service: CommandService, { command }: Scene, way: Way): Promise<void> {
  const runs = SESSIONS.map((sessionId) => runServed(service, way, { command, sessionId }))
  const outcomes = await Promise.allSettled(runs)
  const lost = { status: 'rejected', reason: expect.objectContaining({ code: 'COMMAND_LOST' }) }
  expect(outcomes).toEqual(SESSIONS.map(() => lost))
}

function sweep({ home }: Scene): Promise<void> {
  return sweepLeftBehind({ home, clock: systemClock, onProblem: () => {} })
}

/** What a sweep leaves. One that is only just forked has no mark yet, and is found by the next. */
async function findSwept(scene: Scene, host: number): Promise<readonly number[]> {
  await sweep(scene)
  return findLeft(scene, host)
}

/** What runs of a host: launches, before their beginning or after, and commands. */
function findLeft({ marker, home }: Scene, host: number): readonly number[] {
  const owner = `FACTOTUM_OWNER=${homeName(home)}_`
  const isOfHost = ({ pid }: ProcessEntry): boolean =>
    readEnvironment(pid).some((variable) => variable.startsWith(owner) && variable.includes(`-${host}-`))
  const launches = listProcesses().filter((entry) => isOfHost(entry) && isRunning(entry.pid))
  return [...findProcesses(marker), ...launches.map(({ pid }) => pid)]
}

/** The host of this process for this home. */
function hostOf({ home }: Scene): number {
  const host = findProcesses(home).find((pid) => readProcess(pid)?.parentPid === process.pid)
  return must(host, 'the host is a child of this process')
}

function countBegun({ home }: Scene): number {
  const files = readdirSync(sessionsFolder(home), { recursive: true, encoding: 'utf8' })
  return files.filter((name) => name.endsWith('/ran')).length
}

/** Commands that run: what still starts them is called otherwise. */
function findRunning({ marker }: Scene): readonly number[] {
  return findProcesses(marker).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(marker)
    } catch {
      return false // it has ended meanwhile
    }
  })
}

/** Precise to less than a millisecond; what is to happen meanwhile happens in other processes. */
function passMs(ms: number): void {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}

describe.skipIf(!sandbox.available)(`commands of${skipReason(sandbox)}`, () => {
  test.each(WAYS)(
    '$name do not begin when their host dies before bubblewrap is tied to it, and are swept',
    async (way) => {
      const scene = setScene()
      const host = await startBareHost(scene)
      scene.bubblewrap.hold(LAUNCH)
      beginBare(host, scene, way)
      await scene.bubblewrap.seen()
      await host.kill()
      scene.bubblewrap.release()
      await expect.poll(() => findProcesses(scene.bubblewrap.path), WITHIN).toEqual([])
      await expect.poll(() => findSwept(scene, host.pid), WITHIN).toEqual([])
      expect(countBegun(scene)).toBe(0)
    },
  )

  test.each(WAYS)('$name that stand before their beginning are ended before their callers are told', async (way) => {
    const scene = setScene()
    const service = await startService(scene)
    scene.bubblewrap.hold(LAUNCH)
    const lost = loseAll(service, scene, way)
    await scene.bubblewrap.seen()
    const host = hostOf(scene)
    process.kill(host, 'SIGKILL')
    await lost
    expect(findLeft(scene, host)).toEqual([])
    expect(countBegun(scene)).toBe(0)
  })

  test.each(ALL_WAYS)(
    '$name end with their host, whenever that dies; what stands before its beginning is swept',
    async (way: Way) => {
      for (const delayMs of DELAYS_MS) {
        const scene = setScene()
        const host = await startBareHost(scene)
        if (way.isPrepared === true) await host.run('true', { sessionId: FIRST, ...way })
        scene.bubblewrap.watch(LAUNCH)
        beginBare(host, scene, way)
        await scene.bubblewrap.seen()
        passMs(delayMs)
        await host.kill()
        await expect.poll(() => findRunning(scene), WITHIN).toEqual([])
        await expect.poll(() => findSwept(scene, host.pid), WITHIN).toEqual([])
      }
    },
    LIMIT_MS,
  )

  test.each(ALL_WAYS)(
    '$name have ended when their callers are told, whenever their host dies',
    async (way: Way) => {
      for (const delayMs of DELAYS_MS) {
        const scene = setScene()
        const service = await startService(scene)
        if (way.isPrepared === true) await runServed(service, way, { command: 'true', sessionId: FIRST })
        scene.bubblewrap.watch(LAUNCH)
        const lost = loseAll(service, scene, way)
        await scene.bubblewrap.seen()
        passMs(delayMs)
        const host = hostOf(scene)
        process.kill(host, 'SIGKILL')
        await lost
        expect(findLeft(scene, host)).toEqual([])
        await service.stop()
      }
    },
    LIMIT_MS,
  )
})
