/**
 * The peers' packages, in bench/peers/node_modules, which git does not know: they are no dependencies of this project.
 * Installed from the registry as package-lock.json beside this file pins them, when it has changed since the last time.
 */
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const INSTALLED = `${FOLDER}node_modules/.installed-by-bench`
const TIMEOUT_MS = 20 * 60_000

/** Rejects with what to do when the registry is not reached. */
export async function installPeers(): Promise<void> {
  const lock = readFileSync(`${FOLDER}package-lock.json`, 'utf8')
  if (readIfThere(INSTALLED) === lock) return
  console.error('installing the peers from the registry (350 MB, some minutes) …')
  try {
    // No script of theirs is run.
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: FOLDER,
      timeout: TIMEOUT_MS,
    })
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    throw new Error(
      `the peers were not installed:\n${said.slice(0, 2000)}\n` +
        'They come from the npm registry: `npm ping` says whether it is reached, `npm config set registry` chooses ' +
        'another one. Or run this where it is reached, and copy bench/peers/node_modules from there.',
      { cause: error },
    )
  }
  writeFileSync(INSTALLED, lock)
}

export function removePeers(): void {
  rmSync(`${FOLDER}node_modules`, { recursive: true, force: true })
}

/** "name version" of what is installed. */
export function versionOf(packageName: string): string {
  const { version } = JSON.parse(readFileSync(`${FOLDER}node_modules/${packageName}/package.json`, 'utf8')) as {
    readonly version: string
  }
  return `${packageName} ${version}`
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null // nothing was installed yet
  }
}
