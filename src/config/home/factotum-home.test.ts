import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AppError } from '../../core/errors.ts'
import { defaultHome, homeOfWorkspace, prepareHome } from './factotum-home.ts'

const account = { name: 'stranger', uid: 54_321, gid: 54_321 }

let root: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'home-')))
  chmodSync(root, 0o755)
})

afterEach(() => rmSync(root, { recursive: true }))

const modeOf = (path: string): number => statSync(path).mode & 0o777

function refusal(action: () => unknown): AppError {
  try {
    action()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('was not refused')
}

describe('defaultHome', () => {
  test('is .factotum in the working directory', () => {
    expect(defaultHome({ cwd: root, account: null })).toBe(join(root, '.factotum'))
    expect(defaultHome({ cwd: root, account })).toBe(join(root, '.factotum'))
  })

  test('is the same place under /var/lib each time where the account cannot follow root', () => {
    chmodSync(root, 0o700)
    const home = defaultHome({ cwd: root, account })
    expect(home).toMatch(/^\/var\/lib\/factotum\/home-\w+-[0-9a-f]{8}$/)
    expect(defaultHome({ cwd: root, account })).toBe(home)
    mkdirSync(join(root, 'other'))
    expect(defaultHome({ cwd: join(root, 'other'), account })).not.toBe(home)
  })
})

describe('prepareHome', () => {
  test('creates what is missing so that the account can pass, whatever the umask', () => {
    const before = process.umask(0o077)
    try {
      const home = prepareHome({ home: join(root, 'a', 'b'), account })
      expect(home).toBe(join(root, 'a', 'b'))
      expect([modeOf(join(root, 'a')), modeOf(home)]).toEqual([0o711, 0o711])
    } finally {
      process.umask(before)
    }
  })

  test('opens an empty directory, which hides nothing', () => {
    const home = mkdtempSync(join(root, 'empty-'))
    expect(prepareHome({ home, account })).toBe(home)
    expect(modeOf(home)).toBe(0o711)
  })

  test('leaves a closed directory with something in it closed, and says what to do', () => {
    const home = mkdtempSync(join(root, 'full-'))
    writeFileSync(join(home, '.env'), 'KEY=secret')
    const error = refusal(() => prepareHome({ home, account }))
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toContain(`chmod o+x ${home}`)
    expect(modeOf(home)).toBe(0o700)
  })

  test('creates nothing behind a closed directory, and names that one', () => {
    const closed = mkdtempSync(join(root, 'closed-'))
    const error = refusal(() => prepareHome({ home: join(closed, 'a', 'b'), account }))
    expect(error.message).toContain(`chmod o+x ${closed}`)
    expect(statSync(join(closed, 'a'), { throwIfNoEntry: false })).toBeUndefined()
  })

  test('asks nothing of a process that is not root', () => {
    const home = mkdtempSync(join(root, 'own-'))
    expect(prepareHome({ home, account: null })).toBe(home)
    expect(modeOf(home)).toBe(0o700)
  })

  test('says what is wrong with a path that cannot be a directory', () => {
    writeFileSync(join(root, 'file'), '')
    const error = refusal(() => prepareHome({ home: join(root, 'file', 'home'), account: null }))
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toContain('Set FACTOTUM_HOME')
  })
})

describe('homeOfWorkspace', () => {
  test('is the home of the server whose workspace it is, also from deep inside, and of nothing else', () => {
    const home = mkdtempSync(join(root, 'home-'))
    const inside = join(home, 'sessions', 'cli-x', 'src', 'sessions', 'y')
    mkdirSync(inside, { recursive: true })
    expect(homeOfWorkspace(inside)).toBeNull()
    writeFileSync(join(home, 'config.toml'), '')
    writeFileSync(join(home, 'sessions', 'cli-x', 'src', 'config.toml'), '')
    expect(homeOfWorkspace(inside)).toBe(home)
    expect(homeOfWorkspace(join(home, 'sessions', 'cli-x'))).toBe(home)
    expect(homeOfWorkspace(join(home, 'sessions'))).toBeNull()
    expect(homeOfWorkspace(root)).toBeNull()
  })
})
