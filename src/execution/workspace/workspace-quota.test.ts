import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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

test('what a measurement that began earlier has seen does not count once a later one is known', async () => {
  const times = [2, 1]
  const clock = { ...systemClock, monotonicMs: () => times.shift() ?? 3 }
  const quota = new WorkspaceQuota({ ...DEFAULT_COMMAND_LIMITS, workspaceBytes: 1_000_000 }, clock)
  await quota.measureNow(workspace)
  writeFileSync(join(workspace, 'large'), Buffer.alloc(2_000_000, 1))
  await quota.measureNow(workspace)
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

test('nor do so many that `du` has a megabyte to say of them', async () => {
  const isOver = await asUser(() => {
    const deep = join(workspace, ...Array.from({ length: 14 }, () => 'x'.repeat(250)))
    mkdirSync(deep, { recursive: true })
    for (let index = 0; index < 400; index++) mkdirSync(join(deep, String(index)), { mode: 0 })
    return newQuota({ workspaceFileCount: 300 }).check(workspace)
  })
  expect(isOver).toBe(true)
})

/** To root no folder is closed. */
async function asUser<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return work()
  chownSync(workspace, 65_533, 65_533)
  process.seteuid?.(65_533)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}

test('a workspace that is gone cannot be measured', async () => {
  await expect(newQuota({}).check(join(workspace, 'gone'))).rejects.toThrow('ENOENT')
})
