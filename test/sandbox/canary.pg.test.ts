/**
 * The canaries: secrets that stand nowhere else go in by every way there is, and are found nowhere: not in the
 * database, the log, the events, the prompts, nor the posts. What people said in confidence is in one prompt, the one
 * that brings it.
 */
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import { REDACTED } from '../../src/core/text/redacted.ts'
import { randomHex } from '../../src/platform/random.ts'
import { answer, Receiver } from '../delivery/receiver.ts'
import {
  AppendMessageDocument,
  AuditTrailDocument,
  CreateFactDocument,
  FactUpdatesDocument,
  OpenSessionDocument,
  ReloadSecretsDocument,
  SendMessageDocument,
  SessionUpdatesDocument,
  TaskFilesDocument,
  TurnDocument,
  UpdateSessionDocument,
  type SessionUpdatesSubscription,
  type WatchSessionSubscription,
} from '../generated/graphql.ts'
import type { Watch } from '../harness/api-client.ts'
import { dumpDatabase } from '../harness/dump-database.ts'
import { findLeaks } from '../harness/leaks.ts'
import { addSkill } from '../harness/skills.ts'
import { eventsOf, Story, tokenOf, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, shownLabels } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

const canary = (name: string): string => `cnry-${name}+${randomHex(8)}/"ä&=%`

/** Known from the start, or from a reload on. No model ever sees one. */
const DEPLOYED = {
  'line of .env': canary('dotenv'),
  'line of .env, reloaded': canary('reloaded'),
  'variable of a skill': canary('skill'),
  'key of the provider': `cnry-key-${randomHex(12)}`,
  'secret of webhooks': newWebhookSecret(),
  'plain token': tokenOf('cleo'),
}
/** Said in a message. */
const SAID = { 'said in a message': canary('said') }
const ALL = { ...DEPLOYED, ...SAID }
const said = SAID['said in a message']

const SESSION = 'cli:canary'
const EVERYTHING = Object.values(ALL).join('\n')

/** Prints what it was given, whole and in pieces. */
const LEAKY = `
import base64, json, os, sys, time
request = json.load(sys.stdin)
print(json.dumps(request), json.dumps(dict(os.environ)))
for value in list(request["session_secrets"].values()) + list(os.environ.values()):
    sys.stderr.write("\\n" + value[:5]); sys.stderr.flush(); time.sleep(0.06)
    print(value[5:], base64.b64encode(b"x" + value.encode()).decode(), file=sys.stderr)
`
const LEAKY_MANIFEST = `
session_secrets = ["shop_token"]
[kiso.skill.args]
note = { type = "string", default = "" }
[kiso.skill.env]
key = { required = true }
`

/** Form → the command that writes the file in it. */
const DUMPS: Readonly<Record<string, (file: string) => string>> = {
  base32: (file) => `base32 ${file}`,
  'base32 in a line': (file) => `base32 -w 0 ${file}`,
  'base64 twice': (file) => `base64 ${file} | base64`,
  'base64 twice, in a line': (file) => `base64 -w 0 ${file} | base64 -w 0`,
  'od -c': (file) => `od -c ${file}`,
  'od -t x1': (file) => `od -A x -t x1 -v ${file}`,
  'hex dump': (file) => `if command -v xxd > /dev/null; then xxd ${file}; else od -A x -t x1z -v ${file}; fi`,
  reversed: (file) => python(file, 'text[::-1]'),
  'letters apart': (file) => python(file, '" ".join(text)'),
  'letters apart by dashes': (file) => python(file, '"-".join(text)'),
  'letters on lines': (file) => python(file, '"\\n".join(text)'),
  'upper case': (file) => python(file, 'text.upper()'),
  'UTF-16, little end first': (file) => `iconv -f UTF-8 -t UTF-16LE ${file}`,
  'UTF-16, big end first': (file) => `iconv -f UTF-8 -t UTF-16BE ${file}`,
}

function python(file: string, expression: string): string {
  const write = `sys.stdout.buffer.write((${expression}).encode())`
  return `python3 -c 'import sys; text = open(sys.argv[1], encoding="utf-8").read(); ${write}' ${file}`
}

