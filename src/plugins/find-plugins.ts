/**
 * The plugins that lie in the home: each folder of `plugins/` is one, by the name of the folder, and each package of
 * `node_modules/` that config.toml names. Cheap: of modules nothing is read.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as z from 'zod'
import type { PluginOrigin } from '../core/status.ts'
import { pluginOfPackage } from '../core/tool/plugin-package.ts'
import { isReservedSource, isSourceName, RESERVED_SOURCES } from '../core/tool/tool-name.ts'

/** Why no plugin of others may have this name, as a sentence without its full stop; null: it may. */
export function whyTaken(name: string): string | null {
  return isReservedSource(name) ? `it needs another name: Factotum itself has ${RESERVED_SOURCES}` : null
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

/** By name. What is no plugin's folder is left out. Never throws. */
export function findPlugins(home: string): ReadonlyMap<string, PluginFolder> {
  const found = new Map<string, PluginFolder>()
  for (const name of foldersOf(pluginsFolder(home))) {
    const folder = isSourceName(name) ? readFolder(pluginsFolder(home), name) : null
    if (folder !== null) found.set(name, folder)
  }
  return found
}

/** Those of the packages, by the plugin's name; one that is not installed is left out. Never throws. */
export function findPackages(home: string, packages: readonly string[]): ReadonlyMap<string, PluginFolder> {
  const found = new Map<string, PluginFolder>()
  for (const name of packages) {
    const plugin = readPackage(home, name)
    if (plugin !== null) found.set(plugin.name, plugin)
  }
  return found
}

/** `root`: the folder of `node_modules`. Null: it is not there, or has no module. */
export function readPackage(root: string, packageName: string): PluginFolder | null {
  const plugin = pluginOfPackage(packageName)
  const found = plugin === null ? null : readFolder(join(root, 'node_modules'), packageName)
  return plugin === null || found === null ? null : { ...found, name: plugin, origin: 'PACKAGE' }
}

/** Null: there is no module in it. */
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
  try {
    const { main, exports } = packageSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
    const exported = typeof exports === 'object' && '.' in exports ? exports['.'] : exports
    if (typeof exported !== 'object') return exported ?? main ?? null
    return 'import' in exported ? exported.import : exported.default
  } catch {
    return null
  }
}

function foldersOf(path: string): readonly string[] {
  try {
    return readdirSync(path).toSorted()
  } catch {
    return []
  }
}
