/**
 * `npm run pack:release`: makes build/factotum-<version>.tgz, for `npm install ./factotum-<version>.tgz` under Node 20 or later. It holds the
 * server with all that it imports and all that is generated, in a few files of JavaScript; of packages it wants only Node 24 and, where
 * PostgreSQL is not somewhere else (`--omit=optional`), the embedded PostgreSQL.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
const build = join(root, 'build')
const folder = join(build, 'release')

rmSync(build, { recursive: true, force: true })
const bundle = await rolldown({
  cwd: root,
  platform: 'node',
  input: { cli: 'src/cli.ts', 'command-host-main': 'src/execution/host/command-host-main.ts' },
  // Looked for by packages that do without.
  external: ['pg-native', 'pg-cloudflare', 'bufferutil', 'utf-8-validate'],
  logLevel: 'warn',
})
const names = { entryFileNames: '[name].js', chunkFileNames: '[name].js' }
await bundle.write({ dir: join(folder, 'dist'), format: 'esm', ...names })

for (const path of [
  'bin/factotum.js',
  'README.md',
  ...globSync('{prisma/migrations,src/agents}/**/*.{sql,md}', { cwd: root }),
]) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  cpSync(join(root, path), join(folder, path))
}
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
const packed = execFileSync('npm', ['pack', '--pack-destination', build], { cwd: folder, encoding: 'utf8' })
console.log(join(build, packed.trim()))

function manifest(): object {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const { name, version, description, license, type, engines, bin, optionalDependencies, dependencies } = own
  const { node } = dependencies
  return { name, version, description, license, type, engines, bin, dependencies: { node }, optionalDependencies }
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly type: string
  readonly engines: object
  readonly bin: object
  readonly dependencies: { readonly node: string }
  readonly optionalDependencies: object
}
