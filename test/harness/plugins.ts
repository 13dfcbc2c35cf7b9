/** Plugins for tests, put where an admin would put them: as folders below FACTOTUM_HOME. */
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Copies a module, by its path from test/plugins, as the plugin of this name; returns its folder. */
export function addPlugin(home: string, name: string, module: string): string {
  const folder = join(home, 'plugins', name)
  mkdirSync(folder, { recursive: true })
  cpSync(fileURLToPath(new URL(`../plugins/${module}`, import.meta.url)), join(folder, 'plugin.ts'))
  return folder
}

/** Copies a plugin of `examples/plugins`. */
export function addExamplePlugin(home: string, name: string): void {
  const example = fileURLToPath(new URL(`../../examples/plugins/${name}`, import.meta.url))
  cpSync(example, join(home, 'plugins', name), { recursive: true })
}
