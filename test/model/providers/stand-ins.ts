/**
 * `npm run test:stand-ins`: stand-ins for model providers that others wrote, fetched from the registry into a scratch
 * folder and started by their own commands. A server that has each of them as its provider is asked in a session with
 * mode CHAT: the answer is streamed, and comes whole.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { eventsOf, send, Story, turnEnd, watchAll } from '../../harness/story.ts'
import { createTemporaryHome } from '../../harness/temporary-home.ts'
import { startEmbeddedPostgres } from '../../../src/postgres/embedded-postgres.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { createLogger } from '../../../src/platform/logger.ts'

const PACKAGES = ['@copilotkit/aimock@1.43.0', 'openai-mock-api@0.4.0', 'mock-openai-api@1.0.3']
const KEY = 'a-key-for-the-stand-in'
const SAID = 'When does the shop open?'
const ANSWER = 'The shop opens at nine, every day but Sunday.'

interface StandIn {
  readonly name: string
  readonly program: string
  readonly args: (port: number, folder: string) => readonly string[]
  readonly model: string
  /** What it answers to anything, or to `SAID`. */
  readonly answers: RegExp
}

const STAND_INS: readonly StandIn[] = [
  {
    name: 'aimock',
    program: '@copilotkit/aimock/dist/cli.js',
    args: (port, folder) => ['--port', String(port), '--fixtures', join(folder, 'aimock'), '--chunk-size', '8'],
    model: 'gpt-4o',
    answers: new RegExp(ANSWER),
  },
  {
    name: 'openai-mock-api',
    program: 'openai-mock-api/dist/cli.js',
    args: (port, folder) => ['--port', String(port), '--config', join(folder, 'openai-mock-api.yaml')],
    model: 'gpt-4o',
    answers: new RegExp(ANSWER),
  },
  {
    name: 'mock-openai-api',
    program: 'mock-openai-api/dist/cli.js',
    args: (port) => ['--port', String(port), '--host', '127.0.0.1'],
    model: 'gpt-4-mock',
    answers: /\S/,
  },
]

await using folder = await createTemporaryHome()
// The account that PostgreSQL runs under, where root runs this, passes through.
chmodSync(folder.path, 0o711)
const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
execFileSync('npm', ['install', ...quiet, '--prefix', folder.path, ...PACKAGES], { stdio: 'inherit' })
mkdirSync(join(folder.path, 'aimock'))
writeFileSync(
  join(folder.path, 'aimock', 'answers.json'),
  JSON.stringify({ fixtures: [{ match: { userMessage: SAID }, response: { content: ANSWER } }] }),
)
writeFileSync(
  join(folder.path, 'openai-mock-api.yaml'),
  `apiKey: '${KEY}'
responses:
  - id: shop
    messages:
      - { role: system, matcher: any }
      - { role: user, content: '${SAID}', matcher: contains }
      - { role: assistant, content: '${ANSWER}' }
`,
)
for (const standIn of STAND_INS) await converse(standIn)

async function converse({ name, program, args, model, answers }: StandIn): Promise<void> {
  const port = await freePort()
  const child = spawn(process.execPath, [join(folder.path, 'node_modules', program), ...args(port, folder.path)], {
    stdio: 'ignore',
  })
  try {
    await answersAt(port)
    const logger = createLogger({ level: 'silent', pretty: false })
    const home = join(folder.path, `${name}-home`)
    const postgres = await startEmbeddedPostgres({ home, logger, clock: systemClock })
    const toml = `[providers.p]\nbase_url = "http://127.0.0.1:${port}/v1"\napi_key_env = "P_KEY"\n[models]\nplanner = "p:${model}"\n`
    try {
      await using story = await Story.begin({
        databaseUrl: postgres.url,
        config: { toml },
        environment: { P_KEY: KEY },
      })
      const ada = story.as('ada')
      await ada.session('cli:shop').open({ mode: 'CHAT' })
      await using watch = watchAll(ada, 'cli:shop')
      await send(ada, 'cli:shop', SAID)
      await turnEnd(watch)
      const [end] = eventsOf(watch, 'TurnCompletedEvent')
      assert.equal(end?.turnStatus, 'DONE', `${name}: ${JSON.stringify(end)}`)
      const text = eventsOf(watch, 'TextCompletedEvent').at(-1)?.content ?? ''
      assert.match(text, answers)
      console.log(`${name}: answered ${JSON.stringify(text.slice(0, 60))}`)
    } finally {
      await postgres.stop()
    }
  } finally {
    child.kill()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function answersAt(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const isThere = await fetch(`http://127.0.0.1:${port}/v1/models`).then(
      () => true,
      () => false,
    )
    if (isThere) return
    await pause(50)
  }
  throw new Error('the stand-in does not start')
}
