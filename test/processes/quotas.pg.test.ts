/**
 * What a user may keep: so many sessions, exactly, in whatever process they are opened; what is deleted is free at
 * once.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measureWorkspaces } from '../../src/execution/workspace/measure-workspaces.ts'
import { workspacePath } from '../../src/execution/workspace/workspace.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { ApiClient } from '../harness/api-client.ts'
import { clientOf, Cluster } from '../harness/cluster.ts'
import { converse, send, Story, storyConfig } from '../harness/story.ts'
import { schedule, untilSchedule } from '../harness/schedules.ts'
import { findSandbox, skipReason } from '../sandbox/sandbox-support.ts'
import * as api from '../generated/graphql.ts'

const LIMIT = 10
const quotas = (lines: string): { readonly config: { readonly toml: string } } => ({
  config: { toml: `[quotas]\n${lines}\n` },
})

/** Users who each have a quota of their own, so that tests may share two processes. */
const QUOTAS = {
  ivo: { role: 'user', quota: 'sessions = 1' },
  joy: { role: 'user', quota: 'sessions = 1' },
  kim: { role: 'admin', quota: 'published_mib = 1' },
  lea: { role: 'admin', quota: 'published_mib = 1' },
  mia: { role: 'user', quota: 'workspaces_mib = 3' },
  noa: { role: 'user', quota: 'workspaces_mib = 1' },
} as const
type Limited = keyof typeof QUOTAS

const limitedToken = (name: string): string => `${name}-token-for-the-story`

/** The configuration of the two processes; `free` has no quota any more. */
function limitedConfig(free?: Limited): { readonly toml: string } {
  const sections = Object.entries(QUOTAS).map(([name, { role, quota }]) => {
    const skills = role === 'user' ? 'skills = []\n' : ''
    const user = `[users.${name}]\nrole = "${role}"\n${skills}`
    const token = `[tokens.${name}]\nkind = "user"\nuser = "${name}"\ntoken = "${limitedToken(name)}"\n`
    return `${user}${token}${name === free ? '' : `[quotas.users.${name}]\n${quota}\n`}`
  })
  return { toml: sections.join('') }
}

let here: Story
let there: Story
const servers = new AsyncDisposableStack()
beforeAll(async () => {
  here = servers.use(await Story.begin({ config: limitedConfig() }))
  there = servers.use(await Story.begin({ beside: here }))
})
afterAll(() => servers.disposeAsync())

const as = (on: Story, name: Limited): ApiClient => new ApiClient(on.app.url, limitedToken(name))

const sent = async (client: ApiClient, sessionId: string) => client.session(sessionId).send('Hello')
const kindsOf = (results: readonly { readonly __typename: string }[]): Record<string, number> =>
  Object.fromEntries(
    Map.groupBy(results, ({ __typename }) => __typename)
      .entries()
      .map(([kind, all]) => [kind, all.length]),
  )

async function open(client: ApiClient, id: string) {
  return (await client.run(api.OpenSessionDocument, { input: { id } })).openSession
}

async function remove(client: ApiClient, id: string): Promise<void> {
  expect((await client.run(api.DeleteSessionDocument, { id })).deleteSession).toMatchObject({ deletedSessionId: id })
}

