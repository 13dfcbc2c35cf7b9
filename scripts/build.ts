/**
 * Makes dist/, what a release runs: the server with all that it imports and all that is generated in a few files of
 * JavaScript, the client for frontends with its types, the GraphiQL page, the console, and the licences of everything
 * that is in these. Runs before `npm pack`, which takes what "files" in package.json names; a release wants only two
 * packages: Node 24 and, unless PostgreSQL is somewhere else, the embedded PostgreSQL.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildClient, packClient } from './build-client.ts'
import { buildConsole } from './build-console.ts'
import { buildGraphiql } from './build-graphiql.ts'
import { buildPluginTypes } from './build-plugin-types.ts'
import { bundle, SERVER_PROGRAMS } from './bundle.ts'
import { licencesOf } from './licences-of.ts'
import { writeCommit } from './write-commit.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
if (!existsSync(join(root, 'node_modules/rolldown'))) {
  console.error(
    'factotum: a release is made with the development packages, which are not installed. Run "npm ci" first.',
  )
  process.exit(1)
}
rmSync(dist, { recursive: true, force: true })
const modules = [
  ...(await bundle('node', { input: SERVER_PROGRAMS, dir: dist })),
  ...(await bundle('browser', { input: { connect: 'packages/client/src/connect.ts' }, dir: join(dist, 'client') })),
]
modules.push(...(await buildGraphiql(join(dist, 'graphiql'))), ...(await buildConsole(join(dist, 'console'))))
const types = [
  '--noEmit',
  'false',
  '--rootDir',
  join(root, 'packages/client/src'),
  '--declaration',
  '--emitDeclarationOnly',
  '--outDir',
  join(dist, 'client'),
]
const run = (tool: string, args: readonly string[]): void =>
  void execFileSync(join(root, 'node_modules/.bin', tool), args, { cwd: root, stdio: 'inherit' })
run('tsc', ['--project', 'packages/client', ...types])
buildClient(run)
buildPluginTypes(run, dist)
packClient(join(dist, 'client'))
writeFileSync(join(dist, 'NOTICE'), licencesOf(modules))
await writeCommit(dist, process.env)
