/**
 * `factotum token`: a new token, let in by config.toml. Its section goes behind everything else that is there, so that
 * nothing of the file is written anew, comments included.
 *
 * What must hold: the file is replaced whole or not at all, only by a valid one, and what others write into it
 * meanwhile stays.
 */
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { AppError, messageOf } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { randomHex } from '../../platform/random.ts'
import { didYouMean } from '../../platform/closest.ts'
import type { Config } from '../config.ts'
import { interpretConfig, readConfigText, type LoadedConfig } from '../load-config.ts'
import { lockBy } from './lock-by.ts'
import { newToken, tokenSection } from './new-token.ts'
import { parseConfig, type ConfigContext } from '../parse-config.ts'
import type { TokenAction } from './token-action.ts'

export interface AddedToken {
  /** Of the section. */
  readonly name: string
  /** Null for a connector. */
  readonly user: string | null
  /** Shown once and stored nowhere. */
  readonly token: string
}

type Whose = Omit<AddedToken, 'token'>

export interface AddTokenContext extends ConfigContext {
  readonly clock: Clock
}

/** Each call adds another one. Rejects with CONFIG_INVALID, having changed nothing, when the file does not take it. */
export async function addToken(path: string, action: TokenAction, context: AddTokenContext): Promise<AddedToken> {
  await readConfigText(path) // says what to do where there is none
  const file = await realpath(path) // a link stays one
  const unlock = await lockBy(`${file}.lock`, context.clock)
  try {
    return await append(file, action, context)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('CONFIG_INVALID', `${path} cannot be written: ${messageOf(error)}`, { cause: error })
  } finally {
    await unlock()
  }
}

async function append(file: string, action: TokenAction, context: AddTokenContext): Promise<AddedToken> {
  const before = await readConfigText(file)
  const { user, name } = mayBeMissing(before, action, context) ?? whose(action, interpretConfig(file, before, context))
  const { token, sha256 } = newToken()
  const section = tokenSection(sha256, { ...action, user, name })
  const after = `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}\n${section}\n`
  interpretConfig(file, after, context)
  await replace(file, { before, after })
  return { name, user, token }
}

/** A user's alias may name the connector already: then the file is valid only with its token. Null: not so. */
function mayBeMissing(before: string, { kind, name }: TokenAction, context: ConfigContext): Whose | null {
  if (kind === 'user' || name === null) return null
  return parseConfig(before, context).kind === 'invalid' ? { user: null, name } : null
}

function whose(action: TokenAction, { config }: LoadedConfig): Whose {
  const user = action.kind === 'user' ? (action.user ?? onlyAdmin(config)) : null
  if (user !== null && !config.users.has(user)) throw noUser(user, config)
  return { user, name: chooseName(action.name, user ?? action.namespace ?? 'connector', config) }
}

function onlyAdmin({ users }: Config): string {
  const admins = [...users.values()].filter(({ role }) => role === 'ADMIN').map(({ name }) => name)
  const [admin] = admins
  if (admin !== undefined && admins.length === 1) return admin
  throw new AppError('CONFIG_INVALID', `Whose token? Add --user with one of: ${[...users.keys()].join(', ')}.`)
}

function noUser(user: string, { users }: Config): AppError {
  const hint = didYouMean(user, users.keys())
  return new AppError('CONFIG_INVALID', `There is no user "${user}"${hint}; first add [users.${user}] to config.toml.`)
}

/** The wanted one, else one after `stem` that is free. */
function chooseName(wanted: string | null, stem: string, { tokens }: Config): string {
  if (wanted !== null) {
    if (!tokens.has(wanted)) return wanted
    throw new AppError(
      'CONFIG_INVALID',
      `There is a token "${wanted}" already. Choose another --name, or remove its section.`,
    )
  }
  let name = stem
  for (let number = 2; tokens.has(name); number += 1) name = `${stem}-${number}`
  return name
}

/** With the owner and the mode of the old file. */
async function replace(file: string, { before, after }: { before: string; after: string }): Promise<void> {
  const { uid, gid, mode } = await stat(file)
  const draftPath = `${file}.${randomHex(8)}.new`
  const draft = await open(draftPath, 'wx', 0o600)
  try {
    await draft.writeFile(after)
    await draft.chmod(mode & 0o777)
    if (process.getuid?.() === 0) await draft.chown(uid, gid)
    await draft.sync()
    if ((await readConfigText(file)) !== before) {
      throw new AppError('CONFIG_INVALID', `${file} was changed meanwhile, and is left as it is. Try again.`)
    }
    await rename(draftPath, file)
  } finally {
    await draft.close()
    await rm(draftPath, { force: true })
  }
}
