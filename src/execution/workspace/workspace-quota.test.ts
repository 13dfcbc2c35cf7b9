import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { DEFAULT_COMMAND_LIMITS } from '../command-limits.ts'
import { WorkspaceQuota } from './workspace-quota.ts'

let workspace: string
beforeEach(() => (workspace = mkdtempSync(join(tmpdir(), 'factotum-quota-'))))
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

/** A minute passes between any two reads of the clock, so that every check measures. */
function newQuota(limits: { workspaceBytes?: number; workspaceFileCount?: number }): WorkspaceQuota {
  let nowMs = 0
  return new WorkspaceQuota(
    { ...DEFAULT_COMMAND_LIMITS, ...limits },
    { ...systemClock, monotonicMs: () => (nowMs += 60_000) },
  )
}

test('a workspace is over its limit until files are deleted', async () => {
  const quota = newQuota({ workspaceBytes: 1_000_000 })
  expect(await quota.check(workspace)).toBe(false)
  mkdirSync(join(workspace, 'sub'))
  writeFileSync(join(workspace, 'sub/large'), Buffer.alloc(2_000_000, 1))
  expect(await quota.check(workspace)).toBe(true)
  expect(quota.isOver(workspace)).toBe(true)
  rmSync(join(workspace, 'sub/large'))
  expect(await quota.check(workspace)).toBe(false)
  expect(quota.isOver(workspace)).toBe(false)
})

test('empty files count too', async () => {
  const quota = newQuota({ workspaceFileCount: 50 })
  for (let index = 0; index < 60; index++) writeFileSync(join(workspace, String(index)), '')
  expect(await quota.check(workspace)).toBe(true)
})

test('a closed folder hides nothing', async () => {
  const quota = newQuota({ workspaceBytes: 1_000_000 })
  mkdirSync(join(workspace, 'closed'))
  writeFileSync(join(workspace, 'closed/large'), Buffer.alloc(2_000_000, 1))
  chmodSync(join(workspace, 'closed'), 0)
  expect(await quota.check(workspace)).toBe(true)
})

test('a workspace that is gone cannot be measured', async () => {
  await expect(newQuota({}).check(join(workspace, 'gone'))).rejects.toThrow('ENOENT')
})
