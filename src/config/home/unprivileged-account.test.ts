import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { canEnter, closedDirectory, unprivilegedAccount } from './unprivileged-account.ts'

const asRoot = process.getuid?.() === 0
const stranger = { name: 'stranger', uid: 54_321, gid: 54_321 }

let root: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'account-')))
  chmodSync(root, 0o755)
  mkdirSync(join(root, 'outer', 'inner'), { recursive: true, mode: 0o755 })
})

afterEach(() => rmSync(root, { recursive: true }))

test.skipIf(asRoot)('an account that is not root is kept', () => {
  expect(unprivilegedAccount()).toBeNull()
})

test.runIf(asRoot)('root becomes another account', () => {
  expect(unprivilegedAccount()?.uid).toBeGreaterThan(0)
})

test('we can always enter: the kernel decides, not we', () => {
  chmodSync(join(root, 'outer'), 0o700)
  expect(canEnter(null, join(root, 'outer', 'inner'))).toBe(true)
})

describe('a stranger', () => {
  test('enters where every directory on the way lets others pass', () => {
    expect(canEnter(stranger, join(root, 'outer', 'inner'))).toBe(true)
  })

  test('needs the right to pass, not to read', () => {
    chmodSync(join(root, 'outer'), 0o711)
    expect(canEnter(stranger, join(root, 'outer', 'inner'))).toBe(true)
    chmodSync(join(root, 'outer'), 0o744)
    expect(canEnter(stranger, join(root, 'outer', 'inner'))).toBe(false)
  })

  test('is told the outermost closed directory, which must be opened first', () => {
    chmodSync(join(root, 'outer', 'inner'), 0o700)
    expect(closedDirectory(stranger, join(root, 'outer', 'inner'))).toBe(join(root, 'outer', 'inner'))
    chmodSync(join(root, 'outer'), 0o700)
    expect(closedDirectory(stranger, join(root, 'outer', 'inner'))).toBe(join(root, 'outer'))
  })

  test('is judged by what exists of a path', () => {
    expect(canEnter(stranger, join(root, 'outer', 'not', 'yet'))).toBe(true)
    chmodSync(join(root, 'outer'), 0o700)
    expect(closedDirectory(stranger, join(root, 'outer', 'not', 'yet'))).toBe(join(root, 'outer'))
  })

  test('is judged by where a link leads', () => {
    chmodSync(join(root, 'outer'), 0o700)
    symlinkSync(join(root, 'outer'), join(root, 'link'))
    expect(closedDirectory(stranger, join(root, 'link', 'inner'))).toBe(join(root, 'outer'))
  })
})

describe.runIf(asRoot)('an owner', () => {
  test('is judged by the owner bits alone, a member by the group bits alone', () => {
    const outer = join(root, 'outer')
    chownSync(outer, stranger.uid, 0)
    chmodSync(outer, 0o100)
    expect(canEnter(stranger, outer)).toBe(true)
    chmodSync(outer, 0o011)
    expect(canEnter(stranger, outer)).toBe(false)
    chownSync(outer, 0, stranger.gid)
    chmodSync(outer, 0o010)
    expect(canEnter(stranger, outer)).toBe(true)
    chmodSync(outer, 0o001)
    expect(canEnter(stranger, outer)).toBe(false)
  })
})
