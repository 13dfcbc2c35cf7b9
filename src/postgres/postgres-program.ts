/**
 * Running PostgreSQL's programs: never as root, and never with our environment, which holds secrets and PG… variables.
 */
import { spawn } from 'node:child_process'
import { hasCode } from '../platform/error-code.ts'
import type { Account } from '../config/home/unprivileged-account.ts'

export interface ProgramOptions {
  /** Must be a directory that `account` can enter. */
  readonly cwd: string
  /** Null: ourselves. */
  readonly account: Account | null
}

export interface ProgramResult {
  /** Null when the program could not be started or a signal ended it. */
  readonly code: number | null
  readonly output: string
}

/** Runs a program to its end. What goes wrong stands in the result; it never rejects. */
export function runPostgresProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    let output = ''
    const child = spawn(program, args, { ...programOptions(options), stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    child.stderr.on('data', (chunk) => (output += String(chunk)))
    child.on('error', (error) => resolve({ code: null, output: error.message }))
    child.on('close', (code) => resolve({ code, output: output.trim() }))
  })
}

/** For `spawn`: drops root's rights and groups in the child, and gives it an environment of its own. */
export function programOptions({ cwd, account }: ProgramOptions): {
  cwd: string
  env: Record<string, string>
  uid?: number
  gid?: number
} {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  return account === null ? { cwd, env } : { cwd, env, uid: account.uid, gid: account.gid }
}

/** Whether a process with this id exists, also one of another user (EPERM). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}
