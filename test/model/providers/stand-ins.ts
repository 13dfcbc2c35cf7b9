/**
 * `npm run test:stand-ins`: stand-ins for model providers that others wrote, fetched from the registry into a scratch
 * folder and started by their own commands. A server that has each of them as its provider is asked in sessions with
 * mode CHAT: the answer is streamed, and comes whole. Those that can be given answers play two whole turns besides: one
 * with a plan, a command, its review and a text, and one in which the model calls a tool and answers by its result.
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

/** The turn with a plan: what each role answers. */
const PLANNED = 'What does the shop sell?'
const PLAN = JSON.stringify({
  goal: 'The user knows what the shop sells.',
  secrets: null,
  tasks: [
    { type: 'exec', detail: 'echo bread and tea', skill: null, args: null, expect: 'It names the goods.' },
    { type: 'msg', detail: 'Say what the shop sells, in English.', skill: null, args: null, expect: null },
  ],
  answers: null,
  facts: null,
})
const REVIEW = JSON.stringify({ status: 'ok', reason: null, learn: null })
const FINAL_TEXT = 'It sells bread and tea.'
/** The turn with a call of a tool. */
const CALLED = 'Who works in the shop?'
const CALL = { name: 'exec', arguments: JSON.stringify({ command: 'echo Ada and Ben' }) }
const FOUND = 'Ada and Ben work there.'

interface StandIn {
  readonly name: string
  readonly program: string
  readonly args: (port: number, folder: string) => readonly string[]
  readonly model: string
  /** What it answers to anything, or to `SAID`. */
  readonly answers: RegExp
  /** It is told what to answer to whom: whole turns can be played. */
  readonly plays: boolean
}

const STAND_INS: readonly StandIn[] = [
  {
    name: 'aimock',
    program: '@copilotkit/aimock/dist/cli.js',
    args: (port, folder) => ['--port', String(port), '--fixtures', join(folder, 'aimock'), '--chunk-size', '8'],
    model: 'gpt-4o',
    answers: new RegExp(ANSWER),
    plays: true,
  },
  {
    name: 'openai-mock-api',
    program: 'openai-mock-api/dist/cli.js',
    args: (port, folder) => ['--port', String(port), '--config', join(folder, 'openai-mock-api.yaml')],
    model: 'gpt-4o',
    answers: new RegExp(ANSWER),
    plays: true,
  },
  {
    name: 'mock-openai-api',
    program: 'mock-openai-api/dist/cli.js',
    args: (port) => ['--port', String(port), '--host', '127.0.0.1'],
    model: 'gpt-4-mock',
    answers: /\S/,
    plays: false,
  },
]

await using folder = await createTemporaryHome()
// The account that PostgreSQL runs under, where root runs this, passes through.
chmodSync(folder.path, 0o711)
const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
execFileSync('npm', ['install', ...quiet, '--prefix', folder.path, ...PACKAGES], { stdio: 'inherit' })
mkdirSync(join(folder.path, 'aimock'))
const isRole = (role: string): string => `You are the ${role}`
writeFileSync(
  join(folder.path, 'aimock', 'answers.json'),
  JSON.stringify({
    fixtures: [
      { match: { userMessage: SAID }, response: { content: ANSWER } },
      { match: { systemMessage: isRole('planner') }, response: { content: PLAN } },
      { match: { systemMessage: isRole('reviewer') }, response: { content: REVIEW } },
      { match: { systemMessage: isRole('messenger') }, response: { content: FINAL_TEXT } },
      { match: { userMessage: CALLED, hasToolResult: false }, response: { toolCalls: [CALL] } },
      { match: { userMessage: CALLED, hasToolResult: true }, response: { content: FOUND } },
    ],
  }),
)
/** Of openai-mock-api: the last message is the answer to those before. JSON is YAML, too. */
const flow = (id: string, system: string | null, messages: readonly object[]): object => ({
  id,
  messages: [
    system === null ? { role: 'system', matcher: 'any' } : { role: 'system', content: system, matcher: 'contains' },
    ...messages,
  ],
})
const said = (content: string): object => ({ role: 'user', content, matcher: 'contains' })
const anything = { role: 'user', matcher: 'any' }
const answer = (content: string): object => ({ role: 'assistant', content })
const call = { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: CALL }] }
writeFileSync(
  join(folder.path, 'openai-mock-api.yaml'),
  JSON.stringify({
    apiKey: KEY,
    responses: [
      flow('shop', null, [said(SAID), answer(ANSWER)]),
      flow('planner', isRole('planner'), [anything, answer(PLAN)]),
      flow('reviewer', isRole('reviewer'), [anything, answer(REVIEW)]),
      flow('messenger', isRole('messenger'), [anything, answer(FINAL_TEXT)]),
      flow('call', null, [said(CALLED), call]),
      flow('result', null, [
        said(CALLED),
        call,
        { role: 'tool', matcher: 'any', tool_call_id: 'call_1' },
        answer(FOUND),
      ]),
    ],
  }),
)
for (const standIn of STAND_INS) await converse(standIn)

