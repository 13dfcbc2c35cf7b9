/**
 * One folder of `<home>/skills` → the skill in it, or why there is none. Nothing of a skill is run or followed here:
 * its manifest and its program must be plain files of the folder itself, so that no link in it can show or start
 * something else.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { INSTALLING_MARKER } from './installing-marker.ts'
import { parseManifest, type ParsedManifest, type SkillManifest } from './skill-manifest.ts'

/** In this order; all have the same fields. */
const MANIFESTS = ['kiso.toml', 'skill.toml']
const MAX_MANIFEST_BYTES = 64 * 1024

/** How a skill starts; `file` is relative to its folder. */
export type SkillStart =
  /** With the Python of its own `.venv`, else the system's. */
  | { readonly kind: 'PYTHON'; readonly file: string; readonly hasVenv: boolean }
  | { readonly kind: 'NODE'; readonly file: string }
  /** By itself: it is executable. */
  | { readonly kind: 'PROGRAM'; readonly file: string }

/** A skill that can be run: its manifest is valid and its program is there. */
export interface InstalledSkill extends SkillManifest {
  /** Absolute. */
  readonly folder: string
  readonly start: SkillStart
}

type FolderContent =
  | { readonly kind: 'skill'; readonly skill: InstalledSkill }
  | { readonly kind: 'broken'; readonly problem: string }
  /** It is being installed, or is no folder at all. */
  | { readonly kind: 'none' }

/** Manifests that were read before, by path: one that has not changed is not read again. */
export type ManifestCache = Map<string, { readonly stamp: string; readonly parsed: ParsedManifest }>

/** Never throws for what is in the folder. */
export function readSkillFolder(folder: string, cache: ManifestCache): FolderContent {
  try {
    return read(folder, cache)
  } catch (error) {
    return broken(`It cannot be read: ${messageOf(error)}.`)
  }
}

function read(folder: string, cache: ManifestCache): FolderContent {
  const stats = statOf(folder)
  if (stats?.isSymbolicLink() === true) {
    return broken('It is a symbolic link. Copy the folder here, with "factotum skill install <folder>".')
  }
  if (stats?.isDirectory() !== true || statOf(join(folder, INSTALLING_MARKER)) !== undefined) return { kind: 'none' }
  const name = MANIFESTS.find((candidate) => statOf(join(folder, candidate)) !== undefined)
  if (name === undefined) return broken(`It has no manifest: ${MANIFESTS.join(' or ')} is missing.`)
  const parsed = readManifest(join(folder, name), cache)
  if (parsed.kind === 'invalid') return broken(parsed.problems.map((problem) => `${name}: ${problem}.`).join(' '))
  const start = findStart(folder, parsed.manifest.run)
  return typeof start === 'string' ? broken(start) : { kind: 'skill', skill: { ...parsed.manifest, folder, start } }
}

function readManifest(path: string, cache: ManifestCache): ParsedManifest {
  // Not followed and not waited for: a link, a pipe or a device in this place is refused instead of read.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(fd, { bigint: true })
    if (!stats.isFile()) return { kind: 'invalid', problems: ['must be a plain file'] }
    if (stats.size > MAX_MANIFEST_BYTES)
      return { kind: 'invalid', problems: [`must not be larger than ${MAX_MANIFEST_BYTES} bytes`] }
    const stamp = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
    const known = cache.get(path)
    if (known?.stamp === stamp) return known.parsed
    const bytes = Buffer.alloc(Number(stats.size))
    const length = readSync(fd, bytes)
    const parsed = parseManifest(bytes.toString('utf8', 0, length))
    cache.set(path, { stamp, parsed })
    return parsed
  } finally {
    closeSync(fd)
  }
}

/** How it starts, or why it cannot. */
function findStart(folder: string, run: string | null): SkillStart | string {
  const file = run ?? ['run.py', 'run.js'].find((candidate) => statOf(join(folder, candidate)) !== undefined)
  if (file === undefined) {
    return 'It has no program: it needs run.py or run.js, or kiso.skill.run in its manifest must name one.'
  }
  const stats = statOf(join(folder, file))
  if (stats === undefined) return `The program that its manifest names, ${file}, is missing.`
  if (!stats.isFile()) return `Its program, ${file}, must be a plain file.`
  if (file.endsWith('.py'))
    return { kind: 'PYTHON', file, hasVenv: statOf(join(folder, '.venv/bin/python')) !== undefined }
  if (/\.[cm]?js$/.test(file)) return { kind: 'NODE', file }
  if ((stats.mode & 0o111) !== 0) return { kind: 'PROGRAM', file }
  return `Its program, ${file}, is not executable; run: chmod +x ${file}`
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

function broken(problem: string): FolderContent {
  return { kind: 'broken', problem }
}
