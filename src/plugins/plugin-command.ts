/** `factotum plugin …` at a terminal; called by cli.ts. A running server sees within a second what is done here. */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { PluginAction } from '../config/command-line/plugin-action.ts'
import { AppError, messageOf } from '../core/errors.ts'
import { isSourceName } from '../core/tool/tool-name.ts'
import type { PluginManifest } from '../plugin-api/manifest.ts'
import { systemClock } from '../platform/clock.ts'
import { randomHex } from '../platform/id.ts'
import { BUILT_IN_NAMES } from './built-in/built-ins.ts'
import { findPlugins, pluginsFolder, readFolder, type PluginFolder } from './find-plugins.ts'
import { THREAD_LIMITS } from './thread-limits.ts'
import { ThreadPlugin } from './thread-plugin.ts'

/** Where it is done, and who is asked. */
export interface PluginCommandOptions {
  readonly home: string
  readonly cwd: string
  readonly print: (line: string) => void
  /** Null: nobody is there to answer. */
  readonly confirm: ((question: string) => Promise<boolean>) | null
}

/** Rejects with an AppError that says what to change; then everything is as before. */
export async function runPluginCommand(action: PluginAction, options: PluginCommandOptions): Promise<void> {
  switch (action.do) {
    case 'install':
      return install(action, options)
    case 'list':
      return list(options)
    case 'remove':
      return remove(action.name, options)
  }
}

/** Beside it first, so that a server never sees half of it. */
async function install(
  { folder, yes }: Extract<PluginAction, { do: 'install' }>,
  { home, cwd, print, confirm }: PluginCommandOptions,
): Promise<void> {
  const source = resolve(cwd, folder)
  const name = basename(source)
  if (!isSourceName(name)) throw refused(`A plugin has the name of its folder, and "${name}" is none: ${NAME_RULE}.`)
  if (BUILT_IN_NAMES.has(name)) throw refused(`"${name}" is the name of a plugin that comes with Factotum.`)
  const found = readFolder(dirname(source), name)
  if (found === null) throw refused(`There is no plugin in ${source}: it needs a plugin.ts or plugin.js.`)
  const question = `Run the code in ${source} to see what it asks for? It may do what the server may. [y/N] `
  await ask(question, { yes, confirm })
  const manifest = await inspect(found)
  for (const line of describe(manifest)) print(line)
  const target = join(pluginsFolder(home), name)
  const isThere = existsSync(target)
  await ask(isThere ? `Replace the plugin "${name}"? [y/N] ` : `Install it? [y/N] `, { yes, confirm })
  const staged = join(home, `.plugin-${randomHex(6)}`)
  mkdirSync(pluginsFolder(home), { recursive: true })
  try {
    cpSync(source, staged, { recursive: true })
    rmSync(target, { recursive: true, force: true })
    renameSync(staged, target)
  } finally {
    rmSync(staged, { recursive: true, force: true })
  }
  print(`Installed in ${target}. It runs when an admin enables it: mutation updatePlugin.`)
}

async function list({ home, print }: PluginCommandOptions): Promise<void> {
  const found = [...findPlugins(home).values()]
  if (found.length === 0) print(`There are no plugins in ${pluginsFolder(home)}.`)
  for (const folder of found) {
    const manifest = await inspect(folder).catch((error: unknown) => messageOf(error))
    if (typeof manifest === 'string') print(`${folder.name}: ${manifest}`)
    else print(`${manifest.name} ${manifest.version}: ${manifest.description}`)
  }
}

async function remove(name: string, { home, print }: PluginCommandOptions): Promise<void> {
  if (!findPlugins(home).has(name)) throw refused(`There is no plugin "${name}"; "factotum plugin list" shows them.`)
  rmSync(join(pluginsFolder(home), name), { recursive: true, force: true })
  print(`Removed "${name}". Its settings and what it kept stay, in case it comes back.`)
}

async function ask(
  question: string,
  { yes, confirm }: Pick<PluginCommandOptions, 'confirm'> & { readonly yes: boolean },
): Promise<void> {
  if (yes) return
  if (confirm === null) throw refused('Nobody is there to be asked: add --yes.')
  if (!(await confirm(question))) throw refused('Nothing was changed.')
}

async function inspect(folder: PluginFolder): Promise<PluginManifest> {
  const refuse = (): Promise<never> => Promise.reject(new Error('the plugin does not run'))
  const port = { ask: refuse, log: () => undefined }
  try {
    const loading = ThreadPlugin.load({ entry: folder.entry, port, limits: THREAD_LIMITS, clock: systemClock })
    const plugin = await loading
    const { manifest } = plugin
    await plugin.stop()
    if (manifest.name !== folder.name) throw new Error(`its name is "${manifest.name}", and that of its folder another`)
    return manifest
  } catch (error) {
    throw refused(`The plugin "${folder.name}" cannot be used: ${messageOf(error)}.`)
  }
}

function describe(manifest: PluginManifest): string[] {
  const { name, version, title, description, hooks, tools, commands, secretSettings, settingsSchema } = manifest
  const settings = Object.keys(Object(settingsSchema['properties']) as object)
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['is called at', hooks],
    ['brings the tools', tools.map((tool) => `${tool.name} (${tool.effect})`)],
    [
      'brings the commands',
      commands.map((command) => `/${command.name}${command.fromModel ? ' (also for models)' : ''}`),
    ],
    ['has the settings', settings],
    ['is given the secrets that these settings name', secretSettings],
  ]
  const said = parts.filter(([, of]) => of.length > 0).map(([what, of]) => `  ${what}: ${of.join(', ')}`)
  return [`${title} (${name} ${version}): ${description}`, ...said]
}

const NAME_RULE = 'lower-case letters, digits and "-", beginning with a letter, at most 32'

function refused(message: string): AppError {
  return new AppError('PLUGIN_REFUSED', message)
}
