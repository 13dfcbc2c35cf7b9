/** Secrets at work: who is given which, for how long, and what the planner may not do with them. */
import { hash } from 'node:crypto'
import { rename, symlink, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { REDACTED } from '../../src/core/text/redacted.ts'
import {
  AppendMessageDocument,
  DeleteSessionDocument,
  OpenSessionDocument,
  ReloadSecretsDocument,
  SendMessageDocument,
  SessionDocument,
  SessionEventsDocument,
} from '../generated/graphql.ts'
import { findInDatabase } from '../harness/find-in-database.ts'
import { addSkill } from '../harness/skills.ts'
import { converse, Story, storyConfig, turnEnd, watchAll, type Conversation } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'
import { PATIENCE } from '../harness/patience.ts'

const TOKEN = 'hush-hush-1234567'

/** Says hashes of what it was given: a program that tells a secret in a way that nobody can know does so. */
const TELLER = `
import hashlib, json, os, sys
digest = lambda value: hashlib.sha256(value.encode()).hexdigest()
given = json.load(sys.stdin)["session_secrets"]
print(json.dumps({**{key: digest(value) for key, value in given.items()}, "deployed": digest(os.environ.get("KISO_SKILL_TELLER_KEY", ""))}))
`
const manifest = (keys: string): string => `session_secrets = [${keys}]\n[kiso.skill.env]\nkey = { required = false }\n`

let stub: StubEndpoint
let story: Story
/** What the planner answers, in turn; the last one goes on. */
let plans: object[] = []
/** What the reviewer answers, in turn; then, that all is well. */
let reviews: object[] = []

beforeAll(async () => {
  stub = await StubEndpoint.start({ by: play })
  story = await Story.begin({ config: { toml: stubProvider(stub) } })
  for (const [name, keys] of [
    ['teller', '"shop_token"'],
    ['deaf', '"other_token"'],
  ] as const)
    addSkill(story.home, name, { manifest: manifest(keys), files: { 'run.py': TELLER } })
})
beforeEach(() => {
  stub.calls.length = 0
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await stub.close()
})

function play(call: StubCall): StubAnswer {
  const review = call.role === 'reviewer' ? reviews.shift() : undefined
  if (review !== undefined) return { content: review }
  if (call.role !== 'planner') return answerWell(call)
  const [plan] = plans
  if (plans.length > 1) plans.shift()
  return { content: plan }
}

const sha256 = (text: string): string => hash('sha256', text)
const skill = (name: string) => ({ type: 'skill', detail: 'go', skill: name, args: '{}', expect: 'it tells' })
const exec = (detail: string) => ({ type: 'exec', detail, skill: null, args: null, expect: 'it works' })
const say = { type: 'msg', detail: 'Say it.', skill: null, args: null, expect: null }
const plan = (tasks: object[], value?: string): object => ({
  goal: 'Buy it',
  secrets: value === undefined ? null : [{ key: 'shop_token', value }],
  tasks: [...tasks, say],
  answers: null,
})
const hashesIn = ({ tasks }: Conversation, index = 0): Record<string, string> =>
  JSON.parse(tasks[index]?.output ?? '{}') as Record<string, string>
const planners = (): string[] => stub.calls.filter(({ role }) => role === 'planner').map(({ user }) => user)

test('what is said in confidence reaches the skills that ask for its key, in this turn and the next, until it is forgotten', async () => {
  const ada = story.as('ada')
  plans = [plan([skill('teller'), skill('deaf')], TOKEN)]
  const first = await converse(ada, 'cli:said', `My token is ${TOKEN}, buy it.`)
  expect(hashesIn(first)).toMatchObject({ shop_token: sha256(TOKEN) })
  expect(hashesIn(first, 1)).not.toHaveProperty('shop_token')
  expect(first.plans[0]?.secretNames).toEqual(['shop_token'])
  expect(first.message.content).toBe(`My token is ${REDACTED}, buy it.`)

  plans = [plan([skill('teller')])]
  const second = await converse(ada, 'cli:said', 'Again.')
  expect(hashesIn(second)).toMatchObject({ shop_token: sha256(TOKEN) })
  expect(second.plans[0]?.secretNames).toEqual([])
  expect(planners().at(-1)).toContain('Their names: shop_token.')
  expect(hashesIn(await converse(ada, 'cli:another', 'And here?'))).not.toHaveProperty('shop_token')

  const toml = storyConfig({ settings: { worker_idle_timeout: 0 }, toml: stubProvider(stub) })
  await story.reconfigure(toml)
  await converse(ada, 'cli:said', 'The last with it.')
  await vi.waitFor(async () => {
    expect(hashesIn(await converse(ada, 'cli:said', 'Without.'))).not.toHaveProperty('shop_token')
  }, PATIENCE)
  expect(planners().at(-1)).not.toContain('Their names')
  await story.reconfigure(storyConfig({ toml: stubProvider(stub) }))
})

test('what was said is gone with its session: who opens another of the same name does not find it', async () => {
  const ada = story.as('ada')
  plans = [plan([skill('teller')], TOKEN), plan([skill('teller')])]
  expect(hashesIn(await converse(ada, 'cli:deleted', `It is ${TOKEN}.`))).toHaveProperty('shop_token')
  await ada.run(DeleteSessionDocument, { id: 'cli:deleted' })
  expect(hashesIn(await converse(ada, 'cli:deleted', 'Once more.'))).not.toHaveProperty('shop_token')
})

test('a plan with a secret in a command or an argument is refused, and the planner sees the secret no second time', async () => {
  plans = [
    plan([exec(`curl -H "Authorization: ${TOKEN}" shop`), { ...skill('teller'), args: `{"x": "${TOKEN}"}` }], TOKEN),
    plan([skill('teller')]),
  ]
  const turn = await converse(story.as('ada'), 'cli:misplaced', `My token is ${TOKEN}.`)
  expect(turn.tasks.map(({ type, status }) => [type, status])).toEqual([
    ['SKILL', 'DONE'],
    ['MSG', 'DONE'],
  ])
  expect(turn.plans.map(({ secretNames }) => secretNames)).toEqual([['shop_token']])
  const [first, second] = planners()
  expect(first).toContain(TOKEN)
  expect(second).not.toContain(TOKEN)
  expect(second).toContain('Task 1 (exec) holds the value of a secret.')
  expect(second).toContain('Task 2 (skill) holds the value of a secret.')
})

test('what looks like a secret is nowhere but in the first prompt, also when the planner does not find it', async () => {
  const [value, short] = ['hunter22', 'hunter2']
  const command = 'printf hunter; printf 22; echo; echo the password of staging is known'
  plans = [plan([]), plan([exec(command)])]
  await converse(story.as('ben'), '@ben:by-form', 'Hello.')
  stub.calls.length = 0
  const learns = `The password of staging is ${value}.`
  reviews = [{ status: 'ok', reason: `It says ${value}.`, learn: learns }]
  const watch = watchAll(story.as('ada'), '@ben:by-form')
  const ben = story.as('ben')
  const content = `The password of staging is ${value}, and DB_PASSWORD=${short} is older.`
  const turn = await converse(ben, '@ben:by-form', content)
  const shown = `The password of staging is ${REDACTED}, and DB_PASSWORD=${REDACTED} is older.`
  expect([turn.status, turn.message.content]).toEqual(['DONE', shown])
  expect(turn.tasks[0]?.output).toContain(REDACTED)

  const prompts = stub.calls.map(({ body }) => JSON.stringify(body))
  expect(prompts.flatMap((prompt, index) => (prompt.includes(value) ? [index] : []))).toEqual([0])
  await turnEnd(watch, 2)
  const events = watch.received.map((frame) => JSON.stringify(frame))
  // The last: that its turn begins was told before.
  const known = events.findLastIndex((frame) => frame.includes('MessageUpdatedEvent'))
  expect(known).toBeGreaterThan(-1)
  expect(events.slice(known).filter((frame) => frame.includes(value))).toEqual([])
  await watch.close()
  // Nor among the learnings and facts, nor in the message of the turn.
  expect(await findInDatabase(story.databaseUrl, [value])).toEqual([])
})

test('what has the form of a secret is not stored at all in a message that starts no turn', async () => {
  const ada = story.as('ada')
  await converse(ada, 'cli:stored', 'Hello.')
  const content = 'Das Passwort von Anna lautet Sommer2026x.'
  for (let tries = 0; tries < 2; tries++) {
    const input = { sessionId: 'cli:stored', messageId: 'once', content }
    const { appendMessage } = await ada.run(AppendMessageDocument, { input })
    expect(appendMessage).toMatchObject({
      __typename: 'AppendMessagePayload',
      duplicate: tries > 0,
      message: { content: `Das Passwort von Anna lautet ${REDACTED}.` },
    })
  }
  expect(await findInDatabase(story.databaseUrl, ['Sommer2026x'])).toEqual([])
})

test('what has the form of a secret is not stored in what people say to each other in a group', async () => {
  const id = 'discord:chatter'
  const source = { kind: 'chat', type: 'GROUP' } as const
  await story.as('discord').run(OpenSessionDocument, { input: { id, source, participants: ['ben', 'cleo'] } })
  const input = { sessionId: id, content: 'Das Passwort von Cleo lautet Herbst2026y.' }
  for (let tries = 0; tries < 2; tries++) {
    const { sendMessage } = await story.as('ben').run(SendMessageDocument, {
      input: { ...input, idempotencyKey: 'once' },
    })
    expect(sendMessage).toMatchObject({
      duplicate: tries > 0,
      message: { content: `Das Passwort von Cleo lautet ${REDACTED}.`, status: 'STORED' },
    })
  }
  expect(await findInDatabase(story.databaseUrl, ['Herbst2026y'])).toEqual([])
})

test('a message that is sent again is no other one because a secret in it became known in between', async () => {
  const ada = story.as('ada')
  await converse(ada, 'cli:again', 'Hello.')
  const input = { sessionId: 'cli:again', messageId: 'once', content: 'The gate opens at marigold-77%.' }
  const append = async (content = input.content) =>
    (await ada.run(AppendMessageDocument, { input: { ...input, content } })).appendMessage
  expect(await append()).toMatchObject({ duplicate: false, message: { content: input.content } })
  await writeFile(story.path('.env'), 'GATE=marigold-77%', { mode: 0o600 })
  await ada.run(ReloadSecretsDocument)
  expect(await append()).toMatchObject({ __typename: 'AppendMessagePayload', duplicate: true })
  expect(await append('The door opens at marigold-77%.')).toMatchObject({ reason: 'KEY_REUSED' })
})

test('a second secret that only a later answer of the planner finds leaves the message and its preview too', async () => {
  const ada = story.as('ada')
  plans = [plan([exec(' ')], TOKEN), plan([skill('teller')], 'second-secret-89')]
  const turn = await converse(ada, 'cli:two', `One is ${TOKEN}, one second-secret-89.`)
  expect(turn.status).toBe('DONE')
  const { session } = await ada.run(SessionDocument, { id: 'cli:two' })
  const shown = `One is ${REDACTED}, one ${REDACTED}.`
  expect(turn.message.content).toBe(shown)
  expect(session?.lastMessagePreview).not.toMatch(/second-secret-89/)
})

test('what is said of a refused plan holds no part of a secret, also where it quotes the beginning of a name', async () => {
  const long = `begins-like-this-${'0123456789'.repeat(8)}`
  plans = [
    plan([skill(long), { ...skill('teller'), args: JSON.stringify({ [long]: 1 }) }], long),
    plan([skill('teller')]),
  ]
  const turn = await converse(story.as('ada'), 'cli:quoted', `My token is ${long}.`)
  expect(turn.status).toBe('DONE')
  expect(planners()[1]).toContain(`Task 1 (skill) names the skill "${REDACTED}"`)
  expect(planners()[1]).not.toContain('begins-like-this')
})

test('a secret that does not stand in the message is none: the planner is told to copy it as it is', async () => {
  plans = [plan([exec('echo hi')], 'never-said-in-here'), plan([exec('echo hi')], REDACTED)]
  const turn = await converse(story.as('ada'), 'cli:invented', 'Say hi.')
  expect(turn.status).toBe('DONE')
  expect(planners()[1]).toContain('The value of secret 1 does not stand in the message.')
  expect(turn.plans[0]?.secretNames).toEqual([])
})

test('what an admin changes in .env holds at once where it is reloaded, and within a second in every other process', async () => {
  const ada = story.as('ada')
  await writeFile(story.path('.env'), 'KISO_SKILL_TELLER_KEY=deployed-one\nPIN=42', { mode: 0o600 })
  const { reloadSecrets } = await ada.run(ReloadSecretsDocument)
  expect(reloadSecrets).toEqual({ __typename: 'ReloadSecretsPayload', names: ['KISO_SKILL_TELLER_KEY', 'PIN'] })
  plans = [{ ...plan([skill('teller')]), goal: 'Tell of deployed-one' }]
  const turn = await converse(ada, 'cli:deployed', 'Go.')
  expect(hashesIn(turn)).toMatchObject({ deployed: sha256('deployed-one') })
  expect(turn.plans[0]?.goal).toBe(`Tell of ${REDACTED}`)

  await using beside = await Story.begin({ beside: story })
  // At one moment: a poll that finds the file empty would take the secret for removed.
  await writeFile(story.path('.env.next'), 'KISO_SKILL_TELLER_KEY=deployed-two', { mode: 0o600 })
  await rename(story.path('.env.next'), story.path('.env'))
  const append = { sessionId: 'cli:deployed', content: 'It is deployed-two, was deployed-one.' }
  await vi.waitFor(async () => {
    const { appendMessage } = await beside.as('ada').run(AppendMessageDocument, { input: append })
    expect(appendMessage).toMatchObject({ message: { content: `It is ${REDACTED}, was ${REDACTED}.` } })
  }, PATIENCE)
})

test('a program that is ended in the middle of a secret has said no half of it', async () => {
  const ada = story.as('ada')
  await writeFile(story.path('.env'), 'KISO_SKILL_TELLER_KEY=deployed-two', { mode: 0o600 })
  await ada.run(ReloadSecretsDocument)
  await story.reconfigure(storyConfig({ settings: { exec_timeout: 5 }, toml: stubProvider(stub) }))
  plans = [plan([exec('half=deployed; echo one; printf %s-t $half; printf %s-t $half >&2; sleep 60')])]
  const { tasks } = await converse(ada, 'cli:half', 'Go.')
  expect(tasks[0]).toMatchObject({ status: 'FAILED', output: 'one\n' })
  expect(tasks[0]?.stderr).toMatch(/^The command was ended: .* The line that it had not finished is left out\.$/)
  const { session } = await ada.run(SessionEventsDocument, { id: 'cli:half', first: 100 })
  expect(JSON.stringify(session)).not.toContain('deployed-t')
  await story.reconfigure(storyConfig({ toml: stubProvider(stub) }))
})

test('only admins reload; a file that cannot be read is a refusal, and the secrets stay as they were', async () => {
  const { errors } = await story.as('ben').request(ReloadSecretsDocument)
  expect(errors[0]?.extensions).toMatchObject({ code: 'FORBIDDEN' })
  await story.as('ada').run(ReloadSecretsDocument)
  await symlink('.env', story.path('.env.new'))
  await rename(story.path('.env.new'), story.path('.env'))
  const { reloadSecrets } = await story.as('ada').run(ReloadSecretsDocument)
  expect(reloadSecrets).toMatchObject({ __typename: 'ConflictRefusal', problem: expect.stringContaining('ELOOP') })
  plans = [plan([skill('teller')])]
  const turn = await converse(story.as('ada'), 'cli:unreadable', 'Go.')
  expect(hashesIn(turn)).toMatchObject({ deployed: sha256('deployed-two') })
})
