/** Runs command lines in a real bash, each in a folder of its own, with a `curl` on the PATH that leaves a mark. */
import { spawn } from 'node:child_process'
import { accessSync, chmodSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const FOLDERS = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']
/** A line that has run curl may wait for input that never comes. */
const TIMEOUT_MS = 10_000

/** The lines of which something ran curl. */
export async function runAll(lines: readonly string[]): Promise<ReadonlySet<string>> {
  const ran = new Set<string>()
  const queue = lines.values()
  const work = async (): Promise<void> => {
    for (const line of queue) if (await runsCurl(line)) ran.add(line)
  }
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, work))
  return ran
}

async function runsCurl(line: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'factotum-curl-'))
  try {
    const mark = join(folder, 'curl-ran')
    const work = join(folder, 'work')
    mkdirSync(join(work, 'bin'), { recursive: true })
    writeFileSync(join(work, 'bin', 'x.js'), '')
    writeFileSync(join(work, 'bin', 'curl'), `#!/bin/sh\necho ran >> ${mark}\n`)
    chmodSync(join(work, 'bin', 'curl'), 0o755)
    await runLine(line, work)
    return existsSync(mark)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runLine(line: string, work: string): Promise<void> {
  const env = { PATH: [join(work, 'bin'), ...FOLDERS].join(':'), HOME: work, LANG: 'C.UTF-8', TERM: 'dumb' }
  return new Promise((resolve, reject) => {
    const bash = spawn('/bin/bash', ['--norc', '-c', line], {
      cwd: work,
      env,
      stdio: 'ignore',
      detached: true,
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    bash.once('exit', () => resolve())
    bash.once('error', reject)
  })
}

export function isExecutable(tool: string): boolean {
  return FOLDERS.some((folder) => {
    try {
      accessSync(join(folder, tool), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
