/**
 * A command host that hangs: its commands have an outcome in time, nothing of them runs on, and another host is there
 * for the next. Real processes, stopped by SIGSTOP; role ADMIN with and without bubblewrap.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { CommandInput, CommandOutcome } from '../../src/execution/command.ts'
import { DEFAULT_HOST_DEADLINES } from '../../src/execution/host/host-deadlines.ts'
import { readProcess } from '../../src/execution/process/process-tree.ts'
import { createCommandRunner, type CommandRunnerOptions, type CommandService } from '../../src/execution/run-command.ts'
import { adminWorkspacePath } from '../../src/execution/workspace/workspace.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { randomHex } from '../../src/platform/random.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { commandInput } from './command-input.ts'
import { findProcesses } from './outside-world.ts'
import { createTestHome, findSandbox, FOREVER_MS, skipReason } from './sandbox-support.ts'

const sandbox = await findSandbox()
const logger = createLogger({ level: 'silent', pretty: false })
/** A host that stands still is found out soon, and one that only waits for a processor is not taken for it. */
const QUICK = { ...DEFAULT_HOST_DEADLINES, pingEveryMs: 100, maxMissedPings: 15 }

const WAYS = [
  { role: 'USER', skipped: skipReason(sandbox) },
  { role: 'ADMIN', skipped: skipReason(sandbox) },
  { role: 'ADMIN', bubblewrapPaths: [], skipped: '' },
] as const

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

interface Fixture {
  readonly home: string
  readonly service: CommandService
  readonly run: (command: string, input?: Partial<CommandInput>) => Promise<CommandOutcome>
}

async function start(options: Partial<CommandRunnerOptions>, role: CommandInput['role']): Promise<Fixture> {
  const home = createTestHome()
  cleanups.push(() => rmSync(home, { recursive: true, force: true }))
  const service = await createCommandRunner({ home, logger, clock: systemClock, ...options })
  cleanups.push(() => service.stop())
  service.allowUntil(FOREVER_MS)
  const run: Fixture['run'] = (command, input = {}) => service.runner.run(commandInput(command, { role, ...input }))
  return { home, service, run }
}

/** Hosts of this process: there is one, or none while it is replaced. */
function findHosts(): readonly number[] {
  return findProcesses('command-host-main').filter((pid) => readProcess(pid)?.parentPid === process.pid)
}

/** False: there is no such process any more. */
function stop(pid: number): boolean {
  try {
    if (pid !== 0) process.kill(pid, 'SIGSTOP')
  } catch {
    return false
  }
  return pid !== 0 && !['Z', 'X'].includes(readProcess(pid)?.state ?? 'X')
}

function stopHost(): void {
  process.kill(must(findHosts()[0], 'there is a host'), 'SIGSTOP')
}

/** A command that starts processes of every kind, says so, and does not end. */
function lasting(marker: string): string {
  const sleep = `bash -c 'trap "" TERM HUP INT; exec -a ${marker} sleep 1000'`
  return `${sleep} & (setsid ${sleep} > /dev/null 2>&1 &); sleep 0.1; echo begun; ${sleep}`
}

interface Lasting {
  readonly marker: string
  readonly outcome: Promise<CommandOutcome>
}

/** Runs a command that does not end, until all of it is there, and said so. Null: its time was over before. */
async function tryLasting(fixture: Fixture, input: Partial<CommandInput>): Promise<Lasting | null> {
  const marker = `hung-${randomHex(6)}`
  let said = ''
  const onOutput = (_stream: unknown, text: string): void => void (said += text)
  const outcome = fixture.run(lasting(marker), { onOutput, ...input })
  const isOver = watchEnd(outcome)
  const isWhole = (): boolean => said.includes('begun') && findProcesses(marker).length >= 3
  await expect.poll(() => isOver() || isWhole(), { interval: 10 }).toBe(true)
  return isOver() ? null : { marker, outcome }
}

async function beginLasting(fixture: Fixture, input: Partial<CommandInput> = {}): Promise<Lasting> {
  return must(await tryLasting(fixture, input), 'nothing ends it')
}

/** One whose time is over soon, but not before all of it is there. */
async function beginTimed(fixture: Fixture, timeoutMs: number): Promise<Lasting> {
  return (await tryLasting(fixture, { timeoutMs })) ?? beginTimed(fixture, 3 * timeoutMs)
}

/** Whether it has ended; the test reads how when it has done its part. */
function watchEnd(outcome: Promise<CommandOutcome>): () => boolean {
  let isOver = false
  const end = (): void => void (isOver = true)
  void outcome.then(end, end)
  return () => isOver
}

