/**
 * What lies in the `pub` folder of a workspace, and how one of its files is opened. Used by the command host
 * (`publish-files.ts`) around each program.
 *
 * What must hold: nothing outside of the workspace is listed, opened or read, whatever a program has left there and
 * whatever still changes it: links, pipes, devices, folders that are exchanged. So every step begins at a folder that
 * is held open and follows no link; `open-inside.ts` holds it for files.
 */
import { lstatSync, opendirSync, type BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { at, inside, within, type HeldFolder } from '../../platform/held-folder.ts'
import { codeOf, kindOf, openInside, type Problem } from './open-inside.ts'

/** Relative to the workspace. */
export const PUB_FOLDER = 'pub'
/** Of files and folders together; listing more takes too long, and half of them do not tell what is new. */
const MAX_ENTRIES = 1000
const MAX_DEPTH = 8

interface PubEntry {
  /** Another one when it has been written or replaced. */
  readonly signature: string
  /** Why it cannot be published; null: it seems to be a file. */
  readonly problem: string | null
}

/** By path below pub/. */
export type PubListing = ReadonlyMap<string, PubEntry>

/**
 * Never throws: what cannot be listed is an entry with its problem. Null: there is more than can be listed. Where
 * there is no pub folder this is one system call.
 */
export function listPub(workspace: string): PubListing | null {
  const listing = new Map<string, PubEntry>()
  try {
    if (lstatSync(join(workspace, PUB_FOLDER), { throwIfNoEntry: false }) === undefined) return listing
    return inside(workspace, [PUB_FOLDER], (pub) => addFolder(listing, pub, [])) ? listing : null
  } catch (error) {
    return new Map([['', { signature: 'closed', problem: `it is no folder that can be read (${codeOf(error)})` }]])
  }
}

/** Adds what is in the folder and below it. False: there is more than can be listed. */
function addFolder(listing: Map<string, PubEntry>, folder: HeldFolder, parents: readonly string[]): boolean {
  const opened = opendirSync(at(folder))
  try {
    for (let found = opened.readSync(); found !== null; found = opened.readSync()) {
      if (listing.size >= MAX_ENTRIES || !addEntry(listing, folder, [...parents, found.name])) return false
    }
    return true
  } finally {
    opened.closeSync()
  }
}

function addEntry(listing: Map<string, PubEntry>, folder: HeldFolder, names: readonly string[]): boolean {
  const name = names.at(-1) ?? ''
  const stats = name.includes('\uFFFD') ? null : lstatSync(at(folder, name), { bigint: true, throwIfNoEntry: false })
  if (stats === undefined) return true // gone meanwhile
  const signature = stats === null ? '' : `${stats.ino}:${stats.size}:${stats.mtimeNs}`
  const problem = explainEntry(stats, names)
  if (problem === null && stats?.isDirectory() === true) {
    const isWhole = tryIn(folder, name, (inner) => addFolder(listing, inner, names))
    if (typeof isWhole === 'boolean') return isWhole
    listing.set(names.join('/'), { signature, problem: isWhole.problem })
  } else listing.set(names.join('/'), { signature, problem })
  return true
}

function explainEntry(stats: BigIntStats | null, names: readonly string[]): string | null {
  if (stats === null) return 'its name is not valid UTF-8'
  if (names.at(-1)?.startsWith('.') === true) return 'what is hidden is not published'
  if (stats.isDirectory()) return names.length > MAX_DEPTH ? `it lies more than ${MAX_DEPTH} folders deep` : null
  return stats.isFile() ? null : `it is ${kindOf(stats)}, not a file`
}

function tryIn<T>(parent: HeldFolder, name: string, use: (folder: HeldFolder) => T): T | Problem {
  try {
    return within(parent, name, use)
  } catch (error) {
    return { problem: `the folder cannot be read (${codeOf(error)})` }
  }
}

/** Opens the file at `path` below pub/ for reading, as `openInside`. */
export function openPubFile(workspace: string, path: string): number | Problem {
  return openInside(workspace, [PUB_FOLDER, ...path.split('/')])
}
