/**
 * The Markdown files of a folder, for prompts: by name, bounded in files and bytes. A file is read again only when it
 * has changed; of the session's own folder no link is followed.
 */
import { closeSync, constants, fstatSync, openSync, opendirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { at, inside } from '../../platform/held-folder.ts'
import { openInside } from '../../execution/workspace/open-inside.ts'

/** Of one folder. */
const MAX_FILES = 8
/** Of one folder, files of every kind: one that holds more is not read to its end. */
const MAX_ENTRIES = 200
/** A section of a plugin holds no more. */
const MAX_CHARS = 16_000
/** Texts that are kept; the oldest goes first. */
const MAX_KEPT = 256

/** A file as a prompt has it. */
export interface ContextText {
  readonly name: string
  readonly text: string
}

/** What a folder gave: the texts, and the names of files that are cut or left out. */
export interface ContextFolder {
  readonly texts: readonly ContextText[]
  readonly cut: readonly string[]
}

interface Kept {
  /** Another one when the file was written or replaced. */
  readonly signature: string
  readonly text: string
}

/** How a file of a folder is opened; null: it is no file that may be read. */
type Open = (name: string) => number | null

/** One for each process that runs the plugin. */
export class ContextTexts {
  readonly #kept = new Map<string, Kept>()

  /** Of a folder that nobody but the operator writes. Without one: none. Never throws. */
  ofHome(folder: string, maxBytes: number): ContextFolder {
    const names = namesIn(() => listNames(folder))
    return this.#read(folder, {
      names,
      maxBytes,
      open: (name) => openSync(join(folder, name), constants.O_RDONLY | constants.O_NONBLOCK),
    })
  }

  /** Of `context/` in a workspace, which others write. Without one: none. Never throws. */
  ofWorkspace(workspace: string, maxBytes: number): ContextFolder {
    const names = namesIn(() => inside(workspace, ['context'], (folder) => listNames(at(folder))))
    const open: Open = (name) => {
      const fd = openInside(workspace, ['context', name])
      return typeof fd === 'number' ? fd : null
    }
    return this.#read(join(workspace, 'context'), { names, maxBytes, open })
  }

  #read(
    folder: string,
    { names, maxBytes, open }: { readonly names: readonly string[]; readonly maxBytes: number; readonly open: Open },
  ): ContextFolder {
    const texts: ContextText[] = []
    const cut = names.slice(MAX_FILES)
    let leftBytes = maxBytes
    for (const name of names.slice(0, MAX_FILES)) {
      const whole = this.#text(join(folder, name), name, open)
      if (whole === null || whole.trim() === '') continue
      const text = firstBytes(whole, leftBytes)
      leftBytes -= Buffer.byteLength(text)
      if (text !== '') texts.push({ name, text })
      if (text.length < whole.length) cut.push(name)
    }
    return { texts, cut }
  }

  /** Null: it cannot be read. */
  #text(path: string, name: string, open: Open): string | null {
    let fd: number | null = null
    try {
      fd = open(name)
      if (fd === null) return null
      const stats = fstatSync(fd, { bigint: true })
      if (!stats.isFile()) return null
      const signature = `${stats.ino}:${stats.size}:${stats.mtimeNs}`
      const kept = this.#kept.get(path)
      const text = kept?.signature === signature ? kept.text : readText(fd)
      this.#keep(path, { signature, text })
      return text
    } catch {
      return null
    } finally {
      if (fd !== null) closeSync(fd)
    }
  }

  #keep(path: string, kept: Kept): void {
    this.#kept.delete(path)
    this.#kept.set(path, kept)
    const oldest = this.#kept.keys().next()
    if (this.#kept.size > MAX_KEPT && oldest.done !== true) this.#kept.delete(oldest.value)
  }
}

/** At most one character more than a section holds, so that what is longer is known to be. */
function readText(fd: number): string {
  const bytes = Buffer.alloc(4 * (MAX_CHARS + 1))
  const read = readSync(fd, bytes, 0, bytes.length, 0)
  return new TextDecoder()
    .decode(bytes.subarray(0, read))
    .slice(0, MAX_CHARS + 1)
    .replaceAll('\0', '\uFFFD')
    .toWellFormed()
}

function firstBytes(text: string, maxBytes: number): string {
  const short = text.slice(0, MAX_CHARS).toWellFormed()
  if (Buffer.byteLength(short) <= maxBytes) return short
  const bytes = Buffer.from(short).subarray(0, Math.max(0, maxBytes))
  // A character that was cut in two is left out.
  return new TextDecoder().decode(bytes, { stream: true })
}

/** In order; none where there is no such folder. */
function namesIn(list: () => readonly string[]): readonly string[] {
  try {
    return list()
  } catch {
    return []
  }
}

function listNames(folder: string): string[] {
  const opened = opendirSync(folder)
  try {
    const names: string[] = []
    for (let count = 0; count < MAX_ENTRIES; count++) {
      const entry = opened.readSync()
      if (entry === null) break
      if (isShown(entry.name)) names.push(entry.name)
    }
    return names.toSorted()
  } finally {
    opened.closeSync()
  }
}

/** A name that is not UTF-8 cannot be opened by what is left of it. */
function isShown(name: string): boolean {
  return name.endsWith('.md') && !name.startsWith('.') && !name.includes('\uFFFD')
}
