/**
 * Everything on a server goes wrong for which its operators are responsible, and all that a user is then shown, in
 * every field that there is, holds nothing that is theirs to know: no address, no file, no key of the configuration.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { OPERATOR_WORDS } from '../harness/operator-words.ts'
import { readEverything, type ShownText } from '../harness/read-everything.ts'
import { passTime, schedule, soon, untilSchedule } from '../harness/schedules.ts'
import { addSkill } from '../harness/skills.ts'
import { converse, send, Story, storyConfig, watchAll, type StoryConfig } from '../harness/story.ts'

/** Places of the network in which nothing answers. */
const INSIDE = '127.0.0.1:1'
const WEBHOOK = 'http://localhost:1/hook'
const BASE: StoryConfig = {
  settings: { requests_per_minute: 1_000_000, webhook_allow_list: ['localhost'] },
  tokens: { ben: `webhook_secret = "${newWebhookSecret()}"` },
}
const provider = (more = ''): string =>
  `[providers.inside]\nbase_url = "http://${INSIDE}/v1"\n${more}[models]\nplanner = "inside:secret-model"\n`

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: BASE })
})
afterAll(() => story[Symbol.asyncDispose]())

const configure = (toml: string): Promise<void> =>
  story.reconfigure(storyConfig({ ...BASE, toml }).replaceAll('skills = []', 'skills = "*"'))

/** A turn of Ben's that fails, while `path` of the home is `content`. */
async function failWith(path: string, content: string, message: string): Promise<void> {
  const place = story.path(path)
  await rm(place, { recursive: true, force: true })
  await mkdir(story.path('roles'), { recursive: true })
  await writeFile(place, content)
  await converse(story.as('ben'), `@ben:${path.replace(/\W/g, '-')}`, message)
  await rm(place, { force: true })
}

async function breakEverything(): Promise<void> {
  const ben = story.as('ben')
  // The storage, a skill, the configuration of a role, the sandbox.
  await failWith('pub', 'no folder', 'run: mkdir -p pub; echo x > pub/report')
  await failWith('sessions', 'no folder', 'run: echo never')
  await configure('')
  const manifest = 'run = "bin/weather"\n[kiso.skill.env]\nkey = { required = true }\n'
  addSkill(story.home, 'weather', { manifest, files: { 'bin/weather': '#!/bin/sh\necho sun\n' } })
  addSkill(story.home, 'broken', { files: {}, manifest: 'run = 1' })
  await converse(ben, '@ben:weather', 'skill: weather')
  await failWith('roles/planner.md', ' ', 'Hello')
  await failWith('sandbox', 'no folder', 'run: echo never')
  // The webhook.
  await ben.run(api.OpenSessionDocument, { input: { id: '@ben:hook', webhook: WEBHOOK } })
  await converse(ben, '@ben:hook', 'Hello')
  // The provider: out of reach in a turn, a checkpoint and a schedule; then without its key.
  await configure(provider())
  await converse(ben, '@ben:gone', 'Hello')
  await ben.run(api.CheckpointSessionDocument, { sessionId: '@ben:hook' })
  const { id } = await schedule(ben, { content: 'Hello', runAt: soon(3600) })
  await passTime(story.databaseUrl, [id])
  await untilSchedule(ben, id, ({ runs }) => runs[0]?.status === 'FAILED')
  await configure(provider('api_key_env = "INSIDE_KEY"\n'))
  await converse(ben, '@ben:keyless', 'Hello')
  // The budget; a configuration that is refused; what is asked for and not allowed.
  await configure('[budgets]\nuser_tokens_per_day = 1\n')
  await send(ben, '@ben:spent', 'Hello')
  await using watch = watchAll(ben, '@ben:spent')
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent')
  await story.reconfigure('[users.ben]\nrole = "king"\n')
}

const SESSIONS = ['pub', 'sessions', 'weather', 'roles-planner-md', 'sandbox', 'hook', 'gone', 'keyless', 'spent']

/** What is wrong with a text for people, or null. */
function problemOf({ text }: ShownText): string | null {
  const words = [...OPERATOR_WORDS, story.home, INSIDE, '[budgets]', 'INSIDE_KEY', 'SKILL_WEATHER_KEY']
  const word = words.find((forbidden) => text.includes(forbidden))
  if (word !== undefined) return word
  return (
    /(?<![\w.~-])\/(?:tmp|var|etc|home|root|usr|opt|proc|dev|work)\/[^\s"']*/.exec(text)?.[0] ??
    /\b(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}\b|::1\b/.exec(text)?.[0] ??
    null
  )
}

type Ask = Parameters<typeof readEverything>[0]['ask']

function asker(person: 'ada' | 'ben'): Ask {
  const { url, token } = story.as(person)
  const headers = { authorization: `Bearer ${must(token, 'a token')}`, 'content-type': 'application/json' }
  return async (query) => {
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    return (await response.json()) as Awaited<ReturnType<Ask>>
  }
}

test('no text that a user is shown holds an address, a file or a key of the configuration', async () => {
  await breakEverything()
  const ids = SESSIONS.map((name) => `@ben:${name}`)
  const shown = await readEverything({ schema: buildSchema(), ask: asker('ben'), ids })
  const found = shown.flatMap((text) => {
    const problem = problemOf(text)
    return problem === null || text.text === WEBHOOK ? [] : [`${text.field}: "${problem}" in: ${text.text}`]
  })
  expect([...new Set(found)]).toEqual([])

  // What was searched for was there to be seen: the failures in the user's words, the rest for admins.
  const fields = new Set(shown.map(({ field }) => field))
  for (const field of [
    'Turn.failure',
    'Task.stderr',
    'Delivery.lastError',
    'ScheduleRun.failure',
    'CheckpointEvent.failure',
    'Turn.pausedReason',
    'TurnCompletedEvent.failure',
    'Notice.content',
  ])
    expect(fields).toContain(field)
  expect(shown.filter(({ text }) => /\(reference (?:turn|run)_/.test(text)).length).toBeGreaterThan(10)
  const errors = shown.filter(({ field }) => field.endsWith('(error)')).map(({ text }) => text)
  expect([...new Set(errors)]).toEqual(['Only admins may do this.'])
  const failures = ids.map((id) => `{ session(id: "${id}") { turns(first: 5) { edges { node { failure } } } } }`)
  const forAdmins = JSON.stringify(await Promise.all(failures.map(asker('ada'))))
  for (const word of [INSIDE, 'INSIDE_KEY', story.home]) expect(forAdmins).toContain(word)
})
