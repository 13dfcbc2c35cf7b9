import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isUsedByOthers } from './use-marks.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'factotum-marks-'))
})
afterEach(() => rm(directory, { recursive: true }))

test('a process that has marked its use uses it until it ends', async () => {
  const module = new URL('use-marks.ts', import.meta.url).href
  const program = `const { markUse } = await import('${module}'); markUse('${directory}'); console.log('marked'); process.stdin.resume()`
  const other = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(other.stdout, 'data')
  expect(isUsedByOthers(directory)).toBe(true)
  other.kill('SIGKILL')
  await once(other, 'close')
  expect(isUsedByOthers(directory)).toBe(false)
  expect(readdirSync(directory)).toEqual([])
})

test.runIf(process.platform === 'linux')('a mark whose number another process has now counts for nothing', () => {
  writeFileSync(join(directory, `used-by-${process.ppid}`), '1')
  expect(isUsedByOthers(directory)).toBe(false)
  expect(readdirSync(directory)).toEqual([])
})

test('a mark that says no more than the number counts while a process has it', () => {
  writeFileSync(join(directory, `used-by-${process.ppid}`), '')
  expect(isUsedByOthers(directory)).toBe(true)
})
