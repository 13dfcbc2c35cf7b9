/**
 * The server process of the embedded PostgreSQL: finding a running one, launching one, ending it. It runs detached, so it
 * outlives a killed Factotum process, finishes what it was writing, and is adopted by the next one.
 * PostgreSQL itself sees to it that a data directory has one server only (postmaster.pid); a second launch just exits.
 */
import { spawn } from 'node:child_process'
import { open, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { AppError } from '../core/errors.ts'
import { hasCode } from './error-code.ts'
import type { Cluster } from './postgres-cluster.ts'
import { isAlive, programOptions, runProgram } from './postgres-program.ts'
import { readIfThere } from './read-if-there.ts'

export const LOOPBACK = '127.0.0.1'

export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** It accepts connections; else it is still starting or already stopping. */
  readonly ready: boolean
}

/** A server that this process launched. */
export interface Launched {
  /** Undefined when the program could not be started. */
  readonly pid: number | undefined
  hasEnded(): boolean
  /** The end of what it has written to its log since, for an error message. */
  log(): Promise<string>
}

/** Server settings for one user's machine; each differs from PostgreSQL's default or must not be changed. */
const SETTINGS: Readonly<Record<string, string>> = {
  cluster_name: 'factotum', // the name in `ps`
  listen_addresses: LOOPBACK, // never reachable from elsewhere
  unix_socket_directories: '', // socket paths are limited to 107 bytes; one way in is enough
  fsync: 'on', // accepted means committed means on disk, also when the machine loses power
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_connections: '100',
  shared_buffers: '128MB', // taken only as it is used
  io_method: 'sync', // all reads are small: no pool of worker processes for them
  max_parallel_workers_per_gather: '0', // short queries gain nothing, and containers have little /dev/shm
  jit: 'off', // compiling a query takes longer than running ours
  wal_level: 'minimal', // nothing replicates from here
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  max_wal_size: '512MB', // bounds the log on disk and the time of a recovery
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The server's own news only. What goes wrong with a statement reaches its sender, and statements hold what people wrote.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
}

const STOP_TIMEOUT_S = 20
const MAX_LOG_BYTES = 4 << 20
const KEPT_LOG_BYTES = 1 << 20
const QUOTED_LOG_CHARACTERS = 2000

/** What postmaster.pid says, if that process lives. */
export async function readPostmaster(cluster: Cluster): Promise<Postmaster | null> {
  const lines = ((await readIfThere(pidFile(cluster))) ?? '').split('\n')
  const pid = Number(lines[0])
  if (!(pid > 0) || !isAlive(pid)) return null
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
}

/**
 * After a power cut the number in postmaster.pid may have gone to some other program, and PostgreSQL refuses to start for
 * fear of a second server. A program whose command line does not name postgres is none.
 */
export async function forgetStranger(cluster: Cluster, { pid }: Postmaster): Promise<void> {
  if (!/postgres/.test(await commandLine(pid))) await rm(pidFile(cluster), { force: true })
}

/** Starts a server on this port. Whether it comes up is read from postmaster.pid. */
export async function launch(
  cluster: Cluster,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<Launched> {
  await boundLog(cluster.log)
  const log = await open(cluster.log, 'a', 0o600)
  try {
    const start = (await log.stat()).size
    const flags = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const child = spawn(cluster.binaries.postgres, ['-D', cluster.data, '-p', String(port), ...flags], {
      ...programOptions({ cwd: cluster.directory, account: cluster.account }),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    let failure: string | null = null
    child.on('error', (error) => (failure = error.message))
    child.unref()
    return {
      pid: child.pid,
      hasEnded: () => failure !== null || child.exitCode !== null || child.signalCode !== null,
      log: async () => failure ?? (await readFrom(cluster.log, start)).slice(-QUOTED_LOG_CHARACTERS).trim(),
    }
  } finally {
    await log.close()
  }
}

/**
 * Ends the server: connections are cut, what is committed is on disk. `pg_ctl` runs as the server's account, so that no
 * number in a file can make root signal a stranger. Throws DATABASE_UNAVAILABLE when the server does not end.
 */
export async function endServer(cluster: Cluster): Promise<void> {
  const stop = (mode: 'fast' | 'immediate'): ReturnType<typeof runProgram> =>
    runProgram(cluster.binaries.pgCtl, ['stop', '-D', cluster.data, '-m', mode, '-w', '-t', String(STOP_TIMEOUT_S)], {
      cwd: cluster.directory,
      account: cluster.account,
    })
  const result = await stop('fast')
  if (result.code === 0 || (await readPostmaster(cluster)) === null) return
  const forced = await stop('immediate') // the next start recovers from the write-ahead log
  if (forced.code === 0 || (await readPostmaster(cluster)) === null) return
  throw new AppError('DATABASE_UNAVAILABLE', `The embedded PostgreSQL did not stop: ${forced.output}`)
}

/** `wanted` if it is free, else any that is. */
export async function freePort(wanted: number | null): Promise<number> {
  const port = (wanted === null ? null : await tryPort(wanted)) ?? (await tryPort(0))
  if (port === null) throw new AppError('DATABASE_UNAVAILABLE', 'No port is free for the embedded PostgreSQL.')
  return port
}

/** The same port again. Throws DATABASE_UNAVAILABLE while another program has it. */
export async function requirePort(port: number): Promise<number> {
  if ((await tryPort(port)) !== null) return port
  throw new AppError('DATABASE_UNAVAILABLE', `Port ${port} of the embedded PostgreSQL is taken by another program.`, {
    retry: 'backoff',
  })
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(null))
    server.listen(port, LOOPBACK, () => {
      const address = server.address()
      server.close(() => resolve(address === null || typeof address === 'string' ? null : address.port))
    })
  })
}

/**
 * Cuts a grown server.log to its end. The server appends, so it goes on at the new end; a line written in this very moment
 * may be lost.
 */
export async function boundLog(file: string): Promise<void> {
  const size = (await stat(file).catch(() => null))?.size ?? 0
  if (size <= MAX_LOG_BYTES) return
  const kept = await readFrom(file, size - KEPT_LOG_BYTES)
  const handle = await open(file, 'a')
  try {
    await handle.truncate(0)
    await handle.writeFile(kept)
  } finally {
    await handle.close()
  }
}

async function readFrom(file: string, start: number): Promise<string> {
  return (await readFile(file)).subarray(Math.max(0, start)).toString('utf8')
}

/** Empty for a process that has ended, but was not yet collected by its parent. */
async function commandLine(pid: number): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/cmdline`, 'utf8')
  } catch (error) {
    if (process.platform === 'linux') return hasCode(error, 'ENOENT', 'ESRCH') ? '' : 'postgres (unreadable)'
    return (await runProgram('/bin/ps', ['-o', 'command=', '-p', String(pid)], { cwd: '/', account: null })).output
  }
}

function pidFile(cluster: Cluster): string {
  return join(cluster.data, 'postmaster.pid')
}
