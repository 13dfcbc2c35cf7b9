/**
 * Makes dist/, what a release runs: the server with all that it imports and all that is generated in a few files of
 * JavaScript, the client for frontends with its types, and the licences of everything that is in these. Runs before
 * `npm pack`, which takes what "files" in package.json names; a release wants only two packages: Node 24 and, unless
 * PostgreSQL is somewhere else, the embedded PostgreSQL.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { licencesOf } from './licences-of.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
if (!existsSync(join(root, 'node_modules/rolldown'))) {
  console.error(
    'factotum: a release is made with the development packages, which are not installed. Run "npm ci" first.',
  )
  process.exit(1)
}
const { rolldown } = await import('rolldown')

rmSync(dist, { recursive: true, force: true })
const modules = [
  ...(await bundle('node', {
    input: { cli: 'src/cli.ts', 'command-host-main': 'src/execution/host/command-host-main.ts' },
    dir: dist,
  })),
  ...(await bundle('browser', { input: { connect: 'src/client/connect.ts' }, dir: join(dist, 'client') })),
]
const types = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', join(dist, 'client')]
execFileSync(join(root, 'node_modules/.bin/tsc'), ['--project', 'src/client', ...types], {
  cwd: root,
  stdio: 'inherit',
})
writeFileSync(join(dist, 'NOTICE'), licencesOf(modules))

/** The files of which the bundle is made. */
async function bundle(
  platform: 'node' | 'browser',
  { input, dir }: { readonly input: Record<string, string>; readonly dir: string },
): Promise<string[]> {
  const made = await rolldown({
    cwd: root,
    platform,
    input,
    // Looked for by packages that do without.
    external: ['pg-native', 'pg-cloudflare', 'bufferutil', 'utf-8-validate'],
    logLevel: 'warn',
  })
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name].js' }
  const { output } = await made.write({ dir, format: 'esm', ...names })
  return output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
}
