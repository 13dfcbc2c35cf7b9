/** Starts `command-server.ts` for a test and reads its reports. */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { assert } from '../../src/platform/must.ts'
import type { Job, Report } from './command-server.ts'
import type { Account } from './outside-world.ts'

export interface ServerOptions {
  /** Who the server is; null: ourselves. */
  readonly account: Account | null
  /** The whole environment of the server. */
  readonly env?: Readonly<Record<string, string>>
  /** A file that the server has open, in a way that its children inherit. */
  readonly openFile?: string
}

export interface RunningServer {
  readonly process: ChildProcess
  readonly reports: AsyncIterable<Report>
}

const SCRIPT = fileURLToPath(new URL('command-server.ts', import.meta.url))

export function startCommandServer(
  job: Job,
  { account, env = {}, openFile = '/dev/null' }: ServerOptions,
): RunningServer {
  const fd = openSync(openFile, 'r')
  const child = spawn(process.execPath, [SCRIPT], {
    ...(account === null ? {} : { uid: account.uid, gid: account.gid }),
    env: { ...env },
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', fd],
  })
  closeSync(fd)
  const { stdin, stdout } = child
  assert(stdin !== null && stdout !== null, 'both are pipes')
  stdin.end(JSON.stringify(job))
  return { process: child, reports: readReports(createInterface({ input: stdout })) }
}

async function* readReports(lines: AsyncIterable<string>): AsyncGenerator<Report> {
  for await (const line of lines) yield JSON.parse(line) as Report
}