test('fifty sessions opened at once in two processes, where ten may be: ten are, and the rest is told why', async () => {
  await using cluster = await Cluster.begin(quotas(`user_sessions = ${LIMIT}`))
  const [one, other] = [await cluster.start(), await cluster.start()]
  const [here, there] = [clientOf(one, 'ben'), clientOf(other, 'ben')]
  const ids = Array.from({ length: 50 }, (_, n) => `@ben:${n}`)
  const results = await Promise.all(ids.map((id, n) => sent(n % 2 === 0 ? here : there, id)))
  expect(kindsOf(results)).toEqual({ SendMessagePayload: LIMIT, LimitExceededRefusal: 50 - LIMIT })
  expect(results.find(({ __typename }) => __typename === 'LimitExceededRefusal')).toEqual({
    __typename: 'LimitExceededRefusal',
    code: 'LIMIT_EXCEEDED',
    problem: 'You have 10 of 10 sessions. Delete one that you no longer need, or ask an administrator for more.',
    limit: LIMIT,
    used: LIMIT,
    retryAfterMs: null,
  })
  expect(await cluster.query(`SELECT count(*)::int AS n FROM sessions WHERE id LIKE '@ben:%'`)).toEqual([{ n: LIMIT }])
  expect(await cluster.query(`SELECT count(*)::int AS n FROM messages WHERE session_id LIKE '@ben:%'`)).toEqual([
    { n: LIMIT },
  ])

  const mine = ids.find((_id, n) => results[n]?.__typename === 'SendMessagePayload') ?? ''
  expect(await sent(there, mine)).toMatchObject({ __typename: 'SendMessagePayload' })
  expect(await open(here, mine)).toMatchObject({ __typename: 'OpenSessionPayload', created: false })
  expect(await open(there, '@ben:one-more')).toMatchObject({ __typename: 'LimitExceededRefusal', used: LIMIT })
  expect(await sent(clientOf(one, 'cleo'), '@cleo:hers')).toMatchObject({ __typename: 'SendMessagePayload' })

  await converse(here, mine, 'Done?')
  await remove(here, mine)
  const again = await Promise.all(ids.map((_id, n) => open(n % 2 === 0 ? here : there, `@ben:again-${n}`)))
  expect(kindsOf(again)).toEqual({ OpenSessionPayload: 1, LimitExceededRefusal: 49 })
})

test('messages that come at once to the last session that may be opened are all taken', async () => {
  const ivo = as(here, 'ivo')
  const results = await Promise.all(Array.from({ length: 20 }, () => sent(ivo, '@ivo:only')))
  expect(kindsOf(results)).toEqual({ SendMessagePayload: 20 })
  expect(await sent(ivo, '@ivo:other')).toMatchObject({
    __typename: 'LimitExceededRefusal',
    limit: 1,
    used: 1,
  })
})

test('a quota is by role and by name, and changes with the configuration; what was opened before counts', async () => {
  const toml = '[quotas]\nuser_sessions = 1\nconnector_sessions = 2\n[quotas.users.cleo]\nsessions = 2\n'
  await using story = await Story.begin({ config: { toml } })
  const openAll = async (client: ApiClient, prefix: string, count: number) => {
    const results = []
    for (let n = 0; n < count; n += 1) results.push(await open(client, `${prefix}${n}`))
    return kindsOf(results)
  }
  expect(await openAll(story.as('ben'), '@ben:', 3)).toEqual({ OpenSessionPayload: 1, LimitExceededRefusal: 2 })
  expect(await openAll(story.as('cleo'), '@cleo:', 3)).toEqual({ OpenSessionPayload: 2, LimitExceededRefusal: 1 })
  expect(await openAll(story.as('ada'), 'cli:', 3)).toEqual({ OpenSessionPayload: 3 })
  expect(await openAll(story.as('discord'), 'discord:', 3)).toEqual({ OpenSessionPayload: 2, LimitExceededRefusal: 1 })
  const send = { sessionId: 'discord:9', content: 'Hello', user: 'Ben#1' }
  const { sendMessage } = await story.as('discord').run(api.SendMessageDocument, { input: send })
  expect(sendMessage).toMatchObject({
    problem: expect.stringContaining('The connector "discord" has 2 of 2 sessions.'),
  })

  await story.reconfigure(storyConfig({ toml: '[quotas]\nuser_sessions = 4\n' }))
  expect(await openAll(story.as('ben'), '@ben:more-', 4)).toEqual({ OpenSessionPayload: 3, LimitExceededRefusal: 1 })
  const demoted = storyConfig({ toml: '[quotas]\nuser_sessions = 2\n' }).replace(
    'role = "admin"',
    'role = "user"\nskills = []',
  )
  await story.reconfigure(demoted)
  expect(await open(story.as('ada'), '@ada:one')).toMatchObject({
    problem: 'You have 3 of 2 sessions. Delete one that you no longer need, or ask an administrator for more.',
    limit: 2,
    used: 3,
  })
})

