/**
 * Commands run by permission of their server, which is renewed while it lives and reaches its database: without, the
 * command host ends them by itself, because another server waits for that moment to go on with the session.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { DEFAULT_COMMAND_LIMITS } from '../../src/execution/command-limits.ts'
import { CommandPermit } from '../../src/execution/host/command-permit.ts'
import { HostRunner } from '../../src/execution/host/host-runner.ts'
import { createCommandRunner, type CommandService } from '../../src/execution/run-command.ts'
import { adminWorkspacePath, workspacePath } from '../../src/execution/workspace/workspace.ts'
import { machineMs, systemClock } from '../../src/platform/clock.ts'
import { randomHex } from '../../src/platform/random.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { commandInput } from './command-input.ts'
import { HeldBubblewrap } from './held-bubblewrap.ts'
import { hostOf } from './host-of.ts'
import { findProcesses } from './outside-world.ts'
import { startCommandServer, type RunningServer } from './run-command-server.ts'
import { findSandbox, FOREVER_MS, newHome, skipReason } from './sandbox-support.ts'

const sandbox = await findSandbox()

const WAYS = [
  { role: 'USER', skipped: skipReason(sandbox) },
  { role: 'ADMIN', skipped: skipReason(sandbox) },
  { role: 'ADMIN', bubblewrapPaths: [], skipped: '' },
] as const

const POLL = { interval: 10 }
const ALLOW_MS = 2000

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** Its processes are found by `marker`; it does not end. */
const lasting = (marker: string): string => `echo begun; exec -a ${marker} sleep 1000`

for (const { skipped, ...way } of WAYS) {
  const name = `${way.role}${'bubblewrapPaths' in way ? ' without bubblewrap' : ''}${skipped}`
  describe.skipIf(skipped !== '')(`a command of role ${name}`, () => {
    /** A server that runs a command, allowed for `ALLOW_MS` at a time. */
    async function begin(marker: string): Promise<RunningServer> {
      const job = { home: newHome(), limits: DEFAULT_COMMAND_LIMITS, timeoutMs: 60_000, concurrency: 1, ...way }
      const server = startCommandServer({ ...job, commands: [lasting(marker)], allowMs: ALLOW_MS }, { account: null })
      cleanups.push(() => server.process.kill('SIGKILL'))
      for await (const report of server.reports) if (report.type === 'OUTPUT') break
      await expect.poll(() => findProcesses(marker), POLL).not.toEqual([])
      return server
    }

    test('ends while its server is stopped', async () => {
      const marker = `stopped-${randomHex(6)}`
      const server = await begin(marker)
      server.process.kill('SIGSTOP')
      await expect.poll(() => findProcesses(marker), POLL).toEqual([])
    })

    test('ends as soon as a host goes on that was stopped together with its server', async () => {
      const marker = `stopped-${randomHex(6)}`
      const server = await begin(marker)
      const host = must(hostOf(server.process.pid), 'it is a child of its server')
      server.process.kill('SIGSTOP')
      process.kill(host, 'SIGSTOP')
      // Its permit runs out by the clock of the machine, which no test can set.
      const stoppedAtMs = machineMs()
      await expect.poll(() => machineMs() - stoppedAtMs, POLL).toBeGreaterThan(ALLOW_MS)
      expect(findProcesses(marker)).not.toEqual([])
      process.kill(host, 'SIGCONT')
      await expect.poll(() => findProcesses(marker), POLL).toEqual([])
    })
  })
}

