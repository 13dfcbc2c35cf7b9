/**
 * Where the server of a home listens, for the commands beside it: the file `listening` below the home. Written whenever
 * a server takes requests, and left: where it listened last, it most likely listens again.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { hostInUrl } from '../../platform/host-in-url.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Environment } from '../schema/environment.ts'

const NAME = 'listening'
const ADDRESS = /^http:\/\/(?:\[[0-9a-f:.]+\]|[A-Za-z0-9.-]+):\d{1,5}$/

/** Never rejects: without it commands go by `HOST` and `PORT`. */
export async function writeListening(home: string, url: string, logger: Logger): Promise<void> {
  const path = join(home, NAME)
  try {
    await writeFile(path, `${url}\n`, { mode: 0o644 })
  } catch (error) {
    logger.warn({ error: messageOf(error) }, `${path} could not be written; commands on this machine may need PORT`)
  }
}

interface Place {
  readonly home: string
  readonly environment: Pick<Environment, 'host' | 'port'>
  /** The variables of the command: a `PORT` among them overrules the file. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Such as "http://127.0.0.1:4000"; null: no server has run in this home, and its port is any free one. */
export async function addressOf({ home, environment: { host, port }, env }: Place): Promise<string | null> {
  const isNamed = Number(env['PORT'] ?? '') > 0
  const last = isNamed ? null : await readListening(join(home, NAME))
  if (last !== null) return reachable(last)
  return port === 0 ? null : reachable(`http://${hostInUrl(host)}:${port}`)
}

/** "All addresses of this machine" is none that can be called. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

async function readListening(path: string): Promise<string | null> {
  const text = (await readFile(path, 'utf8').catch(() => '')).trim()
  return ADDRESS.test(text) ? text : null
}