test('a schedule whose user has as many sessions as they may: its run fails and says so, and the next one works', async () => {
  const joy = as(here, 'joy')
  await send(joy, '@joy:kept', 'Hello')
  const { id } = await schedule(joy, { content: 'Good morning', cron: '0 0 1 1 *', mode: 'FRESH' })
  await joy.run(api.TriggerScheduleDocument, { id })
  const failed = await untilSchedule(joy, id, ({ runs }) => runs[0]?.status === 'FAILED')
  const reason = 'You have 1 of 1 sessions. Delete one that you no longer need, or ask an administrator for more.'
  expect(failed).toMatchObject({ lastError: reason, runs: [{ failure: reason, session: null }] })

  await converse(joy, '@joy:kept', 'Done?')
  await remove(joy, '@joy:kept')
  await joy.run(api.TriggerScheduleDocument, { id })
  await untilSchedule(joy, id, ({ runs }) => runs[0]?.status === 'DONE')
  expect(await open(joy, '@joy:next')).toMatchObject({ __typename: 'LimitExceededRefusal' })
})

describe('published files', () => {
  const MIB = 1024 * 1024
  const publish = async (client: ApiClient, sessionId: string, [name, bytes]: readonly [string, number]) => {
    const { tasks, status } = await converse(
      client,
      sessionId,
      `run: mkdir -p pub && head -c ${Math.round(bytes)} /dev/zero > pub/${name} && echo done`,
    )
    const { task } = await client.run(api.TaskFilesDocument, { id: tasks[0]?.id ?? '' })
    return { turn: status, task: task?.status, files: task?.files.map((file) => file.name), said: task?.stderr ?? '' }
  }

  test('beyond the quota of their user are not published; the command and its turn go on, and what is deleted is free', async () => {
    const [kim, kimThere] = [as(here, 'kim'), as(there, 'kim')]
    const before = (await readdir(here.path('pub')).catch(() => [])).length
    expect(await publish(kim, 'cli:kims-one', ['first', 0.6 * MIB])).toMatchObject({ files: ['first'] })
    const second = await publish(kimThere, 'cli:kims-two', ['second', 0.6 * MIB])
    expect(second).toMatchObject({ turn: 'DONE', task: 'DONE', files: [] })
    expect(second.said).toBe(
      'second (0.6 MiB) was not published: files that kim publishes may have 1.0 MiB together, and have 0.6 MiB. ' +
        'Delete sessions whose files are no longer needed, or ask an administrator for more.',
    )
    expect(await readdir(here.path('pub'))).toHaveLength(before + 1)
    expect(await publish(kim, 'cli:kims-two', ['small', 0.3 * MIB])).toMatchObject({ files: ['small'] })

    await remove(kim, 'cli:kims-one')
    expect(await publish(kimThere, 'cli:kims-two', ['third', 0.6 * MIB])).toMatchObject({ files: ['third'] })
    for (const on of [here, there]) await on.reconfigure(storyConfig(limitedConfig('kim')))
    expect(await publish(kim, 'cli:kims-two', ['large', 2 * MIB])).toMatchObject({ files: ['large'] })
  })

  test('of commands that end at once in two processes share what is left', async () => {
    const gate = here.path('gate')
    const command = `until [ -e ${gate} ]; do sleep 0.02; done; mkdir -p pub && head -c ${Math.round(0.4 * MIB)} /dev/zero > pub/a`
    const ids = Array.from({ length: 8 }, (_, n) => `cli:at-once-${n}`)
    const results = Promise.all(
      ids.map((id, n) => converse(as(n % 2 === 0 ? here : there, 'lea'), id, `run: ${command}`)),
    )
    const states = async () => (await here.as('ada').run(api.ServerDocument)).server
    await expect.poll(states).toMatchObject({ runningTurns: 8 })
    await writeFile(gate, '')
    const said = (await results).map(({ tasks }) => tasks[0]?.stderr ?? '')
    const others = said.filter((text) => !text.startsWith('Published a'))
    expect(others.filter((text) => !text.startsWith('a (0.4 MiB) was not published'))).toEqual([])
    expect(others).toHaveLength(6)
  })
})

