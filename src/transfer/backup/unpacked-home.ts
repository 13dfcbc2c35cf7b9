/**
 * The files of a backup, on their way into a home: whole or not at all. They are unpacked beside its own, and renamed
 * into place when everything else of the backup is there.
 */
import { createWriteStream } from 'node:fs'
import { chmod, lchown, lstat, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../core/errors.ts'
import { hasCode } from '../../platform/error-code.ts'
import type { BackupFrame } from './backup-format.ts'
import { HOME_FOLDERS, type HomeFolder } from './home-files.ts'

export type HomeFrame = Exclude<BackupFrame, { table: string } | { end: true }>
type FolderFrame = Extract<HomeFrame, { folder: string }>

/** Of one restore; what one that was killed has left is removed by the next. */
const BESIDE = '.restore'
/** While it is filled; who may enter a folder may do so once all of it is there. */
const PRIVATE = 0o700

export class UnpackedHome {
  readonly #home: string
  readonly #root: string
  readonly #folders: FolderFrame[] = []
  readonly #placed: HomeFolder[] = []

  private constructor(home: string) {
    this.#home = home
    this.#root = join(home, BESIDE)
  }

  static async begin(home: string): Promise<UnpackedHome> {
    const unpacked = new UnpackedHome(resolve(home))
    await rm(unpacked.#root, { recursive: true, force: true })
    await mkdir(unpacked.#root, { recursive: true, mode: PRIVATE })
    return unpacked
  }

  /** Refuses a name that leads out of the home, and a folder of the home that has files already. */
  async write(frame: HomeFrame, bytes: AsyncIterable<Buffer>): Promise<void> {
    const path = resolve(this.#root, nameOf(frame))
    const top = HOME_FOLDERS.find((folder) => `${path}${sep}`.startsWith(join(this.#root, folder) + sep))
    if (top === undefined)
      throw new AppError('TRANSFER_REFUSED', 'The backup is damaged: a file lies outside of the home.')
    if (path === join(this.#root, top)) await this.#refuseFilled(top)
    await this.#refuseLinks(dirname(path))
    if ('link' in frame) await symlink(frame.to, path)
    else if ('folder' in frame) {
      await mkdir(path, { mode: PRIVATE })
      this.#folders.push(frame)
    } else {
      await pipeline(Readable.from(bytes), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    }
    if (!('folder' in frame)) await this.#own(path, frame)
  }

  /** Puts all of it into its place, with the owners and modes that it had, where that is allowed. */
  async place(): Promise<void> {
    // The innermost first: a folder may be closed to us from then on.
    for (const frame of this.#folders.toReversed()) await this.#own(resolve(this.#root, frame.folder), frame)
    for (const folder of HOME_FOLDERS) {
      if ((await lstat(join(this.#root, folder)).catch(ifGone)) === null) continue
      await this.#refuseFilled(folder)
      await rename(join(this.#root, folder), join(this.#home, folder))
      this.#placed.push(folder)
    }
  }

  /** As if nothing had been unpacked. */
  async takeBack(): Promise<void> {
    for (const folder of this.#placed.splice(0)) await rename(join(this.#home, folder), join(this.#root, folder))
    await this.end()
  }

  /** What was put into its place stays. */
  async end(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true })
  }

  async #own(path: string, frame: HomeFrame): Promise<void> {
    // First: a change of the owner takes bits of the mode away.
    if (process.getuid?.() === 0) await lchown(path, frame.uid, frame.gid)
    if (!('link' in frame)) await chmod(path, frame.mode)
  }

  async #refuseFilled(folder: HomeFolder): Promise<void> {
    const path = join(this.#home, folder)
    if (((await readdir(path).catch(ifGone)) ?? []).length === 0) return
    throw new AppError(
      'TRANSFER_REFUSED',
      `There are files in ${path} already: move that folder away, and restore again.`,
    )
  }

  /** A link of the backup must not lead its later files elsewhere. */
  async #refuseLinks(folder: string): Promise<void> {
    for (let at = folder; at.length > this.#root.length; at = dirname(at)) {
      const stat = await lstat(at).catch(ifGone)
      if (stat !== null && !stat.isDirectory())
        throw new AppError('TRANSFER_REFUSED', `${relative(this.#root, at)} is in the way: it is no folder.`)
    }
  }
}

function nameOf(frame: HomeFrame): string {
  return 'file' in frame ? frame.file : 'folder' in frame ? frame.folder : frame.link
}

function ifGone(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null
  throw error
}
