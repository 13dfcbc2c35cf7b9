/**
 * What the kernel keeps of a sandbox, asked of the kernel. Where bubblewrap works, the sandbox must: a profile that its
 * own probe refuses would otherwise only skip the other tests of this folder.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { sweepLeftBehind } from '../../src/execution/host/host-folder.ts'
import { createCommandRunner } from '../../src/execution/run-command.ts'
import { BUBBLEWRAP_PATHS } from '../../src/execution/sandbox/sandbox-profile.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { randomHex } from '../../src/platform/random.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { BareHost } from './bare-host.ts'
import { findProcesses } from './outside-world.ts'
import { findSandbox, FOREVER_MS, newHome, skipReason } from './sandbox-support.ts'

const sandbox = await findSandbox()
const bubblewrap = BUBBLEWRAP_PATHS.find((path) => existsSync(path))
const logger = createLogger({ level: 'silent', pretty: false })

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

/** By arguments of this test's own: nothing of the profile. */
function bubblewrapWorks(): boolean {
  if (bubblewrap === undefined) return false
  try {
    execFileSync(bubblewrap, ['--ro-bind', '/', '/', '--proc', '/proc', '--unshare-all', '/bin/true'])
    return true
  } catch {
    return false
  }
}

test.skipIf(!bubblewrapWorks())('the sandbox holds where bubblewrap works', () => {
  expect(sandbox).toMatchObject({ available: true })
})

test.skipIf(!sandbox.available)(`a command writes nowhere but where it may${skipReason(sandbox)}`, async () => {
  const service = await createCommandRunner({ home: newHome(), logger, clock: systemClock })
  cleanups.push(() => service.stop())
  service.allowUntil(FOREVER_MS)
  const command = `awk '$6 ~ /^rw/ { print $5 }' /proc/self/mountinfo; ulimit -u`
  const outputs = { entries: [], files: [], isFirstOfTurn: true }
  const job = { sessionId: 'cli:test', taskId: 'task_1', role: 'USER', timeoutMs: 60_000, outputs } as const
  const { signal } = new AbortController()
  const outcome = await service.runner.run({ ...job, command, signal, onOutput: () => {} })
  expect(outcome).toMatchObject({ kind: 'exited', exitCode: 0 })
  const lines = 'stdout' in outcome ? outcome.stdout.trim().split('\n') : []
  expect(Number(lines.at(-1))).toBeLessThan(10_000)
  const devices = /^\/dev\/(?:null|zero|full|random|urandom|tty|pts|console)$/
  const writable = lines.slice(0, -1).filter((path) => !devices.test(path))
  expect(writable.toSorted()).toEqual(['/dev/shm', '/proc', '/tmp', '/workspace'])
})

test.skipIf(!sandbox.available)(`a command ends with its host, by the kernel alone${skipReason(sandbox)}`, async () => {
  const home = newHome()
  const host = await BareHost.start(home, BUBBLEWRAP_PATHS)
  cleanups.push(() => sweepLeftBehind({ home, clock: systemClock, onProblem: () => {} }))
  cleanups.push(() => host.kill())
  const marker = `survivor-${randomHex(6)}`
  void host.run(`exec -a ${marker} sleep 1000`, { sessionId: 'cli:test', isConfined: true })
  await expect.poll(() => findProcesses(marker)).not.toEqual([])
  await host.kill()
  await expect.poll(() => findProcesses(marker)).toEqual([])
})
