/**
 * Which server a command talks to, and with which token. Over the network both are given; on the machine of a server,
 * its home says where it listens, and who may write its config.toml gets a token there.
 */
import { constants } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { RemoteFlags } from '../config/command-line/remote-action.ts'
import { addToken } from '../config/command-line/add-token.ts'
import { lockBy } from '../config/command-line/lock-by.ts'
import { addressOf } from '../config/home/listening-file.ts'
import { configPath } from '../config/load-config.ts'
import type { Environment } from '../config/schema/environment.ts'
import { AppError } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import { hasCode } from '../platform/error-code.ts'

export interface ServerPlace {
  readonly url: string
  readonly token: string
  /** What was done for it, for people; null: nothing. */
  readonly notice: string | null
}

export interface FindServerOptions {
  readonly flags: RemoteFlags
  readonly env: Readonly<Record<string, string | undefined>>
  /** The home of a server on this machine; only asked for when it is needed, because it may be created. */
  readonly local: () => { readonly environment: Environment; readonly home: string }
  readonly clock: Clock
}

const TOKEN_FILE = 'terminal-token'

/** Rejects with CONFIG_INVALID, saying what to set. On repeat the same token is found. */
export async function findServer({ flags, env, local, clock }: FindServerOptions): Promise<ServerPlace> {
  const named = flags.url ?? (flags.home === undefined ? setIn(env, 'FACTOTUM_URL') : null)
  const token = setIn(env, 'FACTOTUM_TOKEN')
  if (named !== null) {
    if (!/^https?:\/\//.test(named) || !URL.canParse(named))
      throw new AppError('CONFIG_INVALID', `"${named}" is no address of a server, such as https://factotum.example.`)
    if (token === null) throw new AppError('CONFIG_INVALID', `Set FACTOTUM_TOKEN to a token of the server at ${named}.`)
    return { url: named, token, notice: null }
  }
  const { environment, home } = local()
  const url = await addressOf({ home, environment, env })
  if (url === null)
    throw new AppError('CONFIG_INVALID', 'PORT is 0, any free one: name the server with --url, as its log says it.')
  if (token !== null) return { url, token, notice: null }
  return { url, ...(await tokenOf(home, { environment, clock })) }
}

function setIn(env: Readonly<Record<string, string | undefined>>, name: string): string | null {
  const value = env[name]
  return value === undefined || value === '' ? null : value
}

interface TokenContext {
  readonly environment: Environment
  readonly clock: Clock
}

/** The one that is kept in the home, or a new one of the only admin. Of two first commands at once one makes it. */
async function tokenOf(home: string, context: TokenContext): Promise<Omit<ServerPlace, 'url'>> {
  const path = join(home, TOKEN_FILE)
  const kept = await readKept(path)
  if (kept !== null) return kept
  const unlock = await lockBy(`${path}.lock`, context.clock)
  try {
    return (await readKept(path)) ?? (await makeToken(path, home, context))
  } finally {
    await unlock()
  }
}

/** As root no link is followed: the account of the home also says where the server is, and would be sent any file. */
async function readKept(path: string): Promise<Omit<ServerPlace, 'url'> | null> {
  const flag = constants.O_RDONLY | (process.getuid?.() === 0 ? constants.O_NOFOLLOW : 0)
  try {
    return { token: (await readFile(path, { encoding: 'utf8', flag })).trim(), notice: null }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw unreadable(path, error)
  }
}

async function makeToken(
  path: string,
  home: string,
  { environment, clock }: TokenContext,
): Promise<Omit<ServerPlace, 'url'>> {
  const wanted = { kind: 'user', user: null, namespace: null, name: null, print: false } as const
  const { name, user, token } = await addToken(configPath(home), wanted, { ...environment, clock })
  const { uid, gid } = await stat(home)
  const kept = await open(path, 'wx', 0o600)
  try {
    await kept.writeFile(`${token}\n`)
    // One of root's could be neither read nor replaced by the account of the home, which may put a link in its place.
    if (process.getuid?.() === 0) await kept.chown(uid, gid)
  } finally {
    await kept.close()
  }
  return { token, notice: `Made the token "${name}" of the user "${user}" for this terminal; it is kept in ${path}.` }
}

function unreadable(path: string, error: unknown): AppError {
  return new AppError('CONFIG_INVALID', `${path} cannot be read; set FACTOTUM_TOKEN to a token of this server.`, {
    cause: error,
  })
}
