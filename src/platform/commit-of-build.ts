/** Which commit this build is of: written into a release when it is made, asked of git in a checkout. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { packageFile } from './package-file.ts'

/** Below the package; `scripts/write-commit.ts` writes it. */
const COMMIT_FILE = 'dist/commit'

let found: Promise<string | null> | null = null

/** Null: neither is there. What was built in a checkout is older than the checkout. Looked up once in a process. */
export function commitOfBuild(): Promise<string | null> {
  return (found ??= find())
}

async function find(): Promise<string | null> {
  if (existsSync(packageFile('.git'))) return askGit()
  try {
    return (await readFile(packageFile(COMMIT_FILE), 'utf8')).trim()
  } catch {
    return null
  }
}

async function askGit(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: packageFile('.') })
    return stdout.trim()
  } catch {
    return null // no git
  }
}