/**
 * Commands that print the file of secrets in every form, in lines and pieces of odd sizes, on both streams, and publish
 * it.
 */
function leakCommands(file: string): string[] {
  const drip = `size=$(wc -c < ${file}); for ((i = 1; i <= size; i += 41)); do tail -c +$i ${file} | head -c 41; sleep 0.01; done`
  const encoded = `base64 ${file}; base64 -w 0 ${file}; base64 -w 0 ${file} | tr '+/' '-_'; base64 -w 11 ${file}`
  const hex = `od -An -v -tx1 ${file}; od -An -v -tx1 ${file} | tr -d ' \\n' | tr a-f A-F`
  const url = `od -An -v -tx1 ${file} | tr -d '\\n' | tr ' ' '%'`
  const dumps = Object.values(DUMPS).map((write) => `${write(file)}; echo`)
  const published = Object.values(DUMPS).map((write, index) => `(${write(file)}) > pub/leak-${index}.txt`)
  return [
    `cat ${file}; cat ${file} >&2; ${encoded}`,
    `${drip}; (${drip}) >&2`,
    dumps.join('; '),
    `mkdir -p pub; echo harmless > pub/harmless.txt; ${published.join('; ')}; cat ${file}`,
    `${hex}; ${url}; exit 3`,
  ]
}

let stub: StubEndpoint
let story: Story
let receiver: Receiver
const log: string[] = []
const watches: Watch<WatchSessionSubscription>[] = []
const lists: Watch<SessionUpdatesSubscription>[] = []
const adminViews: Watch<unknown>[] = []
const commands: string[] = []
let turnIds: string[] = []

const message = { sessionId: SESSION, content: `My token for the shop is ${said} - use it.`, idempotencyKey: 'once' }

beforeAll(async () => {
  stub = await StubEndpoint.start({ by: misbehave })
  receiver = await Receiver.start(answer(200))
  story = await Story.begin({
    config: {
      settings: { webhook_allow_list: ['127.0.0.1'] },
      tokens: { ada: `webhook_secret = "${DEPLOYED['secret of webhooks']}"` },
      // Nobody is there to approve what the planner wants where strangers have written.
      toml: `${stubProvider(stub).replace('[models]', 'api_key_env = "STUB_KEY"\n[models]')}[approvals]\nplans_with_strangers = false\n`,
    },
    environment: { STUB_KEY: DEPLOYED['key of the provider'], KISO_SKILL_LEAKY_KEY: DEPLOYED['variable of a skill'] },
    log: (line) => log.push(line),
  })
  addSkill(story.home, 'leaky', { manifest: LEAKY_MANIFEST, files: { 'run.py': LEAKY } })
  const file = join(story.home, 'everything.txt')
  await writeFile(file, EVERYTHING)
  commands.push(...leakCommands(file))
  await writeFile(join(story.home, '.env'), `A='${DEPLOYED['line of .env']}'`, { mode: 0o600 })
  await play()
})
afterAll(async () => {
  for (const watch of [...watches, ...lists, ...adminViews]) await watch.close()
  await story[Symbol.asyncDispose]()
  await stub.close()
  await receiver[Symbol.asyncDispose]()
})

