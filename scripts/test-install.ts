/**
 * `npm run test:install`: makes a release, installs it into an empty folder as an operator would (with the Node of the
 * PATH, and the registry), measures it, starts it, sends a message by the client that it brings, and stops it by
 * SIGTERM. Then the same with `npm ci --omit=dev` in a fresh clone of what is committed. Of each server the client is
 * installed, and tried with every Node that it is for. Ends with a failure when any of this does, or npm complains of
 * an engine.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ASKING_SCRIPT, NO_SOCKET } from '../test/clients/installed-client.ts'
import type { connect as Connect, FactotumClient } from '../packages/client/src/connect.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Megabytes on disk. */
const LIMITS = { 'with PostgreSQL': 300, 'without PostgreSQL': 220 }
/** What the client is for. */
const NODES = [20, 22, 24]
const PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)
const env = { PATH, HOME: process.env['HOME'], PORT: '0' }

const folder = mkdtempSync(join(tmpdir(), 'factotum-install-'))
try {
  chmodSync(folder, 0o711)
  const tarball = pack()
  const installed = join(folder, 'release')
  installRelease(installed, [tarball, '--omit=optional'])
  measure(installed, 'without PostgreSQL')
  installRelease(installed, [tarball])
  measure(installed, 'with PostgreSQL')
  await run(installed, 'node_modules/.bin/factotum')
  const clone = join(folder, 'clone')
  execFileSync('git', ['clone', '--quiet', root, clone])
  npm(clone, ['ci', '--omit=dev', '--omit=optional'])
  measure(clone, 'without PostgreSQL')
  npm(clone, ['ci', '--omit=dev'])
  measure(clone, 'with PostgreSQL')
  await run(clone, 'bin/factotum.js')
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Plain `npm pack`, without options that a user would not give. */
function pack(): string {
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root, encoding: 'utf8' })
  const name = /"filename": "([^"]+)"/.exec(printed)?.[1] ?? ''
  const files = execFileSync('tar', ['-tzf', join(folder, name)], { encoding: 'utf8' }).split('\n')
  for (const file of [
    'bin/factotum.js',
    'deploy/factotum.service',
    'dist/cli.js',
    'dist/NOTICE',
    'dist/client/connect.js',
    'dist/client/connect.d.ts',
    'dist/plugin-api/plugin.d.ts',
    'dist/client/client.tgz',
    'dist/graphiql/index.html',
  ])
    assert.ok(files.includes(`package/${file}`), `${file} is not in the tarball`)
  assert.deepEqual(
    files.filter((file) => /^package\/(?:src\/.*\.ts|test|scripts|node_modules)/.test(file)),
    [],
  )
  return join(folder, name)
}

function installRelease(where: string, what: readonly string[]): void {
  rmSync(where, { recursive: true, force: true })
  mkdirSync(where)
  writeFileSync(join(where, 'package.json'), '{}')
  npm(where, ['install', ...what])
}

function npm(cwd: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('npm', [...args, '--no-audit', '--no-fund'], {
    cwd,
    env,
    encoding: 'utf8',
  })
  console.log(stdout)
  assert.equal(status, 0, stderr)
  // The lock file's graphql is the server's, which brings its own Node; the client needs none of it.
  const refused = [...stderr.matchAll(/EBADENGINE +package: '([^']+)'/g)].map(([, name]) => name)
  assert.deepEqual(
    refused.filter((name) => name?.startsWith('graphql@') === false),
    [],
    stderr,
  )
}

function measure(where: string, what: keyof typeof LIMITS): void {
  const folders = ['node_modules', 'dist'].filter((name) => existsSync(join(where, name)))
  const size = /(\d+)\ttotal/.exec(execFileSync('du', ['-smc', ...folders], { cwd: where, encoding: 'utf8' }))?.[1]
  console.log(`${where.split('/').at(-1)} ${what}: ${size} MB of at most ${LIMITS[what]}`)
  assert.ok(Number(size) <= LIMITS[what])
}

async function run(where: string, program: string): Promise<void> {
  const home = join(where, 'home')
  const server = spawn(join(where, program), { env: { ...env, FACTOTUM_HOME: home }, cwd: where })
  const exited = once(server, 'exit')
  server.stderr.pipe(process.stderr)
  const { connect } = (await import(join(where, clientOf(where)))) as { connect: typeof Connect }
  let token = ''
  for await (const line of createInterface(server.stdout)) {
    token ||= /fct_[0-9a-f]{64}/.exec(line)?.[0] ?? ''
    const url = /"url":"([^"]+)".*factotum is ready/.exec(line)?.[1]
    if (url === undefined) continue
    try {
      await expectGraphiql(url)
      await talk(connect({ url, token }))
      await tryClient(url, token)
    } finally {
      server.kill('SIGTERM')
    }
  }
  assert.deepEqual(await exited, [0, null])
  console.log('started, answered and stopped')
}

/** As a frontend installs it, by each Node. */
async function tryClient(url: string, token: string): Promise<void> {
  const where = join(folder, 'frontend')
  installRelease(where, [`${url}/client.tgz`, 'ws'])
  writeFileSync(join(where, 'script.mjs'), ASKING_SCRIPT)
  for (const major of NODES) {
    const name = `node-${process.platform}-${process.arch}`
    const tool = join(folder, `node-${major}`)
    if (!existsSync(tool)) installRelease(tool, [`${name}@${major}`])
    const node = join(tool, 'node_modules', name, 'bin/node')
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
    assert.ok(version.startsWith(`v${major}.`), version)
    const { stdout } = await promisify(execFile)(node, ['script.mjs', url, token, `cli:node-${major}`], { cwd: where })
    const { answer, ...rest } = JSON.parse(stdout) as { readonly answer: string }
    assert.match(answer, /Forty-two\?/)
    assert.deepEqual(rest, { resuming: 'function', problem: major === 20 ? NO_SOCKET : null })
    console.log(`the client asked and was answered by Node ${version}`)
  }
}

/** The page, and what it loads. */
async function expectGraphiql(url: string): Promise<void> {
  const page = await (await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })).text()
  const files = page.match(/\/graphiql\/app-[0-9a-f]+\.(?:js|css)/g) ?? []
  assert.equal(files.length, 2, page)
  for (const file of files) assert.equal((await fetch(`${url}${file}`)).status, 200, file)
}

function clientOf(where: string): string {
  const own = 'dist/client/connect.js'
  return existsSync(join(where, own)) ? own : `node_modules/factotum/${own}`
}

async function talk(client: FactotumClient): Promise<void> {
  const session = client.session('cli:install')
  const sent = await session.send('run: echo $((6 * 7)) is it')
  assert.equal(sent.__typename, 'SendMessagePayload')
  for await (const event of session.events({ after: 0 })) {
    if (event.__typename === 'TaskOutputEvent' && event.text.includes('42 is it')) return client.close()
    assert.notEqual(event.__typename, 'TurnCompletedEvent', 'the command has no output')
  }
}
