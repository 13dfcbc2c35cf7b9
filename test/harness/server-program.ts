/**
 * The server as a release has it, for tests that start it as a process: a few files instead of a thousand, which Node
 * loads for half the CPU. Made anew when a source has changed, and kept for the next run.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasCode } from '../../src/platform/error-code.ts'
import { bundleServer } from '../../scripts/bundle.ts'

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))
const BUNDLES = join(CHECKOUT, 'node_modules/.cache/factotum-server')
const SOURCES = ['package-lock.json', 'scripts/bundle.ts', 'test/harness/server-program.ts', 'src/**/*.ts']
const KEPT_MS = 24 * 3_600_000

let made: Promise<string> | null = null

/** The file to run with Node 24, in place of `src/main.ts`. */
export function serverProgram(): Promise<string> {
  return (made ??= make())
}

async function make(): Promise<string> {
  const folder = join(BUNDLES, await digestOfSources())
  if (!existsSync(folder)) {
    await removeOld()
    const own = `${folder}.${process.pid}`
    await bundleServer(own, 'mjs')
    // Another worker may have been faster.
    await rename(own, folder).catch(async (error: unknown) => {
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
      await rm(own, { recursive: true })
    })
  }
  return join(folder, 'cli.mjs')
}

async function digestOfSources(): Promise<string> {
  const files = await Array.fromAsync(glob(SOURCES, { cwd: CHECKOUT, exclude: ['**/*.test.ts'] }))
  // A copy of the checkout shares the folder; its bundle would name a console that is gone with the copy.
  const hash = createHash('sha256').update(CHECKOUT)
  for (const file of files.toSorted()) hash.update(file).update(await readFile(join(CHECKOUT, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Not those of a minute ago: another run may use them. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(BUNDLES).catch(() => [])) {
    const folder = join(BUNDLES, name)
    const { mtimeMs } = await stat(folder)
    if (Date.now() - mtimeMs > KEPT_MS) await rm(folder, { recursive: true, force: true })
  }
}