async function play(): Promise<void> {
  const ada = story.as('ada')
  const ben = story.as('ben')
  const lines = Object.entries({ A: DEPLOYED['line of .env'], B: DEPLOYED['line of .env, reloaded'] })
  await writeFile(join(story.home, '.env'), lines.map(([key, value]) => `${key}='${value}'`).join('\n'))
  await ada.run(ReloadSecretsDocument)
  lists.push(ada.watch(SessionUpdatesDocument, {}), ben.watch(SessionUpdatesDocument, {}))
  await ada.run(OpenSessionDocument, {
    input: {
      id: SESSION,
      webhook: receiver.url(),
      participants: ['ben'],
      description: `The key is ${DEPLOYED['line of .env']}`,
      metadata: { [DEPLOYED['plain token']]: [DEPLOYED['line of .env, reloaded']] },
    },
  })
  watches.push(watchAll(ada, SESSION), watchAll(ben, SESSION))
  adminViews.push(ada.watch(AuditTrailDocument, {}), ada.watch(FactUpdatesDocument, {}))
  await ada.run(SendMessageDocument, { input: message })
  for (const watch of watches) await turnEnd(watch, 1)

  // From here on everything is known, and comes in by the other ways.
  await ada.run(CreateFactDocument, { content: `All of it is known: ${EVERYTHING}` })
  const bridge = story.as('bridge')
  await bridge.run(AppendMessageDocument, { input: { sessionId: SESSION, user: 'stranger', content: EVERYTHING } })
  await ada.run(UpdateSessionDocument, {
    input: { id: SESSION, description: said, metadata: { note: { deep: said } } },
  })
  await ada.run(SendMessageDocument, { input: { sessionId: SESSION, content: `Once more: ${EVERYTHING}` } })
  for (const watch of watches) await turnEnd(watch, 2)
  await ada.run(SendMessageDocument, { input: { sessionId: SESSION, content: 'break down' } })
  for (const watch of watches) await turnEnd(watch, 3)
  turnIds = eventsOf(watches[0] as Watch<WatchSessionSubscription>, 'TurnCompletedEvent').map(
    ({ turnId }) => turnId ?? '',
  )
}

/** A model that says every secret that it could know, wherever it can. */
function misbehave(call: StubCall): StubAnswer {
  switch (call.role) {
    case 'planner':
      return plan(call)
    case 'reviewer':
      return {
        content: { status: 'ok', reason: `Because of ${EVERYTHING}.`, learn: `The token is ${said}, by the way.` },
      }
    case 'messenger':
      return { pieces: [`It is ${said.slice(0, 7)}`, said.slice(7, 20), `${said.slice(20)}, and ${EVERYTHING}`] }
    case 'paraphraser':
      return {
        content: {
          paraphrases: shownLabels(call.user, 'M').map((label) => ({
            message: label,
            givesInstructions: false,
            text: `A stranger says ${said}.`,
          })),
        },
      }
    default:
      return answerWell(call)
  }
}

const msg = { type: 'msg', detail: `Tell them ${EVERYTHING}`, skill: null, args: null, expect: null }
const exec = (detail: string) => ({ type: 'exec', detail, skill: null, args: null, expect: `it shows ${said}` })

function plan({ user }: StubCall): StubAnswer {
  if (user.includes('break down')) return { status: 400, body: { error: { message: `bad key ${EVERYTHING}` } } }
  const echo = { goal: `Use ${said}`, answers: null }
  const leak = { type: 'skill', detail: `with ${said}`, skill: 'leaky', args: '{}', expect: 'it works' }
  if (user.includes('was refused'))
    return { content: { ...echo, secrets: null, tasks: [...commands.map(exec), { ...leak, detail: 'go' }, msg] } }
  const secrets = user.includes(said) ? [{ key: 'shop_token', value: said }] : []
  const args = JSON.stringify({ note: said })
  return { content: { ...echo, secrets, tasks: [exec(`echo ${said}`), { ...leak, args }, msg] } }
}

