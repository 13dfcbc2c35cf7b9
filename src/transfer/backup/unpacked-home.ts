/**
 * The files of a backup, on their way into a home: whole or not at all. They are unpacked beside its own, and renamed
 * into place when everything else of the backup is there.
 *
 * A folder that is there may be a volume of its own, onto which nothing is renamed: its files are unpacked within it,
 * and renamed one by one.
 */
import { chmod, lchown, lstat, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { AppError, messageOf } from '../../core/errors.ts'
import { hasCode } from '../../platform/error-code.ts'
import type { BackupFrame } from './backup-format.ts'
import { HOME_FOLDERS, type HomeFolder } from './home-files.ts'
import { writeNewFile } from './write-file.ts'

export type HomeFrame = Exclude<BackupFrame, { table: string } | { end: true }>
type FolderFrame = Extract<HomeFrame, { folder: string }>

/** Of one restore; what one that was killed has left is removed by the next. */
const BESIDE = '.restore'
/** While it is filled; who may enter a folder may do so once all of it is there. */
const PRIVATE = 0o700

interface Unpacking {
  /** Where its files are until all are there. */
  readonly root: string
  readonly isWithin: boolean
}

export class UnpackedHome {
  readonly #home: string
  readonly #unpacking: Readonly<Record<HomeFolder, Unpacking>>
  readonly #folders: { readonly path: string; readonly frame: FolderFrame }[] = []
  readonly #placed: { readonly from: string; readonly to: string }[] = []

  private constructor(home: string, unpacking: Readonly<Record<HomeFolder, Unpacking>>) {
    this.#home = home
    this.#unpacking = unpacking
  }

  static async begin(path: string): Promise<UnpackedHome> {
    const home = resolve(path)
    const unpackingOf = async (folder: HomeFolder): Promise<Unpacking> => {
      const isWithin = (await lstat(join(home, folder)).catch(ifGone)) !== null
      return { root: isWithin ? join(home, folder, BESIDE) : join(home, BESIDE, folder), isWithin }
    }
    const [pub, sessions] = [await unpackingOf('pub'), await unpackingOf('sessions')]
    const unpacked = new UnpackedHome(home, { pub, sessions })
    await unpacked.end()
    return unpacked
  }

  /**
   * Refuses a name that leads out of the home, and a folder of the home that has files already. False when the path is
   * too long here, or a link stands for a folder of the home, which would lead to the files of the server that the
   * backup is of: then nothing is written, and no byte was taken.
   */
  async write(frame: HomeFrame, bytes: AsyncIterable<Buffer>): Promise<boolean> {
    const inHome = resolve(this.#home, nameOf(frame))
    const top = HOME_FOLDERS.find((folder) => `${inHome}${sep}`.startsWith(join(this.#home, folder) + sep))
    if (top === undefined)
      throw new AppError('TRANSFER_REFUSED', 'The backup is damaged: a file lies outside of the home.')
    const { root } = this.#unpacking[top]
    const path = join(root, relative(join(this.#home, top), inHome))
    if (path === root && !('folder' in frame)) return false
    if (path === root) await this.#refuseFilled(top)
    try {
      await this.#unpack(frame, bytes, { path, root })
      return true
    } catch (error) {
      if (hasCode(error, 'ENAMETOOLONG')) return false
      throw this.#aboutHome(error)
    }
  }

  async #unpack(
    frame: HomeFrame,
    bytes: AsyncIterable<Buffer>,
    { path, root }: { readonly path: string; readonly root: string },
  ): Promise<void> {
    await refuseLinks(dirname(path), dirname(root))
    if ('link' in frame) await symlink(frame.to, path)
    else if ('folder' in frame) {
      await mkdir(path, { mode: PRIVATE, recursive: path === root })
      this.#folders.push({ path, frame })
    } else await writeNewFile(path, bytes)
    if (!('folder' in frame)) await own(path, frame)
  }

  /** Puts all of it into its place, with the owners and modes that it had, where that is allowed. */
  async place(): Promise<void> {
    try {
      await this.#placeAll()
    } catch (error) {
      throw this.#aboutHome(error)
    }
  }

  async #placeAll(): Promise<void> {
    // The innermost first: a folder may be closed to us from then on.
    for (const { path, frame } of this.#folders.toReversed()) await own(path, frame)
    for (const folder of HOME_FOLDERS) {
      const { root, isWithin } = this.#unpacking[folder]
      if ((await lstat(root).catch(ifGone)) === null) continue
      await this.#refuseFilled(folder)
      const to = join(this.#home, folder)
      if (!isWithin) await this.#move(root, to)
      else {
        for (const name of await readdir(root)) await this.#move(join(root, name), join(to, name))
        const itself = this.#folders.find(({ path }) => path === root)
        if (itself !== undefined) await own(to, itself.frame)
      }
    }
  }

  /** As if nothing had been unpacked. */
  async takeBack(): Promise<void> {
    for (const { from, to } of this.#placed.splice(0)) await rename(to, from)
    await this.end()
  }

  /** What was put into its place stays, whatever follows. */
  async end(): Promise<void> {
    this.#placed.splice(0)
    for (const { root } of Object.values(this.#unpacking)) await rm(root, { recursive: true, force: true })
    await rm(join(this.#home, BESIDE), { recursive: true, force: true })
  }

  /** Otherwise the file of the backup would be blamed; what reading that rejects with stays as it is. */
  #aboutHome(error: unknown): unknown {
    const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown }
    if (typeof code !== 'string' || typeof syscall !== 'string' || syscall === 'read') return error
    return new AppError(
      'TRANSFER_REFUSED',
      `The home ${this.#home} cannot be written to: ${messageOf(error)}. Nothing was restored: change that, and restore again.`,
      { cause: error },
    )
  }

  async #move(from: string, to: string): Promise<void> {
    await rename(from, to)
    this.#placed.push({ from, to })
  }

  async #refuseFilled(folder: HomeFolder): Promise<void> {
    const path = join(this.#home, folder)
    const there = (await readdir(path).catch(ifGone)) ?? []
    if (there.every((name) => name === BESIDE)) return
    throw new AppError('TRANSFER_REFUSED', `There are files in ${path} already: move them away, and restore again.`)
  }
}

async function own(path: string, frame: HomeFrame): Promise<void> {
  // First: a change of the owner takes bits of the mode away.
  if (process.getuid?.() === 0) await lchown(path, frame.uid, frame.gid)
  if (!('link' in frame)) await chmod(path, frame.mode)
}

/** A link of the backup must not lead its later files elsewhere. `above`: what is known to be no link of it. */
async function refuseLinks(folder: string, above: string): Promise<void> {
  for (let at = folder; at.length > above.length; at = dirname(at)) {
    const stat = await lstat(at).catch(ifGone)
    if (stat !== null && !stat.isDirectory())
      throw new AppError('TRANSFER_REFUSED', `${relative(above, at)} is in the way: it is no folder.`)
  }
}

/** Below the home. */
export function nameOf(frame: HomeFrame): string {
  return 'file' in frame ? frame.file : 'folder' in frame ? frame.folder : frame.link
}

function ifGone(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null
  throw error
}
