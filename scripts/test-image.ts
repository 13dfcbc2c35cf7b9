/**
 * `npm run test:image`: carries out deploy/Dockerfile without a container engine. What COPY and RUN name under / lies
 * in a scratch folder instead; the packages of Debian and the user are left out. The result is started by the image's
 * own ENTRYPOINT and ENV on a PostgreSQL of its own, and asked by the image's HEALTHCHECK.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts'
import { systemClock } from '../src/platform/clock.ts'
import { createLogger } from '../src/platform/logger.ts'
import { dockerSteps, type DockerStep } from './docker-steps.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'factotum-image-'))
// The account that PostgreSQL runs under, where root runs this, passes through.
chmodSync(scratch, 0o711)
const PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)
/** Changes of the machine, which a container would have for itself. */
const OF_THE_MACHINE = /^(?:apt-get|useradd)\b/
/** Given to the build, and what the image has to say it is of. */
const COMMIT = '0123456789ab'
const image = {
  args: {} as Record<string, string>,
  folder: '/',
  env: {} as Record<string, string>,
  entrypoint: [] as string[],
  health: [] as string[],
}

try {
  for (const step of dockerSteps(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'))) carryOut(step)
  await startImage()
  console.log('test:image: every step was carried out; the server started, was healthy, and stopped.')
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function carryOut({ instruction, value }: DockerStep): void {
  switch (instruction) {
    case 'WORKDIR':
      image.folder = value
      return void mkdirSync(inScratch(value), { recursive: true })
    case 'COPY':
      return copy(value)
    case 'RUN':
      if (!OF_THE_MACHINE.test(value)) run('sh', ['-c', inScratchAll(value)])
      return
    case 'ARG': {
      const [name = '', byDefault = ''] = value.split('=')
      image.args[name] = name === 'FACTOTUM_COMMIT' ? COMMIT : byDefault
      return
    }
    case 'ENV':
      for (const [, name = '', set = ''] of value.matchAll(/(\w+)=(\S+)/g)) image.env[name] = inScratchAll(set)
      return
    case 'ENTRYPOINT':
      image.entrypoint = (JSON.parse(value) as string[]).map(inScratchAll)
      return
    case 'HEALTHCHECK':
      image.health = JSON.parse(value.slice(value.indexOf('['))) as string[]
      return
    default:
      assert.match(instruction, /^(?:FROM|USER|VOLUME|EXPOSE|STOPSIGNAL)$/, `${instruction} is not carried out here`)
  }
}

/** Both stages share the scratch folder, so that "--from" is a copy onto itself. */
function copy(value: string): void {
  if (value.startsWith('--from=')) return
  assert.equal(value, '. .')
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
  const names = readdirSync(root).filter((name) => !ignored.includes(name) && !ignored.includes(`**/${name}`))
  for (const name of names)
    cpSync(join(root, name), join(inScratch(image.folder), name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('/node_modules') && !path.endsWith('/dist'),
    })
}

function run(program: string, args: readonly string[]): void {
  console.log(`${program} ${args.join(' ')}`)
  mkdirSync(inScratch('/tmp'), { recursive: true })
  const env = { PATH, HOME: process.env['HOME'], NO_UPDATE_NOTIFIER: '1', ...image.args }
  execFileSync(program, args, { cwd: inScratch(image.folder), env, stdio: ['ignore', 'ignore', 'inherit'] })
}

async function startImage(): Promise<void> {
  const home = inScratch('/var/lib/factotum')
  mkdirSync(home, { recursive: true })
  const logger = createLogger({ level: 'silent', pretty: false })
  const postgres = await startEmbeddedPostgres({ home: inScratch('/postgres'), logger, clock: systemClock })
  const [program = '', ...args] = image.entrypoint
  const { port } = new URL('http://127.0.0.1:4299')
  const env = { PATH, ...image.env, HOST: '127.0.0.1', PORT: port, DATABASE_URL: postgres.url }
  assert.ok(execFileSync(program, ['--version'], { env: { PATH }, encoding: 'utf8' }).includes(`(${COMMIT})`))
  const server = spawn(program, args, { cwd: inScratch(image.folder), env, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    for await (const line of createInterface(server.stdout)) if (line.includes('factotum is ready')) break
    const [asks = '', ...how] = image.health
    execFileSync(asks, how, { env: { PATH, PORT: port } })
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  } finally {
    server.kill('SIGKILL')
    await postgres.stop()
  }
}

function inScratch(path: string): string {
  return join(scratch, path)
}

/** Every absolute path of a command. */
function inScratchAll(command: string): string {
  return command.replaceAll(/(?<![\w.:])\/(?=(?:tmp|src|opt|var)\b)/g, `${scratch}/`)
}