describe('secrets that go in by every way', () => {
  test('have gone in: turns ran, programs printed them, marks stand in their place', async () => {
    const turns = await Promise.all(turnIds.map((id) => story.as('ada').run(TurnDocument, { id })))
    expect(turns.map(({ turn }) => turn?.status)).toEqual(['DONE', 'DONE', 'FAILED'])
    const [first] = turns
    expect(first?.turn?.plans[0]).toMatchObject({ goal: `Use ${REDACTED}`, secretNames: ['shop_token'] })
    expect(first?.turn?.tasks.map(({ type }) => type)).toEqual([...commands.map(() => 'EXEC'), 'SKILL', 'MSG'])
    for (const task of first?.turn?.tasks ?? []) expect(task.output).toContain(REDACTED)
    expect(turns[2]?.turn?.failure).toContain(REDACTED)
  })

  test.each(Object.entries(DUMPS))('would be found: %s', (_, write) => {
    const file = join(story.home, 'everything.txt')
    const printed = execFileSync('bash', ['-c', write(file)], { encoding: 'utf8' })
    // As they stand in a row, or in an event.
    for (const text of [printed, JSON.stringify({ printed })])
      expect(new Set(findLeaks(text, ALL).map(({ name }) => name))).toEqual(new Set(Object.keys(ALL)))
  })

  test('are in no file that was published', async () => {
    const tasks = turnIds.map(async (id) => (await story.as('ada').run(TurnDocument, { id })).turn?.tasks ?? [])
    const files = (await Promise.all(tasks)).flat().map(async ({ id }) => {
      const { task } = await story.as('ada').run(TaskFilesDocument, { id })
      return task?.files.map(({ name }) => name) ?? []
    })
    const names = (await Promise.all(files)).flat()
    expect(names).toContain('harmless.txt')
    expect(names.filter((name) => name.startsWith('leak-'))).toEqual([])
  })

  test('are nowhere in the database', async () => {
    const dump = await dumpDatabase(story.databaseUrl)
    expect(dump).toContain('messages: ')
    expect(findLeaks(dump, ALL)).toEqual([])
  })

  test('are nowhere in the log, of all levels', () => {
    expect(log.length).toBeGreaterThan(10)
    expect(findLeaks(log.join(''), ALL)).toEqual([])
  })

  test('are in nothing that subscribers were sent, but the message and its preview before anybody knew', () => {
    for (const watch of watches) {
      const frames = watch.received.map(({ sessionEvents: event }) => event)
      // The last: that its turn begins was told before.
      const known = frames.findLastIndex((event) => event.__typename === 'MessageUpdatedEvent')
      const before = frames.slice(0, known).filter((event) => findLeaks(JSON.stringify(event), SAID).length > 0)
      const mayHold = new Set(['SessionUpdatedEvent', 'MessageReceivedEvent', 'MessageUpdatedEvent'])
      expect(before.filter((event) => !mayHold.has(event.__typename))).toEqual([])
      expect(findLeaks(JSON.stringify(frames.slice(known)), ALL)).toEqual([])
      expect(findLeaks(JSON.stringify(frames), DEPLOYED)).toEqual([])
    }
    for (const list of lists) {
      expect(findLeaks(JSON.stringify(list.received), DEPLOYED)).toEqual([])
      expect(findLeaks(JSON.stringify(list.received.at(-1)), ALL)).toEqual([])
    }
  })

  test('are in nothing that admins see of audit and knowledge', async () => {
    for (const view of adminViews) {
      await view.until(() => true)
      expect(findLeaks(JSON.stringify(view.received), ALL)).toEqual([])
    }
  })

  test('are in no prompt, but what was said once, in the first', () => {
    const prompts = stub.calls.map(({ body }) => JSON.stringify(body))
    expect(prompts.length).toBeGreaterThan(10)
    expect(prompts.flatMap((prompt) => findLeaks(prompt, DEPLOYED))).toEqual([])
    expect(prompts.flatMap((prompt, index) => (findLeaks(prompt, SAID).length > 0 ? [index] : []))).toEqual([0])
  })

  test('are in nothing that was posted', async () => {
    // The answers of two turns, and why the third failed.
    const posts = await receiver.received.until((all) => all.length === 3)
    expect(findLeaks(JSON.stringify(posts), ALL)).toEqual([])
  })

  test('the message stands redacted, its session shows it so, and sent again it is still the same', async () => {
    const ada = story.as('ada')
    const { sendMessage } = await ada.run(SendMessageDocument, { input: message })
    expect(sendMessage).toMatchObject({
      __typename: 'SendMessagePayload',
      duplicate: true,
      message: { content: `My token for the shop is ${REDACTED} - use it.` },
    })
    const other = { ...message, content: message.content.replace('the shop', 'the bank') }
    const { sendMessage: refused } = await ada.run(SendMessageDocument, { input: other })
    expect(refused.__typename).toBe('ConflictRefusal')
  })
})
