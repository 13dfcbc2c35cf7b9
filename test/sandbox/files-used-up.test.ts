/**
 * A command host that cannot open a file any more when a command ends: what has run is reported as having run, with its
 * exit code, and is not begun a second time.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { DEFAULT_COMMAND_LIMITS } from '../../src/execution/command-limits.ts'
import { createCommandRunner } from '../../src/execution/run-command.ts'
import { adminWorkspacePath, workspacePath } from '../../src/execution/workspace/workspace.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { commandInput } from './command-input.ts'
import { hostOf } from './host-of.ts'
import { findSandbox, FOREVER_MS, newHome, skipReason } from './sandbox-support.ts'

const SESSION = 'cli:test'
const sandbox = await findSandbox()
const isLinux = process.platform === 'linux'
const WAYS = [
  { role: 'USER', skipped: skipReason(sandbox) },
  { role: 'ADMIN', skipped: skipReason(sandbox) },
  { role: 'ADMIN', bubblewrapPaths: [], skipped: isLinux ? '' : ' [SKIPPED: no prlimit here]' },
] as const

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

function allowFiles(pid: number, count: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${count}:`])
}

for (const { role, skipped, ...options } of WAYS) {
  const name = `${role}${'bubblewrapPaths' in options ? ' without bubblewrap' : ''}${skipped}`
  describe.skipIf(skipped !== '')(`a command of role ${name}`, () => {
    test('that ends while its host can open no file has run, once', async () => {
      const home = newHome()
      // Not watched: one that cannot be watched is ended.
      const limits = { ...DEFAULT_COMMAND_LIMITS, watchAfterMs: 600_000 }
      const logger = createLogger({ level: 'silent', pretty: false })
      const service = await createCommandRunner({ home, logger, clock: systemClock, limits, ...options })
      cleanups.push(() => service.stop())
      service.allowUntil(FOREVER_MS)
      const workspace = role === 'USER' ? workspacePath(home, SESSION) : adminWorkspacePath(home, SESSION)
      const begun = Promise.withResolvers<void>()
      const command = 'echo begun; echo ran >>runs; until [ -e go ]; do sleep 0.02; done; exit 7'
      const outcome = service.runner.run(
        commandInput(command, { sessionId: SESSION, role, onOutput: () => begun.resolve() }),
      )
      await begun.promise
      const host = must(hostOf(process.pid), 'it is a child of this process')
      allowFiles(host, 3)
      cleanups.push(() => allowFiles(host, 1024))
      writeFileSync(join(workspace, 'go'), '')
      expect(await outcome).toMatchObject({ kind: 'exited', exitCode: 7, stdout: 'begun\n' })
      expect(readFileSync(join(workspace, 'runs'), 'utf8')).toBe('ran\n')
    })
  })
}
