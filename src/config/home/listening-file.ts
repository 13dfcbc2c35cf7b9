/**
 * Where the server of a home listens, for the commands beside it: the file `listening` below the home. Written when the
 * server takes requests, removed when it ends; a killed one leaves it, until the next start.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Environment } from '../schema/environment.ts'

const NAME = 'listening'
const ADDRESS = /^http:\/\/(?:\[[0-9a-f:.]+\]|[A-Za-z0-9.-]+):\d{1,5}$/

/** Tells the commands; the returned function takes it back. Never rejects: without it they go by `HOST` and `PORT`. */
export async function tellListening(home: string, url: string, logger: Logger): Promise<() => Promise<void>> {
  const path = join(home, NAME)
  try {
    await writeFile(path, `${url}\n`, { mode: 0o644 })
  } catch (error) {
    logger.warn({ error: messageOf(error) }, `${path} could not be written; commands on this machine may need PORT`)
  }
  // Not that of a server that was started meanwhile.
  return async () => ((await readTold(path)) === url ? rm(path, { force: true }) : undefined)
}

interface Place {
  readonly home: string
  readonly environment: Pick<Environment, 'host' | 'port'>
  /** The variables of who asks: `HOST` and `PORT` among them overrule what the server has told. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Such as "http://127.0.0.1:4000"; null: the server has told nothing, and its port is any free one. */
export async function addressOf({ home, environment: { host, port }, env }: Place): Promise<string | null> {
  const told = isSet(env['PORT']) || isSet(env['HOST']) ? null : await readTold(join(home, NAME))
  if (told !== null) return reachable(told)
  return port === 0 ? null : reachable(`http://${host.includes(':') ? `[${host}]` : host}:${port}`)
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}

/** "All addresses of this machine" is none that can be called. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

async function readTold(path: string): Promise<string | null> {
  const text = (await readFile(path, 'utf8').catch(() => '')).trim()
  return ADDRESS.test(text) ? text : null
}
