/**
 * Whether the sandbox works here, asked once when a test file is loaded. Tests that need it say in their name why they
 * are skipped and what to do about it; `ensure-bubblewrap.ts` has tried before.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { SandboxState } from '../../src/execution/command.ts'
import { createCommandRunner } from '../../src/execution/run-command.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'

/** Commands may run for as long as a test likes (see `CommandService.allowUntil`). */
export const FOREVER_MS = Number.MAX_SAFE_INTEGER

export async function findSandbox(): Promise<SandboxState> {
  const home = createTestHome()
  const service = await createCommandRunner({
    home,
    clock: systemClock,
    logger: createLogger({ level: 'silent', pretty: false }),
  })
  await service.stop()
  rmSync(home, { recursive: true, force: true })
  return service.sandbox()
}

/** For the name of a test: empty when the sandbox works. */
export function skipReason(sandbox: SandboxState): string {
  return sandbox.available ? '' : ` [SKIPPED: ${sandbox.reason} ${sandbox.fix}]`
}

/** A FACTOTUM_HOME that every account can enter. */
export function createTestHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'factotum-home-'))
  chmodSync(home, 0o711)
  return home
}

/** One that is removed when the test has ended, after all that the test cleans up by itself. */
export function newHome(): string {
  const home = createTestHome()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}
