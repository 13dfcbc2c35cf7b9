/** Which commit this build is of: written into a release when it is made, asked of git in a checkout. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { packageFile } from './package-file.ts'

/** Below the package; `scripts/build.ts` writes it. */
const COMMIT_FILE = 'dist/commit'

/** Null: neither is there. */
export async function commitOfBuild(): Promise<string | null> {
  try {
    return (await readFile(packageFile(COMMIT_FILE), 'utf8')).trim()
  } catch {
    return askGit()
  }
}

async function askGit(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: packageFile('.') })
    return stdout.trim()
  } catch {
    return null // no git, or a copy without its history
  }
}
