/** Loads what `[graphql] plugins` of config.toml names: users' own plugins of graphql-yoga or Envelop. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AppError, messageOf } from '../../core/errors.ts'

/** Rejects with an AppError that says what to change. */
export async function loadPlugins(home: string, paths: readonly string[]): Promise<readonly object[]> {
  const loaded: object[] = []
  for (const path of paths) loaded.push(...(await load(resolve(home, path))))
  return loaded
}

async function load(path: string): Promise<readonly object[]> {
  const made = await importDefault(path)
  const plugins: readonly unknown[] = Array.isArray(made) ? made : [made]
  if (plugins.length > 0 && plugins.every(isPlugin)) return plugins
  throw wrong(path, 'its default export is neither a plugin (an object of hooks) nor a function that makes one')
}

async function importDefault(path: string): Promise<unknown> {
  try {
    const { default: exported } = (await import(pathToFileURL(path).href)) as { readonly default?: unknown }
    return typeof exported === 'function' ? await (exported as () => unknown)() : exported
  } catch (error) {
    throw wrong(path, messageOf(error), error)
  }
}

function isPlugin(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function wrong(path: string, why: string, cause?: unknown): AppError {
  const message = `The plugin ${path} cannot be used: ${why}. Mend it, or take it out of "plugins" under [graphql] in config.toml.`
  return new AppError('CONFIG_INVALID', message, { cause })
}
