/** `factotum plugin …` at a terminal; called by cli.ts. A running server sees within a second what is done here. */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { PluginAction } from '../../config/command-line/plugin-action.ts'
import type { Progress } from '../../config/command-line/progress.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import { pluginOfPackage } from '../../core/tool/plugin-package.ts'
import { isSourceName } from '../../core/tool/tool-name.ts'
import type { PluginManifest } from '../../plugin-api/manifest.ts'
import { systemClock } from '../../platform/clock.ts'
import { randomHex } from '../../platform/random.ts'
import {
  FIRST_SCAN,
  findPackages,
  findPlugins,
  pluginsFolder,
  readFolder,
  readPackage,
  whyMisnamed,
  whyTaken,
  type PluginFolder,
} from '../found/find-plugins.ts'
import { THREAD_LIMITS } from '../thread/thread-limits.ts'
import { ThreadPlugin } from '../thread/thread-plugin.ts'
import { installedIn, npmInstall, npmUninstall } from './run-npm.ts'

/** Where it is done, and who is asked. */
export interface PluginCommandOptions {
  readonly home: string
  readonly cwd: string
  /** Those that config.toml names. */
  readonly packages: readonly string[]
  readonly print: (line: string) => void
  readonly progress: Pick<Progress, 'during'>
  /** Null: nobody is there to answer. */
  readonly confirm: ((question: string) => Promise<boolean>) | null
}

type Install = Extract<PluginAction, { do: 'install' }>

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

/** A folder, a package in a file, or one of the registry. */
async function install(action: Install, options: PluginCommandOptions): Promise<void> {
  const source = resolve(options.cwd, action.what)
  const stats = statSync(source, { throwIfNoEntry: false })
  if (stats?.isDirectory() === true) return installFolder(source, action, options)
  if (stats?.isFile() === true && PACKED.test(source)) return installPackage(source, action, options)
  if (stats === undefined && SPEC.test(action.what)) {
    if (action.yes && !SAYS_PACKAGE.test(action.what)) throw refused(mistyped(action.what, source))
    if (!SAYS_PACKAGE.test(action.what))
      options.print(`There is no folder ${source}; it is taken for the name of an npm package.`)
    return installPackage(action.what, action, options)
  }
  throw refused(`There is no plugin in ${source}: it is no folder, no .tgz, and no name of an npm package.`)
}

const PACKED = /\.(tgz|tar\.gz)$/
/** A name, perhaps with a version: no address, no path, no option of npm. */
const SPEC = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*(@[A-Za-z0-9.~^+-]{1,64})?$/

/** What nobody writes who means a folder: a plugin's prefix, a scope, or a version. */
const SAYS_PACKAGE = /^@|^factotum-plugin-|@/

function mistyped(name: string, source: string): string {
  return (
    `There is no folder ${source}. If you mean the npm package of that name, leave out --yes, ` +
    `or name its version (${name}@latest): the owner of a mistyped name would be trusted otherwise.`
  )
}

/** Beside it first, so that a server never sees half of it. */
async function installFolder(source: string, { yes }: Install, options: PluginCommandOptions): Promise<void> {
  const { home, print, progress, confirm } = options
  const name = basename(source)
  if (!isSourceName(name)) throw refused(`A plugin has the name of its folder, and "${name}" is none: ${NAME_RULE}.`)
  refuseTaken(name)
  const found = readFolder(dirname(source), name)
  if (found === null) throw refused(`There is no plugin in ${source}: it needs a plugin.ts or plugin.js.`)
  const question = `Run the code in ${source} to see what it asks for? It may do what the server may. [y/N] `
  await ask(question, { yes, confirm })
  const manifest = await progress.during(`loading ${name}`, () => inspect(found))
  for (const line of describe(manifest)) print(line)
  const target = join(pluginsFolder(home), name)
  await ask(installQuestion(name, existsSync(target)), { yes, confirm })
  mkdirSync(pluginsFolder(home), { recursive: true })
  await withStaged(home, async (staged) => {
    cpSync(source, staged, { recursive: true })
    rmSync(target, { recursive: true, force: true })
    renameSync(staged, target)
  })
  print(`Installed in ${target}. It runs when an admin enables it: mutation updatePlugin.`)
}