async function converse(standIn: StandIn): Promise<void> {
  const { name, program, args } = standIn
  const port = await freePort()
  const child = spawn(process.execPath, [join(folder.path, 'node_modules', program), ...args(port, folder.path)], {
    stdio: 'ignore',
  })
  try {
    await answersAt(port)
    const logger = createLogger({ level: 'silent', pretty: false })
    const home = join(folder.path, `${name}-home`)
    const postgres = await startEmbeddedPostgres({ home, logger, clock: systemClock })
    try {
      await play(standIn, { port, databaseUrl: postgres.url })
    } finally {
      await postgres.stop()
    }
  } finally {
    child.kill()
  }
}

interface Stage {
  readonly port: number
  readonly databaseUrl: string
}

async function play({ name, model, answers, plays }: StandIn, { port, databaseUrl }: Stage): Promise<void> {
  const toml = `[providers.p]\nbase_url = "http://127.0.0.1:${port}/v1"\napi_key_env = "P_KEY"\n[models]\nplanner = "p:${model}"\n`
  await using story = await Story.begin({ databaseUrl, config: { toml }, environment: { P_KEY: KEY } })
  const text = await turnOf(story, { name, mode: 'CHAT', said: SAID })
  assert.match(text.answer, answers)
  console.log(`${name}: answered ${JSON.stringify(text.answer.slice(0, 60))}`)
  if (!plays) return
  const planned = await turnOf(story, { name, mode: 'PLAN', said: PLANNED })
  assert.deepEqual(planned, { answer: FINAL_TEXT, output: 'bread and tea\n', plans: 1, reviews: 1 })
  const called = await turnOf(story, { name, mode: 'CHAT', said: CALLED })
  assert.equal(called.output, 'Ada and Ben\n', name)
  assert.equal(called.answer, FOUND, name)
  console.log(`${name}: played a plan with its command and review, and a call of a tool`)
}

interface Played {
  readonly name: string
  readonly mode: 'PLAN' | 'CHAT'
  readonly said: string
}

/** One message in a session of its own. */
async function turnOf(story: Story, { name, mode, said }: Played) {
  const ada = story.as('ada')
  const id = `cli:${mode.toLowerCase()}-${said.length}`
  await ada.session(id).open({ mode })
  await using watch = watchAll(ada, id)
  await send(ada, id, said)
  await turnEnd(watch)
  const [end] = eventsOf(watch, 'TurnCompletedEvent')
  assert.equal(end?.turnStatus, 'DONE', `${name}: ${JSON.stringify(end)}`)
  return {
    answer: eventsOf(watch, 'TextCompletedEvent').at(-1)?.content ?? '',
    output: eventsOf(watch, 'TaskOutputEvent')
      .map(({ text }) => text)
      .join(''),
    plans: eventsOf(watch, 'PlanCreatedEvent').length,
    reviews: eventsOf(watch, 'ReviewEvent').length,
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
