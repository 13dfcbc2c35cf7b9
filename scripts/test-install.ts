/**
 * `npm run test:install`: makes a release, installs it into an empty folder as an operator would (with the Node of the PATH, and the
 * registry), measures it, starts it, sends a message, and stops it by SIGTERM. Ends with a failure when any of this does.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Megabytes on disk. */
const LIMITS = { 'with PostgreSQL': 300, 'without PostgreSQL': 220 }
const PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)
const env = { PATH, HOME: process.env['HOME'], PORT: '0' }

const tarball = execFileSync('node', [join(root, 'scripts/pack-release.ts')], { encoding: 'utf8' }).trim()
const folder = mkdtempSync(join(tmpdir(), 'factotum-install-'))
try {
  chmodSync(folder, 0o711)
  measure('without PostgreSQL', ['--omit=optional'])
  measure('with PostgreSQL', [])
  await run()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function measure(what: keyof typeof LIMITS, flags: readonly string[]): void {
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  rmSync(join(folder, 'package-lock.json'), { force: true })
  writeFileSync(join(folder, 'package.json'), '{}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...flags, tarball], { cwd: folder, env, stdio: 'inherit' })
  const [size = ''] = execFileSync('du', ['-sm', 'node_modules'], { cwd: folder, encoding: 'utf8' }).split('\t')
  console.log(`${what}: ${size} MB of at most ${LIMITS[what]}`)
  assert.ok(Number(size) <= LIMITS[what])
}

async function run(): Promise<void> {
  const home = join(folder, 'home')
  const server = spawn(join(folder, 'node_modules/.bin/factotum'), {
    env: { ...env, FACTOTUM_HOME: home },
    cwd: folder,
  })
  const exited = once(server, 'exit')
  server.stderr.pipe(process.stderr)
  let token = ''
  for await (const line of createInterface(server.stdout)) {
    token ||= /fct_[0-9a-f]{64}/.exec(line)?.[0] ?? ''
    const url = /"url":"([^"]+)".*factotum is ready/.exec(line)?.[1]
    if (url !== undefined) await talk(url, token).finally(() => server.kill('SIGTERM'))
  }
  assert.deepEqual(await exited, [0, null])
  console.log('started, answered and stopped')
}

async function talk(url: string, token: string): Promise<void> {
  const ask = async (query: string): Promise<string> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    return (await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })).text()
  }
  await ask(
    'mutation { sendMessage(input: { sessionId: "cli:install", content: "run: echo $((6 * 7)) is it" }) { __typename } }',
  )
  const isDone = async (): Promise<boolean> =>
    (await ask('{ tasks(first: 5) { edges { node { output } } } }')).includes('42 is it')
  for (let tries = 0; !(await isDone()); tries += 1) {
    assert.ok(tries < 300, 'the command has no output')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
