/** What users' commands change in their workspaces while a backup reads them. */
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readHomeFiles } from '../../src/transfer/backup/home-files.ts'
import { LeftOut } from '../../src/transfer/backup/left-out.ts'
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
  for await (const piece of readHomeFiles({ home: home.path, folders: ['sessions'], leftOut: new LeftOut() })) {
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