describe('without permission', () => {
  const logger = createLogger({ level: 'silent', pretty: false })

  async function start(): Promise<{ service: CommandService; run: (command: string) => Promise<unknown> }> {
    const service = await createCommandRunner({ home: newHome(), logger, clock: systemClock })
    cleanups.push(() => service.stop())
    return { service, run: (command) => service.runner.run(commandInput(command)) }
  }

  test('no command begins, and one that has had it may', async () => {
    const { service, run } = await start()
    await expect(run('touch ran')).rejects.toMatchObject({ code: 'LEASE_LOST' })
    service.allowUntil(machineMs() - 1)
    await expect(run('touch ran')).rejects.toMatchObject({ code: 'LEASE_LOST' })
    service.allowUntil(FOREVER_MS)
    expect(await run('ls')).toMatchObject({ kind: 'exited', stdout: '' })
  })

  test('all commands end when the server says so, and it hears when they have', async () => {
    const { service, run } = await start()
    service.allowUntil(FOREVER_MS)
    const marker = `ended-${randomHex(6)}`
    const running = run(lasting(marker)).catch((error: unknown) => error)
    await expect.poll(() => findProcesses(marker), POLL).not.toEqual([])
    await service.endAll()
    expect(findProcesses(marker)).toEqual([])
    expect(await running).toMatchObject({ code: 'LEASE_LOST' })
    await expect(run('true')).rejects.toMatchObject({ code: 'LEASE_LOST' })
  })

  test('a host that is started anew has as much of it as the one before', async () => {
    const { service, run } = await start()
    service.allowUntil(FOREVER_MS)
    const marker = `lost-${randomHex(6)}`
    const lost = run(lasting(marker)).catch((error: unknown) => error)
    await expect.poll(() => findProcesses(marker), POLL).not.toEqual([])
    process.kill(must(hostOf(process.pid), 'it is a child of this process'), 'SIGKILL')
    expect(await lost).toMatchObject({ code: 'COMMAND_LOST' })
    expect(await run('echo again')).toMatchObject({ stdout: 'again\n' })
    await service.endAll()
    await expect(run('echo again')).rejects.toMatchObject({ code: 'LEASE_LOST' })
  })
})

/** Of every launch, before it gets its command. */
const LAUNCH = '--json-status-fd'
const PROGRAM = { kind: 'COMMAND', command: 'touch ran' } as const
const REQUEST = {
  sessionId: 'cli:test',
  program: PROGRAM,
  timeoutMs: 60_000,
  outputs: { list: null, files: [], isFirstOfTurn: true },
  workspace: null,
}

describe.skipIf(!sandbox.available)(`a permit that runs out while a launch is made ready${skipReason(sandbox)}`, () => {
  test.each([true, false])('lets no command begin (confined: %s)', async (isConfined) => {
    const home = newHome()
    const bubblewrap = new HeldBubblewrap(home)
    const settings = { home, limits: DEFAULT_COMMAND_LIMITS, bubblewrapPaths: [bubblewrap.path] }
    const runner = new HostRunner({ settings, clock: systemClock, onProblem: () => {}, onMeasured: () => {} })
    cleanups.push(() => runner.close())
    await runner.probe()
    // Its own timer is late, as in a process that goes on after it stood still.
    const permit = new CommandPermit({ ...systemClock, after: () => () => {} })
    const untilMs = machineMs() + ALLOW_MS
    permit.renew(untilMs)
    const command = new AbortController()
    const hasEnded = permit.watch(command)
    bubblewrap.hold(LAUNCH)
    const { signal } = command
    const options = { signal, onOutput: () => {}, mayBegin: () => permit.enforce() }
    const refused = runner.run({ ...REQUEST, isConfined }, options)
    await bubblewrap.seen()
    await expect.poll(() => machineMs(), POLL).toBeGreaterThan(untilMs)
    bubblewrap.release()
    expect(await refused).toMatchObject({ kind: 'killed', cause: 'cancelled' })
    hasEnded()
    const workspace = (isConfined ? workspacePath : adminWorkspacePath)(home, REQUEST.sessionId)
    expect(existsSync(join(workspace, 'ran'))).toBe(false)
  })
})

test.skipIf(!sandbox.available)(
  `a command waits for the one before it in its session, also for one that nobody waits for any more${skipReason(sandbox)}`,
  async () => {
    const logger = createLogger({ level: 'silent', pretty: false })
    const service = await createCommandRunner({ home: newHome(), logger, clock: systemClock })
    cleanups.push(() => service.stop())
    service.allowUntil(FOREVER_MS)
    for (let round = 0; round < 5; round += 1) {
      const onOutput = (): never => {
        throw new Error('the listener failed')
      }
      const held = service.runner.run(commandInput('exec 9>lock; flock 9; echo held; sleep 1000', { onOutput }))
      await expect(held).rejects.toThrow('the listener failed')
      const next = await service.runner.run(commandInput('flock -n lock echo free'))
      expect(next).toMatchObject({ stdout: 'free\n' })
    }
  },
)