for (const { role, skipped, ...options } of WAYS) {
  const name = `${role}${'bubblewrapPaths' in options ? ' without bubblewrap' : ''}${skipped}`
  describe.skipIf(skipped !== '')(`a command of role ${name} whose host hangs`, () => {
    test('is timed out with what it has printed, nothing of it runs on, and the next command runs', async () => {
      const fixture = await start({ ...options, deadlines: QUICK }, role)
      const { marker, outcome } = await beginTimed(fixture, 600)
      stopHost()
      expect(await outcome).toEqual({
        kind: 'killed',
        cause: 'timeout',
        stdout: 'begun\n',
        stderr: '',
        truncated: false,
      })
      expect(findProcesses(marker)).toEqual([])
      expect(await fixture.run('echo again')).toMatchObject({ kind: 'exited', stdout: 'again\n' })
    })

    test('is cancelled', async () => {
      const fixture = await start({ ...options, deadlines: QUICK }, role)
      const cancel = new AbortController()
      const { marker, outcome } = await beginLasting(fixture, { signal: cancel.signal })
      stopHost()
      cancel.abort()
      expect(await outcome).toMatchObject({ kind: 'killed', cause: 'cancelled', stdout: 'begun\n' })
      expect(findProcesses(marker)).toEqual([])
    })

    test('is lost when nothing else would have ended it', async () => {
      const fixture = await start({ ...options, deadlines: QUICK }, role)
      const { marker, outcome } = await beginLasting(fixture)
      stopHost()
      await expect(outcome).rejects.toMatchObject({
        code: 'COMMAND_LOST',
        message: expect.stringContaining('what the command did is not known'),
      })
      expect(findProcesses(marker)).toEqual([])
    })
  })
}

test('a host that hangs is shown until it is replaced', async () => {
  const { service } = await start({ deadlines: QUICK }, 'ADMIN')
  expect(service.hostProblem()).toBeNull()
  const [first] = findHosts()
  stopHost()
  await expect.poll(() => service.hostProblem(), { interval: 10 }).toBe('it does not answer')
  await expect.poll(() => service.hostProblem(), { interval: 50 }).toBeNull()
  expect(findHosts()).toHaveLength(1)
  expect(findHosts()).not.toContain(first)
})

test('a service whose host hangs stops all the same', async () => {
  const fixture = await start({ deadlines: QUICK }, 'ADMIN')
  const { marker, outcome } = await beginLasting(fixture)
  stopHost()
  await fixture.service.stop()
  expect(await outcome).toMatchObject({ kind: 'killed', cause: 'cancelled' })
  expect([...findProcesses(marker), ...findHosts()]).toEqual([])
})

test('a host that stands still for a moment goes on with its command', async () => {
  const fixture = await start({ deadlines: { ...QUICK, maxMissedPings: 600 } }, 'ADMIN')
  const release = join(fixture.home, 'release')
  const begun = Promise.withResolvers<void>()
  const outcome = fixture.run(`echo begun; until [ -e ${release} ]; do sleep 0.01; done; echo done`, {
    onOutput: () => begun.resolve(),
  })
  await begun.promise
  stopHost()
  await expect.poll(() => fixture.service.hostProblem(), { interval: 10 }).toBe('it does not answer')
  process.kill(must(findHosts()[0], 'there is a host'), 'SIGCONT')
  await expect.poll(() => fixture.service.hostProblem(), { interval: 50 }).toBeNull()
  writeFileSync(release, '')
  expect(await outcome).toMatchObject({ kind: 'exited', exitCode: 0, stdout: 'begun\ndone\n' })
})

test('a host answers while 32 commands print what JSON would write six times as long', async () => {
  const { run } = await start({}, 'ADMIN')
  const hosts = findHosts()
  const command = String.raw`head -c 1500000 /dev/zero | tr '\0' '\1'`
  const sessions = Array.from({ length: 32 }, (_, index) => `cli:test-${index}`)
  const outcomes = await Promise.all(sessions.map((sessionId) => run(command, { sessionId })))
  expect(outcomes.map(({ kind }) => kind)).toEqual(sessions.map(() => 'exited'))
  expect(findHosts()).toEqual(hosts)
})

test('a server that stood still itself does not take its host for hung', async () => {
  const fixture = await start({ deadlines: QUICK }, 'ADMIN')
  const [first] = findHosts()
  const stalled = fixture.run('sleep 0.2; echo done')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * QUICK.maxMissedPings * QUICK.pingEveryMs)
  expect(await stalled).toMatchObject({ kind: 'exited', stdout: 'done\n' })
  expect(findHosts()).toEqual([first])
})

test.skipIf(process.geteuid?.() !== 0)(
  'a host that answers, but not to a command, is replaced when that is overdue',
  async () => {
    const deadlines = { ...DEFAULT_HOST_DEADLINES, beyondTimeoutMs: 2_000 }
    const fixture = await start({ deadlines, bubblewrapPaths: [] }, 'ADMIN')
    const workspace = adminWorkspacePath(fixture.home, 'cli:test')
    // A workspace changes hands folder by folder, which takes long enough to stop the process that does it.
    for (let folder = 0; folder < 500; folder += 1) {
      mkdirSync(join(workspace, String(folder)), { recursive: true })
      writeFileSync(join(workspace, String(folder), 'file'), '')
    }
    const handingOver = (): number => findProcesses(`find\0${workspace}`)[0] ?? 0
    /** Null: that process had ended before it was stopped. */
    const runHeld = async (): Promise<CommandOutcome | null> => {
      execFileSync('chown', ['-R', '12345:12345', workspace])
      const outcome = fixture.run('echo not reached', { timeoutMs: 100 })
      const isOver = watchEnd(outcome)
      await expect.poll(() => isOver() || handingOver() !== 0, { interval: 1 }).toBe(true)
      const stopped = stop(handingOver())
      const ended = await outcome
      return stopped ? ended : null
    }
    let outcome = await runHeld()
    while (outcome === null) outcome = await runHeld()
    expect(outcome).toMatchObject({ kind: 'killed', cause: 'timeout', stdout: '' })
    expect(handingOver()).toBe(0)
    expect(await fixture.run('echo again')).toMatchObject({ stdout: 'again\n' })
  },
)
