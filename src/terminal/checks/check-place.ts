/** The machine around the server: the disk of its home, the port that it listens on, the proxy in its environment. */
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { findHomeDisks } from '../../config/home/home-disks.ts'
import { messageOf } from '../../core/errors.ts'
import { hasCode } from '../../platform/error-code.ts'
import { reaches } from '../../platform/reaches.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const MIB = 1024 * 1024
const DISK_FAIL_BYTES = 200 * MIB
const DISK_WARN_BYTES = 2048 * MIB
const FEWER_FILES = 'Remove files there, or move the home (FACTOTUM_HOME) to a disk that holds more.'
const PROBE_MS = 3000

/** Of the home, and of its workspaces where they have their own. `freeBytes`: for tests, in place of what they say. */
export async function checkDisks(home: string, freeBytes?: number): Promise<readonly Finding[]> {
  return await Promise.all((await findHomeDisks(home)).map(({ path }) => checkDisk(path, freeBytes)))
}

async function checkDisk(path: string, freeBytes: number | undefined): Promise<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(path)
  const free = freeBytes ?? bavail * bsize
  const says = `${Math.round(free / MIB)} MiB are free where ${path} is.`
  const fix = 'Make space, or move the home (FACTOTUM_HOME) to a larger disk.'
  // Some systems have no fixed number of inodes: `files` is 0 there.
  if (files > 0 && ffree === 0) return fail('disk', `No further files fit where ${path} is (df -i).`, FEWER_FILES)
  if (free < DISK_FAIL_BYTES) return fail('disk', says, fix)
  return free < DISK_WARN_BYTES ? warn('disk', says, fix) : ok('disk', says)
}

/** Whether the address can be listened on, or a Factotum does so already, there or at `address`. */
export async function checkPort(
  { host, port }: { readonly host: string; readonly port: number },
  address: string | null,
): Promise<Finding> {
  if (address !== null && (await isHealthy(address)))
    return ok('port', `A server listens on ${new URL(address).host} and is healthy.`)
  const problem = await tryToListen(host, port)
  const at = `${host}:${port}`
  if (problem === null) return ok('port', `${at} can be listened on.`)
  if (hasCode(problem, 'EADDRINUSE'))
    return fail('port', `Another program listens on ${at}.`, 'Stop it, or choose another port (PORT, --port).')
  if (hasCode(problem, 'EACCES'))
    return fail('port', `This user may not listen on ${at}.`, 'Choose a port above 1023, and let a proxy serve 443.')
  return fail(
    'port',
    `${at} cannot be listened on: ${messageOf(problem)}.`,
    'Correct HOST: it must be of this machine.',
  )
}

function tryToListen(host: string, port: number): Promise<unknown> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
}

async function isHealthy(url: string): Promise<boolean> {
  return await fetch(`${url}/health`, { signal: AbortSignal.timeout(PROBE_MS) }).then(
    ({ ok: isOk }) => isOk,
    () => false,
  )
}

/** The proxies that HTTPS_PROXY and HTTP_PROXY name: whether they are addresses, and whether they answer. */
export async function checkProxy(env: Readonly<Record<string, string | undefined>>): Promise<readonly Finding[]> {
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']
  const set = names.flatMap((name) => {
    const value = env[name]
    return value === undefined || value === '' ? [] : [{ name, value }]
  })
  if (set.length === 0) return [ok('proxy', 'None is set.')]
  return await Promise.all(set.map(checkOne))
}

async function checkOne({ name, value }: { readonly name: string; readonly value: string }): Promise<Finding> {
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol))
    return fail('proxy', `${name} is no address.`, `Write it as http://host:port, or unset ${name}.`)
  const isThere = await reaches(url.hostname, Number(url.port || (url.protocol === 'https:' ? 443 : 80)))
  const fix = `Start the proxy, correct ${name}, or unset it.`
  return isThere ? ok('proxy', `${name} answers.`) : fail('proxy', `${name} (${url.host}) does not answer.`, fix)
}
