/** What users' commands change in their workspaces while a backup reads them. */
import { execFile, execFileSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readHomeFiles } from '../../src/transfer/backup/home-files.ts'
import { Names } from '../../src/transfer/backup/left-out.ts'
import { UnpackedHome } from '../../src/transfer/backup/unpacked-home.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

const CANARY = 'what lies in another place'

/** Reads `sessions` of a home, and calls `swap` once the line of `sessions/s/<name>` is there. */
async function readSwapping(name: string, swap: (home: string, path: string) => Promise<void>): Promise<string> {
  await using home = await createTemporaryHome()
  const workspace = join(home.path, 'sessions', 's')
  await mkdir(join(workspace, 'folder'), { recursive: true })
  await writeFile(join(workspace, 'file'), 'x'.repeat(CANARY.length))
  await mkdir(join(home.path, 'elsewhere'))
  await writeFile(join(home.path, 'elsewhere', 'canary'), CANARY)
  const pieces: string[] = []
  for await (const piece of readHomeFiles({ home: home.path, folders: ['sessions'], leftOut: new Names() })) {
    pieces.push(piece.toString())
    if (piece.includes(`"sessions/s/${name}"`)) await swap(home.path, join(workspace, name))
  }
  return pieces.join('')
}

test('a file that becomes a link after its line is what it was', async () => {
  const read = await readSwapping('file', async (home, path) => {
    await rm(path)
    await symlink(join(home, 'elsewhere', 'canary'), path)
  })
  expect(read).toContain('x'.repeat(CANARY.length))
  expect(read).not.toContain(CANARY)
})

test('a folder that becomes a link after its line is not left through it', async () => {
  const read = await readSwapping('folder', async (home, path) => {
    await rename(path, `${path}-moved`)
    await symlink(join(home, 'elsewhere'), path)
  })
  expect(read).toContain('"sessions/s/folder"')
  expect(read).not.toContain(CANARY)
  expect(read).not.toContain('canary')
})

test('a file that becomes a pipe after its line is not waited for', async ({ onTestFinished }) => {
  const read = await readSwapping('file', async (_, path) => {
    await rm(path)
    execFileSync('mkfifo', [path])
    // A reader that waits for the pipe would keep the test from ending.
    onTestFinished(() => {
      try {
        closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK))
      } catch {
        // It is gone with its home.
      }
    })
  })
  expect(read).toContain('x'.repeat(CANARY.length))
})

test('a folder of the home that lies on another disk, by a link, is read like one of its own', async () => {
  await using home = await createTemporaryHome()
  await using disk = await createTemporaryHome()
  await mkdir(join(disk.path, 's'))
  await writeFile(join(disk.path, 's', 'file'), CANARY)
  await symlink(disk.path, join(home.path, 'sessions'))
  const pieces: string[] = []
  for await (const piece of readHomeFiles({ home: home.path, folders: ['sessions'], leftOut: new Names() }))
    pieces.push(piece.toString())
  expect(pieces.join('')).toContain('"folder":"sessions"')
  expect(pieces.join('')).toContain('"file":"sessions/s/file"')
  expect(pieces.join('')).toContain(CANARY)
})

test('a link in place of a folder of the home, as backups had it, is not restored: it leads to the files of another', async () => {
  await using home = await createTemporaryHome()
  await using other = await createTemporaryHome()
  const unpacked = await UnpackedHome.begin(home.path)
  const link = { link: 'sessions', to: other.path, uid: 0, gid: 0 }
  expect(await unpacked.write(link, (async function* () {})())).toBe(false)
  await unpacked.place()
  await unpacked.end()
  expect(await readdir(home.path)).toEqual([])
})

test('a file whose holes would take hours to read is left out', async () => {
  await using home = await createTemporaryHome()
  await mkdir(join(home.path, 'sessions'))
  await writeFile(join(home.path, 'sessions', 'large'), 'begins')
  await truncate(join(home.path, 'sessions', 'large'), 2 * 2 ** 40)
  const leftOut = new Names()
  for await (const piece of readHomeFiles({ home: home.path, folders: ['sessions'], leftOut }))
    expect(piece.toString()).toContain('"folder":"sessions"')
  expect(leftOut.describe()).toBe('1: "sessions/large"')
})

/** Reads a home as another user, and prints what it has left out. */
const READ = `
import { readHomeFiles } from '${import.meta.dirname}/../../src/transfer/backup/home-files.ts'
import { Names } from '${import.meta.dirname}/../../src/transfer/backup/left-out.ts'
const leftOut = new Names()
for await (const piece of readHomeFiles({ home: process.argv[2], folders: ['sessions'], leftOut })) void piece
console.log(leftOut.describe())
`

test.skipIf(process.getuid?.() !== 0)('what may not be opened is left out', async () => {
  await using home = await createTemporaryHome()
  const workspace = join(home.path, 'sessions', 's')
  await mkdir(join(workspace, 'folder'), { recursive: true, mode: 0o755 })
  await writeFile(join(workspace, 'file'), CANARY)
  await writeFile(join(home.path, 'read.ts'), READ)
  await chmod(home.path, 0o755)
  for (const name of ['file', 'folder']) await chmod(join(workspace, name), 0)
  const nobody = { uid: 65_534, gid: 65_534 }
  const { stdout } = await promisify(execFile)(process.execPath, [join(home.path, 'read.ts'), home.path], nobody)
  const [count, names = ''] = stdout.trim().split(': ')
  expect([count, names.split(', ').toSorted()]).toEqual(['2', ['"sessions/s/file"', '"sessions/s/folder"']])
})

test('a path of an older backup that is too long for this home is named, and none of its bytes is taken', async () => {
  await using home = await createTemporaryHome()
  const unpacked = await UnpackedHome.begin(home.path)
  const owned = { mode: 0o755, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  await unpacked.write({ folder: 'sessions', ...owned }, oneByte())
  const file = join('sessions', ...Array.from({ length: 21 }, () => 'd'.repeat(200)), 'file')
  const bytes = oneByte()
  expect(await unpacked.write({ file, bytes: 1, ...owned }, bytes)).toBe(false)
  expect(await bytes.next()).toEqual({ done: false, value: Buffer.from('x') })
  await unpacked.place()
  await unpacked.end()
  expect(await readdir(join(home.path, 'sessions'))).toEqual([])
})

async function* oneByte(): AsyncGenerator<Buffer, void, void> {
  yield Buffer.from('x')
}
