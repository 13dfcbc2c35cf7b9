/**
 * The server process of the embedded PostgreSQL: finding a running one, launching one, ending it. It runs detached, so
 * it outlives a killed Factotum process, finishes what it was writing, and is adopted by the next one. PostgreSQL
 * itself sees to it that a data directory has one server only (postmaster.pid); a second launch just exits.
 */
import { spawn } from 'node:child_process'
import { open, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { AppError } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { Cluster } from './postgres-cluster.ts'
import { isServerOf } from './postmaster-identity.ts'
import { isAlive, programOptions, runPostgresProgram } from './postgres-program.ts'
import { readIfThere } from './read-if-there.ts'

export const LOOPBACK = '127.0.0.1'

export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** `ready`: it accepts connections. */
  readonly state: 'starting' | 'ready' | 'stopping'
  /** When it began, by its own clock, in seconds since 1970. */
  readonly startedAtS: number
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
  wal_compression: 'pglz', // whole pages, as they follow each checkpoint, in a quarter of their bytes
  max_wal_size: '512MB', // bounds the log on disk and the time of a recovery
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The server's own messages only. Errors of statements reach their sender, and statements hold what people wrote.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
}

const STOP_TIMEOUT_S = 20
const EXIT_POLL_MS = 10
const MAX_LOG_BYTES = 4 << 20
const KEPT_LOG_BYTES = 1 << 20
const QUOTED_LOG_CHARACTERS = 2000

/**
 * What postmaster.pid says, if a process of that number lives (it may be a stranger's, see `postmaster-identity.ts`).
 */
export async function readPostmaster(cluster: Cluster): Promise<Postmaster | null> {
  const lines = ((await readIfThere(pidFile(cluster))) ?? '').split('\n')
  const pid = Number(lines[0])
  if (!(pid > 0) || !isAlive(pid)) return null
  const status = lines[7]?.trim()
  const state = status === 'ready' || status === 'stopping' ? status : 'starting'
  return { pid, port: Number(lines[3]), state, startedAtS: Number(lines[2]) }
}

/**
 * Removes a postmaster.pid that names a stranger (`postmaster-identity.ts`), for fear of whom PostgreSQL would not
 * start.
 */
export async function forgetStranger(cluster: Cluster, { pid }: Postmaster): Promise<void> {
  // Another process may have started a server meanwhile, whose file this is then.
  const now = await readPostmaster(cluster)
  if (now?.pid === pid) await rm(pidFile(cluster), { force: true })
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
      log: async () => failure ?? (await readEnd(cluster.log, start)).toString().slice(-QUOTED_LOG_CHARACTERS).trim(),
    }
  } finally {
    await log.close()
  }
}

/**
 * Ends the server: connections are cut, what is committed is on disk, and its process is gone. `pg_ctl` runs as the
 * server's account, so that no number in a file can make root signal a stranger. Throws DATABASE_UNAVAILABLE when the
 * server does not end.
 */
export async function endServer(
  cluster: Cluster,
  postmaster: Postmaster,
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>,
): Promise<void> {
  await stopServer(cluster, postmaster.pid)
  // The last thing that a server does with its files is to remove postmaster.pid, which is what `pg_ctl` waits for.
  const deadline = clock.monotonicMs() + STOP_TIMEOUT_S * 1000
  while ((await isServerOf(cluster, postmaster)) && clock.monotonicMs() < deadline) await clock.sleep(EXIT_POLL_MS)
}

async function stopServer(cluster: Cluster, pid: number): Promise<void> {
  const waiting = ['-w', '-t', String(STOP_TIMEOUT_S)]
  // `pg_ctl` also waits for a server that another process has started meanwhile; that one is not to be ended.
  const hasEnded = async (): Promise<boolean> => (await readPostmaster(cluster))?.pid !== pid
  const result = await runPgCtl(cluster, ['stop', '-m', 'fast', ...waiting])
  if (result.code === 0 || (await hasEnded())) return
  // the next start recovers from the write-ahead log
  const forced = await runPgCtl(cluster, ['stop', '-m', 'immediate', ...waiting])
  if (forced.code === 0 || (await hasEnded())) return
  throw new AppError('DATABASE_UNAVAILABLE', `The embedded PostgreSQL did not stop: ${forced.output}`)
}

/**
 * Has a server that is stopping cut its clients' connections instead of waiting for them. Returns at once; on repeat
 * nothing changes.
 */
export async function hurryStop(cluster: Cluster): Promise<void> {
  await runPgCtl(cluster, ['stop', '-m', 'fast', '-W'])
}

function runPgCtl(
  { binaries, data, directory, account }: Cluster,
  args: readonly string[],
): ReturnType<typeof runPostgresProgram> {
  return runPostgresProgram(binaries.pgCtl, [...args, '-D', data], { cwd: directory, account })
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
 * Cuts a grown server.log to its end. The server appends, so it goes on at the new end; a line written in this very
 * moment may be lost.
 */
export async function boundLog(file: string): Promise<void> {
  const size = (await stat(file).catch(() => null))?.size ?? 0
  if (size <= MAX_LOG_BYTES) return
  const kept = await readEnd(file, 0)
  const handle = await open(file, 'a')
  try {
    await handle.truncate(0)
    await handle.writeFile(kept)
  } finally {
    await handle.close()
  }
}

/** Of what stands in the file from `start` on, which may be more than fits into memory, the last KEPT_LOG_BYTES. */
async function readEnd(file: string, start: number): Promise<Buffer> {
  await using handle = await open(file)
  const { size } = await handle.stat()
  const position = Math.max(start, size - KEPT_LOG_BYTES)
  if (position >= size) return Buffer.alloc(0)
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(size - position), position })
  return buffer.subarray(0, bytesRead)
}

function pidFile(cluster: Cluster): string {
  return join(cluster.data, 'postmaster.pid')
}