/** Fetched into a folder of its own first; what is installed then is that version. */
async function installPackage(spec: string, { yes }: Install, options: PluginCommandOptions): Promise<void> {
  const { home, print, progress, confirm, packages } = options
  await ask(`Fetch the npm package ${spec}? None of it is run for that. [y/N] `, { yes, confirm })
  await withStaged(home, async (staged) => {
    mkdirSync(staged)
    await progress.during(`npm fetches ${spec}`, () => npmInstall(staged, spec))
    const { name, version } = installedIn(staged)
    const found = readPackage(staged, name)
    if (found === null) throw refused(`The package "${name}" holds no plugin: ${PACKAGE_RULE}.`)
    refuseTaken(found.name)
    const question = `Run the code of ${name} ${version} to see what it asks for? It may do what the server may. [y/N] `
    await ask(question, { yes, confirm })
    for (const line of describe(await inspect(found))) print(line)
    await ask(installQuestion(found.name, readPackage(home, name) !== null), { yes, confirm })
    const exactly = PACKED.test(spec) ? spec : `${name}@${version}`
    await progress.during(`npm installs ${exactly}`, () => npmInstall(home, exactly))
    print(`Installed in ${join(home, 'node_modules', name)}. It runs when an admin enables it: mutation updatePlugin.`)
    if (!packages.includes(name)) print(`Before that, name it in config.toml: [plugins] packages = ["${name}"]`)
  })
}

const PACKAGE_RULE = 'the last part of its name, without "factotum-plugin-", is that of its plugin, and it has a module'

function installQuestion(name: string, isThere: boolean): string {
  return isThere ? `Replace the plugin "${name}"? [y/N] ` : `Install it? [y/N] `
}

function refuseTaken(name: string): void {
  const taken = whyTaken(name)
  if (taken !== null) throw refused(`The plugin "${name}" cannot be used: ${taken}.`)
}

/** A path in the home that is free, and is again afterwards. */
async function withStaged(home: string, use: (staged: string) => Promise<void>): Promise<void> {
  const staged = join(home, `.plugin-${randomHex(6)}`)
  try {
    await use(staged)
  } finally {
    rmSync(staged, { recursive: true, force: true })
  }
}

async function list({ home, packages, print }: PluginCommandOptions): Promise<void> {
  const none: string[] = []
  const onNone = (what: string, why: string): void => void none.push(`${what}: no plugin; ${why}.`)
  const scan = { ...FIRST_SCAN, onNone }
  const found = [...new Map([...findPackages(home, packages, scan), ...findPlugins(home, scan)]).values()]
  if (found.length + none.length === 0) print(`There are no plugins in ${pluginsFolder(home)}.`)
  for (const folder of found) {
    const manifest = await inspect(folder).catch((error: unknown) => messageOf(error))
    if (typeof manifest === 'string') print(`${folder.name}: ${manifest}`)
    else print(`${manifest.name} ${manifest.version}: ${manifest.description}`)
  }
  none.forEach((line) => print(line))
}

async function remove(name: string, { home, packages, print }: PluginCommandOptions): Promise<void> {
  const packageName = packages.find((one) => pluginOfPackage(one) === name)
  if (!findPlugins(home).has(name) && packageName !== undefined && readPackage(home, packageName) !== null) {
    await npmUninstall(home, packageName)
    print(`Removed "${packageName}"; take it out of [plugins] in config.toml. Its settings and what it kept stay.`)
    return
  }
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
  refuseTaken(folder.name)
  const refuse = (): Promise<never> => Promise.reject(new Error('the plugin does not run'))
  const port = { ask: refuse, log: () => undefined, end: () => undefined }
  try {
    const loading = ThreadPlugin.load({ entry: folder.entry, port, limits: THREAD_LIMITS, clock: systemClock })
    const plugin = await loading
    const { manifest } = plugin
    await plugin.stop()
    const problem = whyMisnamed(manifest.name, folder.name)
    if (problem !== null) throw new Error(problem)
    return manifest
  } catch (error) {
    throw refused(`The plugin "${folder.name}" cannot be used: ${messageOf(error)}.`)
  }
}

function describe(manifest: PluginManifest): string[] {
  const { name, version, title, description, hooks, events, tools, commands, runtimes, keeps } = manifest
  const { instructs, secretSettings, settingsSchema } = manifest
  const settings = Object.keys(Object(settingsSchema['properties']) as object)
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['is called at', hooks],
    ['is given the events', events],
    ['gives instructions as', instructs ? ['the operator'] : []],
    ['brings the tools', tools.map((tool) => `${tool.name} (${tool.effect})`)],
    [
      'brings the commands',
      commands.map((command) => `/${command.name}${command.fromModel ? ' (also for models)' : ''}`),
    ],
    ['brings the models', runtimes.map((runtime) => `${name}/${runtime.name}`)],
    ['keeps in the log', keeps],
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
