/** The commands of the terminal against a real server, as scripts and operators use them. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Environment } from '../../src/config/schema/environment.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { must } from '../../src/platform/must.ts'
import { findServer } from '../../src/remote/find-server.ts'
import { OpenSessionDocument, StateFactDocument } from '../generated/graphql.ts'
import { Story, storyConfig, watchAll } from '../harness/story.ts'
import { Answering, factotum, KEYS } from './run-command.ts'

const APPROVALS = '[[approvals.rules]]\neffect = "require"\ncommand = "touch"\n'
const SHOP_KEY = 'sk-hush-hush-of-the-shop'

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { toml: APPROVALS }, environment: { SHOP_KEY } })
})
afterAll(() => story[Symbol.asyncDispose]())

test('ask prints the answer, as text or JSON, and its exit code tells the outcome', async () => {
  const asked = await factotum(story, 'ask run: echo from-a-script')
  expect(asked).toMatchObject({ exitCode: 0, printed: expect.stringContaining('from-a-script') })

  const json = await factotum(story, 'ask --json --session cli:asked -', { input: 'run: echo piped' })
  expect(JSON.parse(json.printed)).toMatchObject({
    sessionId: 'cli:asked',
    status: 'DONE',
    failure: null,
    answer: expect.stringContaining('piped'),
  })

  const refused = await factotum(story, 'ask --session nobodys:x hello', { as: 'ben' })
  expect(refused).toMatchObject({ exitCode: 1, printed: '', said: expect.stringMatching(/^factotum: .+/) })

  const waits = await factotum(story, 'ask --session cli:waits run: touch x')
  expect(waits).toMatchObject({ exitCode: 3, said: expect.stringMatching(/waits for an approval: touch x/) })
  const id = /factotum approve (\S+)/.exec(waits.said)?.[1] ?? ''
  expect((await factotum(story, 'approve')).printed).toContain(`${id} in cli:waits`)
  expect(await factotum(story, `approve ${id} --note fine`)).toMatchObject({ exitCode: 0, printed: 'Approved.\n' })
  expect(await factotum(story, `approve ${id}`)).toMatchObject({ exitCode: 1 })
})

test('what may keep a script waiting for hours is on its standard error', async () => {
  await using _spent = await story.reconfigureForNow(storyConfig({ toml: '[budgets]\nuser_tokens_per_day = 1\n' }))
  const first = factotum(story, 'ask --session cli:spent hello')
  await using watch = watchAll(story.as('ada'), 'cli:spent')
  await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TurnPausedEvent')
  const behind = factotum(story, 'ask --session cli:spent again')
  await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'MessageReceivedEvent')
  await story.reconfigure(storyConfig())
  for (const asked of [await first, await behind]) {
    expect(asked).toMatchObject({ exitCode: 0, said: expect.stringMatching(/^waits: .*budget of user ada/m) })
  }
})

test('who approves a whole plan is shown all that it runs', async () => {
  const id = 'cli:strangers-wrote'
  await story.as('bridge').session(id).send('Hello', { user: 'Mallory' })
  const waits = await factotum(story, `ask --session ${id} -`, { input: 'run: echo first\nrun: echo second' })
  expect(waits.said).toMatch(/waits for an approval: echo first\n {2}echo second\n/)
  expect((await factotum(story, 'approve')).printed).toContain('the whole plan:\n  echo first\n  echo second\n')
})

test('a session that may not be opened is refused in a sentence, and is no bug', async () => {
  await using _none = await story.reconfigureForNow(storyConfig({ toml: '[quotas]\nuser_sessions = 0\n' }))
  for (const words of ['ask hello', 'chat']) {
    const refused = await factotum(story, words, { as: 'ben', input: 'hello\n' })
    expect(refused).toMatchObject({
      exitCode: 1,
      printed: '',
      said: expect.stringMatching(/^factotum: You have 0 of 0 sessions/),
    })
  }
  const unseen = await factotum(story, 'chat cli:ada', { as: 'ben' })
  expect(unseen).toMatchObject({ exitCode: 1, printed: '', said: expect.stringMatching(/^factotum: There is no/) })
})

test('ask ends where no event tells of it: a message that starts no turn, a session that waits already', async () => {
  const source = { kind: 'discord', interactive: true, platform: 'Discord', type: 'GROUP' } as const
  const input = { source, participants: ['ben'] }
  const { openSession } = await story.as('discord').run(OpenSessionDocument, { input })
  if (openSession.__typename !== 'OpenSessionPayload') throw new Error(JSON.stringify(openSession))
  const group = openSession.session.id
  const stored = await factotum(story, `ask --session ${group} Lunch?`, { as: 'ben' })
  expect(stored).toMatchObject({ exitCode: 0, printed: '', said: expect.stringContaining('starts no turn') })
  const json = await factotum(story, `ask --json --session ${group} Lunch?`, { as: 'ben' })
  expect(JSON.parse(json.printed)).toMatchObject({ status: 'STORED', turnId: null, answer: null, failure: null })

  const waits = await factotum(story, 'ask --session cli:waited run: touch x')
  expect(waits.exitCode).toBe(3)
  const later = await factotum(story, 'ask --session cli:waited run: echo later')
  expect(later).toEqual(waits)
  expect(later.said).toMatch(/waits for an approval: touch x[^]*factotum approve \S+/)

  const third = new Answering(story, 'ask --session cli:waited run: echo third')
  await third.see(/waits for an approval: touch x[^]*May it run\?[^]*No/)
  third.press(KEYS.enter)
  await third.see(/✓ 1 EXEC touch x[^]*third/)
  expect(await third.ended).toBe(0)
})

test('people, tokens, facts and sessions are listed and changed, by admins alone', async () => {
  expect((await factotum(story, 'users add eve')).exitCode).toBe(0)
  const { printed: secret } = await factotum(story, 'tokens add eves --user eve')
  expect(secret).toMatch(/^\S{20,}\n$/)
  expect((await factotum(story, 'users')).printed).toMatch(/^eve +USER +API/m)
  expect((await factotum(story, 'tokens')).printed).toMatch(/^eves +USER +eve +API +never/m)
  expect((await factotum(story, 'tokens revoke eves')).exitCode).toBe(0)
  expect(await factotum(story, 'tokens add eves --user eve --expires 2020-01-01')).toEqual({
    exitCode: 1,
    printed: '',
    said: 'factotum: expiresAt: must be in the future\n',
  })
  expect((await factotum(story, 'tokens add eves --user eve --expires 2999-12-31')).exitCode).toBe(0)
  expect((await factotum(story, 'tokens')).printed).toMatch(/^eves .* 2999-12-31 00:00$/m)
  expect((await factotum(story, 'users remove eve')).exitCode).toBe(0)
  expect((await factotum(story, 'users --json')).printed).not.toContain('"eve"')

  const { printed: fact } = await factotum(story, 'facts add The kettle is green')
  expect((await factotum(story, 'facts kettle')).printed).toMatch(/^fact_\S+ +MANUAL +everybody +The kettle is green$/m)
  await story
    .as('ada')
    .run(StateFactDocument, { input: { content: 'Ben has tea', scope: { scope: 'USER', of: 'ben' } } })
  const { printed: bens } = await factotum(story, 'facts tea')
  expect(bens).toMatch(/ MANUAL +user ben +Ben has tea$/m)
  await factotum(story, `facts remove ${/fact_\S+/.exec(bens)?.[0]}`)
  expect((await factotum(story, `facts remove ${fact.trim()}`)).exitCode).toBe(0)
  expect(await factotum(story, 'facts')).toMatchObject({ printed: '', said: 'There is nothing to show.\n' })

  const talk = await factotum(story, 'chat cli:talk', { input: 'run: echo one\nfail:\n' })
  expect(talk.exitCode).toBe(0)
  expect(talk.printed).toMatch(
    /you › run: echo one\n[^]*│ one\n[^]*‹ [^]*you › fail:\n[^]*review: another plan[^]*model calls\n$/,
  )
  expect((await factotum(story, 'sessions --json')).printed).toContain('"cli:talk"')
  expect((await factotum(story, 'search echo one')).printed).toMatch(/^cli:talk +[\d :-]{16} +ada +run: echo one/m)
  expect((await factotum(story, 'search echo one', { as: 'ben' })).said).toBe('There is nothing to show.\n')
  expect(await factotum(story, 'users', { as: 'ben' })).toMatchObject({ exitCode: 1, printed: '' })
  expect(await factotum(story, 'facts add Ben knows', { as: 'ben' })).toMatchObject({ exitCode: 1, printed: '' })
})

test('a chat in a pipe that has failed once ends with 1, whatever is answered or waits after it', async () => {
  const config = storyConfig({ toml: APPROVALS, settings: { max_replan_depth: 0 } })
  await using _once = await story.reconfigureForNow(config)
  const input = 'fail: It is no good.\nrun: echo answered\n'
  const answered = await factotum(story, 'chat cli:fails', { input })
  expect(answered).toMatchObject({ exitCode: 1, printed: expect.stringMatching(/Failed: [^]*│ answered\n/) })
  const waits = await factotum(story, 'chat cli:fails', { input: `${input}run: touch x\n` })
  expect(waits).toMatchObject({ exitCode: 1, printed: expect.stringMatching(/May this run\?.* touch x\n/) })
})

test('a list for people is cut with a notice, one for programs never', async () => {
  // Nothing else is listed.
  await using own = await Story.begin()
  const database = new pg.Client({ connectionString: own.databaseUrl })
  await database.connect()
  await database.query(
    `INSERT INTO facts (id, content, norm, source, scope, created_at, updated_at)
     SELECT 'fact_' || n, 'Shelf ' || n, n::text, 'MANUAL', 'GLOBAL', now(), now() FROM generate_series(1, 1001) n`,
  )
  await database.end()
  const table = await factotum(own, 'facts')
  expect(table.printed.match(/^fact_/gm)).toHaveLength(1000)
  expect(table.said).toBe('… and more; these are the first 1000.\n')
  const { printed, said } = await factotum(own, 'facts --json')
  const ids = (JSON.parse(printed) as { id: string }[]).map(({ id }) => id)
  expect([ids.length, new Set(ids).size, said]).toEqual([1001, 1001, ''])
})

test('secrets are listed by name, with where they are set and what wants them, and never with their values', async () => {
  const toml = `[providers.shop]\nbase_url = "https://shop.test/v1"\napi_key_env = "SHOP_KEY"
[providers.other]\nbase_url = "https://other.test/v1"\napi_key_env = "OTHER_KEY"\n[models]\nplanner = "shop:one"\n`
  await using _shops = await story.reconfigureForNow(storyConfig({ toml }))
  const { printed } = await factotum(story, 'secrets list')
  expect(printed).toMatch(/^SHOP_KEY +environment +provider shop$/m)
  expect(printed).toMatch(/^OTHER_KEY +nowhere +provider other$/m)
  const { printed: json } = await factotum(story, 'secrets list --json')
  expect(JSON.parse(json)).toContainEqual(expect.objectContaining({ name: 'SHOP_KEY', source: 'ENVIRONMENT' }))
  expect(printed + json).not.toContain('hush')
  expect(await factotum(story, 'secrets list', { as: 'ben' })).toMatchObject({ exitCode: 1, printed: '' })
})

test('usage is a table, JSON or CSV, by admins alone, and says which calls had no price', async () => {
  await factotum(story, 'ask --session @ada:usage hello')
  const table = await factotum(story, 'usage --by session')
  expect(table).toMatchObject({ exitCode: 0, printed: expect.stringMatching(/^@ada:usage +\d+ +\d+/m) })
  expect(table.said).toMatch(/^The cost leaves out calls whose model had no price: \d+ of rehearsal:\S+\.$/m)
  const rows = JSON.parse((await factotum(story, 'usage --by user --json')).printed) as { key: string }[]
  expect(rows.map(({ key }) => key)).toContain('ada')
  const today = new Date().toISOString().slice(0, 10)
  const { printed } = await factotum(story, `usage --by session --from 2026-01-31 --to ${today} --csv`)
  expect(printed).toMatch(/^\uFEFF?session,first_day_utc,last_day_utc,/)
  // A session's id begins as a formula may.
  expect(printed).toMatch(new RegExp(`^"'@ada:usage",2026-01-31,${today},\\d+,\\d+,\\d+,\\d+,,"",\\d+\r$`, 'm'))
  const none = await factotum(story, 'usage --from 2020-01-01 --to 2020-01-31')
  expect(none).toEqual({ exitCode: 0, printed: '', said: 'There is nothing to show.\n' })
  expect(await factotum(story, 'usage', { as: 'ben' })).toMatchObject({ exitCode: 1, printed: '' })
})

test('on the machine of a server, its home names the address and holds a token', async () => {
  const home = story.home
  // Started with another PORT than this terminal knows of.
  const environment = { host: '127.0.0.1', port: 4999, home } as Environment
  const options = { flags: {}, env: {}, local: () => ({ environment, home }), clock: systemClock }
  const before = (await readFile(join(home, 'config.toml'), 'utf8')).match(/^\[tokens\./gm) ?? []
  // Two at once make one token, which both have.
  const both = await Promise.all([findServer(options), findServer(options)])
  const first = must(
    both.find(({ notice }) => notice !== null),
    'one made it',
  )
  expect(both).toContainEqual({ url: first.url, token: first.token, notice: null })
  expect(first).toMatchObject({ url: story.app.url, notice: expect.stringContaining('terminal-token') })
  expect((await stat(join(home, 'terminal-token'))).mode & 0o777).toBe(0o600)
  expect(await findServer(options)).toEqual({ url: first.url, token: first.token, notice: null })
  const written = await readFile(join(home, 'config.toml'), 'utf8')
  expect(written).not.toContain(first.token)
  expect(written.match(/^\[tokens\./gm)).toHaveLength(before.length + 1)
  const abroad = { ...options, flags: { url: 'https://elsewhere.example' } }
  await expect(findServer(abroad)).rejects.toThrow('Set FACTOTUM_TOKEN')
  const named = { ...options, env: { PORT: '4999' } }
  expect(await findServer(named)).toMatchObject({ url: 'http://127.0.0.1:4999' })
  const listening = await readFile(join(home, 'listening'))
  await rm(join(home, 'listening'))
  expect(await findServer(options)).toMatchObject({ url: 'http://127.0.0.1:4999' })
  await writeFile(join(home, 'listening'), listening)
})

test('of two servers of one home the newest is found, and the other one once that has ended', async () => {
  const home = story.home
  const environment = { host: '127.0.0.1', port: 4999, home } as Environment
  const env = { FACTOTUM_TOKEN: 'any' }
  const find = () => findServer({ flags: {}, env, local: () => ({ environment, home }), clock: systemClock })
  const written = async () => (await readFile(join(home, 'listening'), 'utf8')).split('\n').slice(0, -1)
  const newest = await Story.begin({ beside: story })
  const ended = newest.app.url
  try {
    expect(await written()).toEqual([story.app.url, ended])
    expect(await find()).toMatchObject({ url: ended })
  } finally {
    await newest[Symbol.asyncDispose]()
  }
  expect(await find()).toMatchObject({ url: story.app.url })
  await using next = await Story.begin({ beside: story })
  expect(await written()).toEqual([story.app.url, next.app.url])
})
