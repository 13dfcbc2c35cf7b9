/**
 * Makes what is not committed: the Prisma client, the Pothos types, the GraphiQL page, the typed GraphQL documents of
 * the client, the console and the tests; then the client for frontends and the console themselves. Runs after `npm ci`
 * and before start, demo and test; does nothing when what it reads has not changed since (`--force`: always). Last the
 * server in dist/, which bin/factotum.js runs while no source is newer: a few files instead of a thousand, which Node
 * loads for half the CPU. After `npm ci --omit=dev` it makes the whole of dist/, as a release has it, and nothing else.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildClient, packClient } from './build-client.ts'
import { buildConsole } from './build-console.ts'
import { buildGraphiql } from './build-graphiql.ts'
import { buildInCopy } from './build-in-copy.ts'
import { buildPluginTypes } from './build-plugin-types.ts'
import { bundleServer } from './bundle.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'src/generated/.stamp')
const sources = [
  'prisma/schema.prisma',
  'schema.graphql',
  'codegen.ts',
  'package-lock.json',
  'scripts/build-graphiql.ts',
  ...filesUnder('src/graphiql'),
  ...filesUnder('packages/client/src/documents'),
  ...filesUnder('console/src').filter((file) => file.endsWith('.graphql')),
  ...filesUnder('src/remote/documents'),
  ...filesUnder('test/documents'),
]
const consoleDir = join(root, 'console/dist')
const consoleStamp = join(consoleDir, '.stamp')
const consoleSources = ['package-lock.json', 'schema.graphql', 'codegen.ts', 'scripts/build-console.ts'].concat(
  filesUnder('console'),
  filesUnder('packages/client/src'),
  ['src/core/text/word-diff.ts', 'src/core/text/harmless.ts', 'src/core/plan/what-runs.ts'],
)

const wanted = digestOf(sources)
const dist = join(root, 'dist')

if (!hasGenerators()) makeDist()
const isForced = process.argv.includes('--force')
if (isForced || readStamp(stamp) !== wanted) {
  run('prisma', ['generate'])
  await buildGraphiql(join(root, 'src/generated/graphiql'))
  if (existsSync(join(root, 'schema.graphql'))) run('graphql-codegen', ['--config', 'codegen.ts'])
  mkdirSync(join(root, 'src/generated'), { recursive: true })
  writeFileSync(stamp, wanted)
}
const clientStamp = join(root, 'packages/client/dist/.stamp')
const wantedClient = digestOf([
  ...sources,
  'scripts/build-client.ts',
  'packages/client/package.json',
  ...filesUnder('packages/client/src'),
])
if (isForced || readStamp(clientStamp) !== wantedClient) {
  buildClient(run)
  packClient(join(root, 'src/generated/client'))
  writeFileSync(clientStamp, wantedClient)
}
const wantedConsole = digestOf(consoleSources)
if (isForced || readStamp(consoleStamp) !== wantedConsole) {
  await buildConsole(consoleDir)
  writeFileSync(consoleStamp, wantedConsole)
}
const serverStamp = join(dist, '.server-stamp')
const serverSources = filesUnder('src')
const wantedServer = digestOf([...sources, 'scripts/bundle.ts', 'scripts/build-plugin-types.ts', ...serverSources])
if (!isBeingPacked() && (isForced || readStamp(serverStamp) !== wantedServer)) {
  // Then put in its place: what is broken off leaves no half of a server, and one that runs finds its programs.
  const fresh = `${dist}-new`
  rmSync(fresh, { recursive: true, force: true })
  await bundleServer(fresh, 'js')
  buildPluginTypes(run, fresh)
  writeFileSync(join(fresh, '.server-stamp'), wantedServer)
  rmSync(dist, { recursive: true, force: true })
  renameSync(fresh, dist)
} else if (serverSources.some((file) => isNewer(file, serverStamp))) {
  // Written again, and the same: bin/factotum.js compares times.
  writeFileSync(serverStamp, wantedServer)
}

function isNewer(file: string, stamp: string): boolean {
  return existsSync(stamp) && statSync(join(root, file)).mtimeMs > statSync(stamp).mtimeMs
}

/** `npm pack` runs "prepack", then "prepare", takes the files, and then runs "postpack". */
function isBeingPacked(): boolean {
  return process.env['npm_command'] === 'pack' && process.env['npm_lifecycle_event'] === 'prepare'
}

function hasGenerators(): boolean {
  return ['prisma', 'graphql-codegen', 'rolldown'].every((tool) => existsSync(join(root, 'node_modules/.bin', tool)))
}

/** Ends the process. */
function makeDist(): never {
  const made = join(dist, '.stamp')
  const digest = digestOf([...sources, ...consoleSources, 'package.json', 'scripts/build.ts', ...filesUnder('src')])
  if (readStamp(made) === digest) process.exit(0)
  console.log(
    'factotum: no development packages are here, so the server is built in a copy that has them; this takes a minute.',
  )
  try {
    buildInCopy(root)
    writeFileSync(made, digest)
    process.exit(0)
  } catch (error) {
    console.error(`factotum: the server was not built\n${printedBy(error)}`)
    console.error('factotum: install a release (README.md), or run "npm ci" with the development packages.')
    process.exit(1)
  }
}

function readStamp(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

function digestOf(files: readonly string[]): string {
  const digest = createHash('sha256')
  for (const file of files)
    digest.update(file).update(existsSync(join(root, file)) ? readFileSync(join(root, file)) : '')
  return digest.digest('hex')
}

function filesUnder(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => /\.(graphql|tsx?|md|css|html|svg)$/.test(file) && !/\/(generated|dist|node_modules)\//.test(file))
    .sort()
}

/** Quiet unless it fails: the output of generators does not help a user who starts a server. */
function run(tool: string, args: readonly string[]): void {
  try {
    execFileSync(join(root, 'node_modules/.bin', tool), args, {
      cwd: root,
      stdio: 'pipe',
      env: { ...process.env, NO_UPDATE_NOTIFIER: '1' },
    })
  } catch (error) {
    console.error(`factotum: "${tool} ${args.join(' ')}" failed\n${printedBy(error)}`)
    process.exit(1)
  }
}

function printedBy(error: unknown): string {
  const { stdout, stderr, message } = error as { stdout?: Buffer; stderr?: Buffer; message?: string }
  return `${stdout?.toString() ?? ''}${stderr?.toString() ?? ''}` || (message ?? '')
}
