/**
 * The plugins that lie in the home: each folder of `plugins/` is one, by the name of the folder, and each package of
 * `node_modules/` that config.toml names. Cheap: of modules nothing is read.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as z from 'zod'
import { AppError, messageOf } from '../../core/errors.ts'
import type { PluginOrigin } from '../../core/status.ts'
import { pluginOfPackage } from '../../core/tool/plugin-package.ts'
import { isReservedSource, isSourceName, RESERVED_SOURCES } from '../../core/tool/tool-name.ts'
import { hasCode } from '../../platform/error-code.ts'

/** Why no plugin of others may have this name, as a sentence without its full stop; null: it may. */
export function whyTaken(name: string): string | null {
  return isReservedSource(name) ? `it needs another name: Factotum itself has ${RESERVED_SOURCES}` : null
}

/** Why a plugin that calls itself so is not the one of its folder, or package; null: it is. */
export function whyMisnamed(name: string, folder: string): string | null {
  return name === folder ? null : `its name is "${name}", and that of its folder "${folder}"`
}

/** Where plugins lie; it may be absent. */
export function pluginsFolder(home: string): string {
  return join(home, 'plugins')
}

/** A folder with a module in it. */
export interface PluginFolder {
  /** Of the folder, and of the plugin in it. */
  readonly name: string
  readonly origin: Exclude<PluginOrigin, 'BUILT_IN'>
  /** The URL of its module. */
  readonly entry: string
  /** Another one when the module or its package.json has changed: then it is loaded anew. */
  readonly stamp: string
}

const ENTRIES = ['plugin.ts', 'plugin.mts', 'plugin.js', 'plugin.mjs', 'index.ts', 'index.js', 'index.mjs']
const target = z.union([z.string(), z.object({ import: z.string() }), z.object({ default: z.string() })])
const packageSchema = z.object({
  main: z.string().optional(),
  exports: z
    .union([target, z.object({ '.': target })])
    .optional()
    .catch(undefined),
})

/** What becomes of a folder that is there and cannot be read now: too many open files, no right, a disk that fails. */
export interface Scan {
  /** Found before, by name: it stays. */
  readonly known: ReadonlyMap<string, PluginFolder>
  /** May throw; then so does the scan. */
  readonly onUnreadable: (error: unknown) => void
  /** A folder or a package in which its author may see a plugin, and why it is none. */
  readonly onNone: (what: string, why: string) => void
}

/** Nothing was found before, and nothing may be unreadable. */
export const FIRST_SCAN: Scan = {
  known: new Map(),
  onUnreadable: (error) => {
    throw new AppError('PLUGIN_REFUSED', `The plugins cannot be read: ${messageOf(error)}.`, { cause: error })
  },
  onNone: () => {},
}

/** By name. */
export function findPlugins(home: string, scan: Scan = FIRST_SCAN): ReadonlyMap<string, PluginFolder> {
  const path = pluginsFolder(home)
  const names = orKnown(() => foldersOf(path), [...scan.known.keys()], scan)
  return collect(names, scan, (name) => {
    const found = isSourceName(name) ? readFolder(path, name) : null
    if (found === null && isVisibleFolder(path, name)) scan.onNone(name, isSourceName(name) ? NO_MODULE : NO_NAME)
    return found
  })
}

const NO_MODULE = `it has no ${ENTRIES.join(', ')}, and no package.json that names its module`
const NO_NAME = 'its name is not lower-case letters, digits and "-", beginning with a letter, at most 32'

function isVisibleFolder(parent: string, name: string): boolean {
  return !name.startsWith('.') && statSync(join(parent, name), { throwIfNoEntry: false })?.isDirectory() === true
}

/** Those of the packages, by the plugin's name. */
export function findPackages(
  home: string,
  packages: readonly string[],
  scan: Scan = FIRST_SCAN,
): ReadonlyMap<string, PluginFolder> {
  const names = new Map(packages.map((name) => [pluginOfPackage(name) ?? '', name]))
  return collect([...names.keys()], scan, (plugin) => {
    const name = names.get(plugin) ?? ''
    const found = readPackage(home, name)
    if (found === null) scan.onNone(name, 'it is not installed in node_modules beside config.toml, or has no module')
    return found
  })
}

function collect(
  names: readonly string[],
  scan: Scan,
  read: (name: string) => PluginFolder | null,
): ReadonlyMap<string, PluginFolder> {
  const found = names.flatMap((name) => orKnown(() => read(name), scan.known.get(name) ?? null, scan) ?? [])
  return new Map(found.map((folder) => [folder.name, folder]))
}

function orKnown<Value>(read: () => Value, known: Value, { onUnreadable }: Scan): Value {
  try {
    return read()
  } catch (error) {
    onUnreadable(error)
    return known
  }
}

/** `root`: the folder of `node_modules`. Null: it is not there, or has no module. Throws when it cannot be read. */
export function readPackage(root: string, packageName: string): PluginFolder | null {
  const plugin = pluginOfPackage(packageName)
  const found = plugin === null ? null : readFolder(join(root, 'node_modules'), packageName)
  return plugin === null || found === null ? null : { ...found, name: plugin, origin: 'PACKAGE' }
}

/** Null: there is no module in it. Throws when it cannot be read. */
export function readFolder(parent: string, name: string): PluginFolder | null {
  const folder = join(parent, name)
  const main = mainOf(folder)
  for (const file of main === null ? ENTRIES : [main, ...ENTRIES]) {
    const path = join(folder, file)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isFile() !== true) continue
    const described = statSync(join(folder, 'package.json'), { throwIfNoEntry: false })
    const stamp = [path, stats.mtimeMs, stats.size, described?.mtimeMs ?? 0].join(' ')
    return { name, origin: 'FOLDER', entry: pathToFileURL(path).href, stamp }
  }
  return null
}

function mainOf(folder: string): string | null {
  const text = unless(() => readFileSync(join(folder, 'package.json'), 'utf8'), null, NO_FILE)
  if (text === null) return null
  try {
    const { main, exports } = packageSchema.parse(JSON.parse(text))
    const exported = typeof exports === 'object' && '.' in exports ? exports['.'] : exports
    if (typeof exported !== 'object') return exported ?? main ?? null
    return 'import' in exported ? exported.import : exported.default
  } catch {
    return null
  }
}

function foldersOf(path: string): readonly string[] {
  return unless(() => readdirSync(path).toSorted(), [], ['ENOENT'])
}

const NO_FILE = ['ENOENT', 'ENOTDIR', 'EISDIR']

function unless<Value>(read: () => Value, gone: Value, codes: readonly string[]): Value {
  try {
    return read()
  } catch (error) {
    if (hasCode(error, ...codes)) return gone
    throw error
  }
}
