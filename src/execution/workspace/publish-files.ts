/**
 * Publishing: what a program has written to the `pub` folder of its workspace is copied to FACTOTUM_HOME/pub before its
 * outcome is reported, so that nothing which runs later can change it. Runs in the command host, around each program.
 *
 * What must hold: a program's outcome does not depend on it (what cannot be published is said, never thrown); and
 * copies without a row in the database cannot be downloaded, and are swept up.
 */
import { closeSync, createReadStream, createWriteStream, fstatSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { messageOf } from '../../core/errors.ts'
import { newPublishedFileId, publishedName } from '../../core/file/published-file.ts'
import { publishedFolder, publishedPath } from '../../store/files/published-bytes.ts'
import type { HostOutcome } from '../host/host-messages.ts'
import type { Problem } from './open-inside.ts'
import { listPub, openPubFile, PUB_FOLDER, type PubListing } from './pub-folder.ts'
import type { Publication, PublishedCopy } from './publication.ts'

/** Of one task. */
export const MAX_PUBLISHED_FILES = 50
const MAX_PUBLISHED_BYTES = 100 * 1024 * 1024
/** Notes on single files; there may be thousands. */
const MAX_NOTES = 20

/** From where to where files are published. */
export interface PublishPlace {
  /** FACTOTUM_HOME. */
  readonly home: string
  /** In which the program runs. */
  readonly workspace: string
  /** For the log: what people are not told. */
  readonly onProblem?: (message: string) => void
  /** For tests: smaller limits. */
  readonly maxBytes?: number
}

/** Runs the program, then publishes what is new in its pub folder. A program that was cancelled publishes nothing. */
export async function runAndPublish(place: PublishPlace, run: () => Promise<HostOutcome>): Promise<HostOutcome> {
  const before = listPub(place.workspace)
  const outcome = await run()
  if (outcome.kind !== 'exited' && (outcome.kind !== 'killed' || outcome.cause === 'cancelled')) return outcome
  const publication = await publishNew(place, before)
  return publication === null ? outcome : { ...outcome, publication }
}

/** Null: there is nothing new. Never rejects. */
export async function publishNew(place: PublishPlace, before: PubListing | null): Promise<Publication | null> {
  const after = listPub(place.workspace)
  if (after === null) return before === null ? null : { files: [], notes: [TOO_FULL] }
  const isNew = ([path, entry]: readonly [string, { readonly signature: string }]): boolean =>
    before?.get(path)?.signature !== entry.signature
  const fresh = [...after].filter(isNew).toSorted(([one], [other]) => (one < other ? -1 : 1))
  if (fresh.length === 0) return null
  const taking = new Taking(place)
  for (const [path, { problem }] of fresh) await taking.take(path, problem)
  return taking.publication
}

const TOO_FULL = `Nothing in ${PUB_FOLDER}/ was published: it holds too many files. Remove those that are not wanted, or pack them into one archive.`

const TOO_LARGE: Problem = { problem: 'the files that a task publishes may be 100 MiB together' }
/** A path comes from the program; notes are for people and terminals. */
const MAX_SHOWN_PATH = 200

/** The publishing of one task: what was taken, what was not, and how many bytes are left. */
class Taking {
  readonly #place: PublishPlace
  readonly #files: PublishedCopy[] = []
  readonly #notes: string[] = []
  #bytesLeft: number
  #notesLeftOut = 0

  constructor(place: PublishPlace) {
    this.#place = place
    this.#bytesLeft = place.maxBytes ?? MAX_PUBLISHED_BYTES
  }

  get publication(): Publication {
    const more = this.#notesLeftOut === 0 ? [] : [`${this.#notesLeftOut} more were not published.`]
    return { files: this.#files, notes: [...this.#notes, ...more] }
  }

  async take(path: string, known: string | null): Promise<void> {
    const taken = known === null ? await this.#copy(path) : { problem: known }
    if (!('problem' in taken)) {
      this.#files.push(taken)
      this.#bytesLeft -= taken.size
    } else if (this.#notes.length < MAX_NOTES) {
      this.#notes.push(`${showPath(path)} was not published: ${taken.problem}.`)
    } else this.#notesLeftOut += 1
  }

  async #copy(path: string): Promise<PublishedCopy | Problem> {
    if (this.#files.length === MAX_PUBLISHED_FILES)
      return { problem: `a task publishes at most ${MAX_PUBLISHED_FILES} files` }
    const source = openPubFile(this.#place.workspace, path)
    if (typeof source !== 'number') return source
    if (fstatSync(source).size > this.#bytesLeft) {
      closeSync(source)
      return TOO_LARGE
    }
    const id = newPublishedFileId()
    const target = publishedPath(this.#place.home, id)
    try {
      mkdirSync(publishedFolder(this.#place.home), { recursive: true, mode: 0o700 })
      const size = await copy(source, target, this.#bytesLeft)
      if (size <= this.#bytesLeft) return { id, name: publishedName(path), size }
      await discard(target)
      return TOO_LARGE
    } catch (error) {
      await discard(target)
      this.#place.onProblem?.(`A file could not be published: ${messageOf(error)}`)
      return { problem: 'the server could not keep it' }
    }
  }
}

function showPath(path: string): string {
  const plain = path
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD')
    .slice(0, MAX_SHOWN_PATH)
    .toWellFormed()
  return path === '' ? PUB_FOLDER : `${PUB_FOLDER}/${plain}`
}

/** What cannot be removed has no row, and is swept up later. */
async function discard(target: string): Promise<void> {
  await rm(target, { force: true }).catch(() => {})
}

/**
 * Copies at most a byte more than `maxBytes`: that one says that there is more. The bytes are on the disk when it
 * resolves.
 */
async function copy(source: number, target: string, maxBytes: number): Promise<number> {
  const from = createReadStream('', { fd: source, start: 0, end: maxBytes })
  const to = createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true })
  await pipeline(from, to)
  return to.bytesWritten
}
