/**
 * Where the servers of a home listen, for the commands beside them: the file `listening` below the home, an address a
 * line, that of the newest last. Written whenever a server takes requests, and left: where it listened last, it most
 * likely listens again.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reasonOf } from '../../platform/error-code.ts'
import { hostInUrl } from '../../platform/host-in-url.ts'
import type { Logger } from '../../platform/logger.ts'
import { reaches } from '../../platform/reaches.ts'
import type { Environment } from '../schema/environment.ts'

const NAME = 'listening'
const ADDRESS = /^http:\/\/(?:\[[0-9a-f:.]+\]|[A-Za-z0-9.-]+):\d{1,5}$/

/**
 * Keeps the addresses at which others of this home still listen. Never rejects: without the file commands go by `HOST`
 * and `PORT`.
 */
export async function writeListening(home: string, url: string, logger: Logger): Promise<void> {
  const path = join(home, NAME)
  try {
    const others = (await readListening(path)).filter((address) => address !== url)
    const lines = [...(await stillListening(others)), url].map((address) => `${address}\n`)
    await writeFile(path, lines.join(''), { mode: 0o644 })
  } catch (error) {
    logger.warn({ error: reasonOf(error) }, `${path} could not be written; commands on this machine may need PORT`)
  }
}

interface Place {
  readonly home: string
  readonly environment: Pick<Environment, 'host' | 'port'>
  /** The variables of the command: a `PORT` among them overrules the file. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Such as "http://127.0.0.1:4000": of several servers the newest that listens still. Null: no server has run in this
 * home, and its port is any free one.
 */
export async function addressOf({ home, environment: { host, port }, env }: Place): Promise<string | null> {
  const isNamed = Number(env['PORT'] ?? '') > 0
  const written = isNamed ? [] : await readListening(join(home, NAME))
  // The only one is not asked: whether it answers is for the command to say.
  const found = written.length > 1 ? await stillListening(written) : written
  const last = found.at(-1) ?? written.at(-1)
  if (last !== undefined) return reachable(last)
  return port === 0 ? null : reachable(`http://${hostInUrl(host)}:${port}`)
}

/** "All addresses of this machine" is none that can be called. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

async function stillListening(addresses: readonly string[]): Promise<readonly string[]> {
  const answers = await Promise.all(
    addresses.map((address) => {
      const { hostname, port } = new URL(reachable(address))
      return reaches(hostname.replaceAll(/[[\]]/g, ''), Number(port || 80))
    }),
  )
  return addresses.filter((_address, index) => answers[index])
}

async function readListening(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.split('\n').filter((line) => ADDRESS.test(line) && URL.canParse(line))
}