const sandbox = await findSandbox()

describe.skipIf(!sandbox.available)(`workspaces${skipReason(sandbox)}`, () => {
  const run = async (client: ApiClient, sessionId: string, command: string) =>
    (await converse(client, sessionId, `run: ${command}`)).tasks[0]
  const usedBy = async (story: Story, sessionId: string): Promise<number> => {
    const database = new pg.Client({ connectionString: story.databaseUrl })
    await database.connect()
    const text = 'SELECT coalesce(workspace_bytes, 0)::int AS bytes FROM opened_sessions WHERE session_id = $1'
    const { rows } = await database.query<{ bytes: number }>(text, [sessionId])
    await database.end()
    return rows[0]?.bytes ?? 0
  }

  test('of all sessions that a user opened share a quota: beyond it files can be deleted, and what is deleted is free at once', async () => {
    const [mia, miaThere] = [as(here, 'mia'), as(there, 'mia')]
    expect(await run(mia, '@mia:one', 'head -c 2500000 /dev/zero > large')).toMatchObject({
      status: 'DONE',
      stderr: '',
    })
    await expect.poll(() => usedBy(here, '@mia:one')).toBeGreaterThan(2_500_000)
    expect(await run(miaThere, '@mia:two', 'head -c 1500000 /dev/zero > large')).toMatchObject({ status: 'DONE' })
    await expect.poll(() => usedBy(here, '@mia:two')).toBeGreaterThan(1_500_000)

    const refused = await run(mia, '@mia:three', 'echo more > more')
    expect(refused?.status).toBe('FAILED')
    expect(refused?.stderr).toMatch(
      /The workspaces of the sessions that @mia opened may have 3.0 MiB together, and had 3.8 MiB; so this program could delete files, but write none. Delete files, or sessions that are no longer needed, or ask an administrator for more. The largest: @mia:one \(2.4 MiB\), @mia:two \(1.4 MiB\)/,
    )
    expect(await run(here.as('cleo'), '@cleo:hers', 'echo more > more')).toMatchObject({ status: 'DONE', stderr: '' })

    await remove(miaThere, '@mia:one')
    expect(await run(mia, '@mia:three', 'echo more > more')).toMatchObject({ status: 'DONE', stderr: '' })
  })

  test('a user who is over the quota makes space by a command', async () => {
    const noa = as(here, 'noa')
    expect(await run(noa, '@noa:one', 'head -c 1500000 /dev/zero > large')).toMatchObject({ status: 'DONE' })
    await expect.poll(() => usedBy(here, '@noa:one')).toBeGreaterThan(1_500_000)
    expect(await run(noa, '@noa:one', 'rm large')).toMatchObject({ status: 'DONE' })
    await expect.poll(() => usedBy(here, '@noa:one')).toBeLessThan(1_000_000)
    expect(await run(noa, '@noa:one', 'echo more > more')).toMatchObject({ status: 'DONE', stderr: '' })
  })

  test('that were never measured are, by a job, and count from then on', async () => {
    const database = new Database({
      url: here.databaseUrl,
      maxConnections: 1,
      logger: createLogger({ level: 'silent', pretty: false }),
    })
    await send(here.as('ben'), '@ben:old', 'Hello')
    await send(here.as('ben'), '@ben:none', 'Hello')
    const workspace = workspacePath(here.home, '@ben:old')
    await mkdir(workspace, { recursive: true })
    await writeFile(join(workspace, 'large'), Buffer.alloc(200_000, 1))
    await measureWorkspaces({ database, home: here.home }, new AbortController().signal)
    await database.close()
    expect(await usedBy(here, '@ben:old')).toBeGreaterThan(200_000)
    expect(await usedBy(here, '@ben:none')).toBe(0)
  })
})
