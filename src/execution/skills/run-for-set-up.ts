/** Runs a program for the installation of a skill (git, python, bash), in the admin's own environment, to its end. */
import { spawn } from 'node:child_process'
import { AppError, messageOf } from '../../core/errors.ts'

/**
 * Where and with which variables a tool runs; `cwd` is absolute. There is no time limit: the admin who watches can end
 * it.
 */
export interface SetUpEnvironment {
  readonly cwd: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What the program prints, as it comes; absent: only shown when it fails. */
  readonly onOutput?: ((text: string) => void) | undefined
}

/** Of a program that failed, the end of what it said. */
const MAX_SHOWN_CHARS = 2_000

/** Resolves with what it printed. Rejects with an AppError that shows its last words when it fails or is not there. */
export function runForSetUp(file: string, args: readonly string[], options: SetUpEnvironment): Promise<string> {
  const { cwd, environment, onOutput } = options
  const shown = [file, ...args].join(' ')
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    const keep = (chunk: Buffer): void => {
      printed += chunk.toString()
      onOutput?.(chunk.toString())
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.once('error', (error) => reject(failure(`${file} cannot be run: ${messageOf(error)}`)))
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(printed)
      reject(
        failure(`"${shown}" failed (${signal ?? `exit code ${code}`}).\n${printed.trim().slice(-MAX_SHOWN_CHARS)}`),
      )
    })
  })
}

function failure(message: string): AppError {
  return new AppError('SKILL_REFUSED', message.trim())
}
