/** A FACTOTUM_HOME whose disk fills up or is mounted read-only while the server runs. A real disk: a tmpfs of 1 MiB. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { createLogger } from '../../platform/logger.ts'
import { HomeWatch } from './home-watch.ts'
import { TIMING } from '../timing.ts'

const home = mkdtempSync(join(tmpdir(), 'factotum-disk-'))
const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', home])
const logger = createLogger({ level: 'silent', pretty: false })
const mayMount = mount.status === 0

describe.skipIf(!mayMount)(`a home on a disk of its own${mayMount ? '' : ' (skipped: may not mount one)'}`, () => {
  let watch: HomeWatch

  beforeAll(async () => {
    watch = await HomeWatch.start({ home, timing: TIMING, clock: systemClock, logger })
  })

  afterAll(async () => {
    await watch.stop()
    execFileSync('umount', [home])
  })

  test('is full, and has space again', async () => {
    const filler = join(home, 'filler')
    expect(() => writeFileSync(filler, Buffer.alloc(2 << 20))).toThrow('ENOSPC')
    await expect.poll(() => watch.problem).toBe(`the disk of ${home} is full`)
    rmSync(filler)
    await expect.poll(() => watch.problem).toBeNull()
  })

  test('has no place for further files, though there is space', async () => {
    execFileSync('mount', ['-o', 'remount,nr_inodes=4', home])
    try {
      for (const name of ['a', 'b', 'c']) writeFileSync(join(home, name), '')
      await expect.poll(() => watch.problem).toBe(`the disk of ${home} can hold no further files (df -i)`)
      rmSync(join(home, 'a'))
      await expect.poll(() => watch.problem).toBeNull()
    } finally {
      for (const name of ['a', 'b', 'c']) rmSync(join(home, name), { force: true })
      execFileSync('mount', ['-o', 'remount,nr_inodes=1000', home])
    }
  })

  test('has workspaces on another disk, which is full, or not mounted any more', async () => {
    const sessions = join(home, 'sessions')
    mkdirSync(sessions)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', sessions])
    const both = await HomeWatch.start({ home, timing: TIMING, clock: systemClock, logger })
    try {
      expect(() => writeFileSync(join(sessions, 'filler'), Buffer.alloc(2 << 20))).toThrow('ENOSPC')
      await expect.poll(() => both.problem).toBe(`the disk of ${sessions} is full`)
      rmSync(join(sessions, 'filler'))
      await expect.poll(() => both.problem).toBeNull()
      execFileSync('umount', [sessions])
      await expect.poll(() => both.problem).toBe(`${sessions} is another folder than when the server started`)
    } finally {
      await both.stop()
      spawnSync('umount', [sessions])
    }
  })

  test('is mounted read-only, and takes files again', async () => {
    execFileSync('mount', ['-o', 'remount,ro', home])
    await expect.poll(() => watch.problem).toBe(`${home} is mounted read-only`)
    execFileSync('mount', ['-o', 'remount,rw', home])
    await expect.poll(() => watch.problem).toBeNull()
  })
})

afterAll(() => rmSync(home, { recursive: true }))
