import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { findDropAccount } from '../sandbox/drop-account.ts'
import { prepareWorkspace, removeWorkspace, workspaceName, workspacePath } from './workspace.ts'

const sessionId = fc.stringMatching(/^[a-zA-Z0-9_@.:-]{1,255}$/)

describe('workspaceName', () => {
  test('is a plain folder name for any session id', () => {
    fc.assert(
      fc.property(fc.oneof(sessionId, fc.constantFrom('.', '..', '-', ':', '@', '-rf', 'a'.repeat(255))), (id) => {
        expect(workspaceName(id)).toMatch(/^[a-z0-9_][a-z0-9_-]{0,99}$/)
      }),
    )
  })

  test('is another one for another id, also where the file system ignores case', () => {
    fc.assert(
      fc.property(sessionId, sessionId, (one, other) => {
        for (const [a, b] of [
          [one, other],
          [one, one.toUpperCase()],
          [one, `${one}.`],
          [one, one.replaceAll(':', '-')],
        ] as const) {
          expect(workspaceName(a).toLowerCase() === workspaceName(b).toLowerCase()).toBe(a === b)
        }
      }),
    )
  })

  test('begins with what one can read of the id', () => {
    expect(workspaceName('telegram:2026-11-21-X')).toMatch(/^telegram-2026-11-21-x-[0-9a-f]{32}$/)
  })
})

describe('a workspace', () => {
  let home: string
  let path: string
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'factotum-workspace-'))
    path = workspacePath(home, 'cli:test')
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  test.each([['022', 0o022] as const, ['077', 0o077] as const])(
    "is its owner's, in a folder that others can cross but not list: umask %s",
    async (_octal, umask) => {
      const before = process.umask(umask)
      onTestFinished(() => void process.umask(before))
      await prepareWorkspace(path, null)
      expect(lstatSync(path).mode & 0o777).toBe(0o700)
      expect(lstatSync(join(path, '..')).mode & 0o077).toBe(0o011)
      writeFileSync(join(path, 'kept'), '')
      await prepareWorkspace(path, null)
      expect(existsSync(join(path, 'kept'))).toBe(true)
    },
  )

  test('is refused when something else stands in its place', async () => {
    mkdirSync(join(path, '..'), { recursive: true })
    symlinkSync('/tmp', path)
    await expect(prepareWorkspace(path, null)).rejects.toThrow('is not a folder')
  })

  test('is removed with read-only folders, very deep ones and links out of it, whose targets stay', async () => {
    await prepareWorkspace(path, null)
    const outside = join(home, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'kept'), '')
    symlinkSync(outside, join(path, 'link'))
    const deep = `mkdir -p locked/inner && touch locked/inner/file
      for i in 1 2 3 4 5 6; do mkdir -p ${'long-name-of-a-folder/'.repeat(50)} && cd ${'long-name-of-a-folder/'.repeat(50)}; done`
    execFileSync('bash', ['--norc', '-c', deep], { cwd: path })
    chmodSync(join(path, 'locked/inner'), 0o500)
    chmodSync(join(path, 'locked'), 0)
    await removeWorkspace(path)
    expect(existsSync(path)).toBe(false)
    expect(existsSync(join(outside, 'kept'))).toBe(true)
    await removeWorkspace(path)
  })

  const account = findDropAccount()
  const why = account === null ? ' [SKIPPED: run the tests as root]' : ''
  describe.skipIf(account === null)(`of a server that runs as root${why}`, () => {
    test('changes its owner with the role of the next command, but not the owner of files that have another name', async () => {
      const outside = join(home, 'outside')
      writeFileSync(outside, 'precious')
      await prepareWorkspace(path, null)
      mkdirSync(join(path, 'folder'))
      writeFileSync(join(path, 'folder/file'), '')
      symlinkSync(outside, join(path, 'symlink'))
      linkSync(outside, join(path, 'hard-link'))
      await prepareWorkspace(path, account)
      expect([path, join(path, 'folder'), join(path, 'folder/file')].map((at) => lstatSync(at).uid)).toEqual(
        Array.from({ length: 3 }, () => account?.uid),
      )
      expect(lstatSync(outside).uid).toBe(0)
      await prepareWorkspace(path, null)
      expect(lstatSync(join(path, 'folder/file')).uid).toBe(0)
      expect(readFileSync(outside, 'utf8')).toBe('precious')
    })
  })
})
