/** The server or the client with all that they import, in a few files of JavaScript. */
import { symlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The programs of the server, by the names of their files. */
export const SERVER_PROGRAMS = {
  cli: 'src/cli.ts',
  'command-host-main': 'src/execution/host/command-host-main.ts',
  'plugin-thread': 'src/plugin-api/plugin-thread.ts',
  plugin: 'src/plugin-api/plugin.ts',
}

export interface BundleOptions {
  readonly input: Readonly<Record<string, string>>
  readonly dir: string
  /** What Node reads as a module without a package.json. */
  readonly ending?: 'js' | 'mjs'
}

/** Writes to `dir`; the files of which the bundle is made. */
export async function bundle(
  platform: 'node' | 'browser',
  { input, dir, ending = 'js' }: BundleOptions,
): Promise<string[]> {
  const { rolldown } = await import('rolldown')
  const made = await rolldown({
    cwd: root,
    platform,
    input,
    // Packages search for it, and do without.
    external: ['pg-native', 'pg-cloudflare', 'bufferutil', 'utf-8-validate'],
    logLevel: 'warn',
  })
  const names = { entryFileNames: `[name].${ending}`, chunkFileNames: `[name].${ending}` }
  // What documents the sources is a tenth of the size.
  const { output } = await made.write({ dir, format: 'esm', comments: { jsdoc: false }, ...names })
  return output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
}

/**
 * The server of this checkout, with what it serves to browsers as it is built by then. Writes to `dir`, which must not
 * be there yet.
 */
export async function bundleServer(dir: string, ending: 'js' | 'mjs'): Promise<void> {
  await bundle('node', { input: SERVER_PROGRAMS, dir, ending })
  const built = { console: 'console/dist', client: 'src/generated/client', graphiql: 'src/generated/graphiql' }
  for (const [name, folder] of Object.entries(built)) await symlink(relative(dir, join(root, folder)), join(dir, name))
}
