/** config.toml changes while the server runs: tokens, users and roles hold from then on, also for turns under way. */
import { writeFile } from 'node:fs/promises'
import { describe, expect, test, vi } from 'vitest'
import { configPath } from '../../src/config/load-config.ts'
import { ApiClient } from '../harness/api-client.ts'
import { clientOf, Cluster } from '../harness/cluster.ts'
import { converse, send, Story, storyConfig, turnEnd, watchAll, type SessionEventData } from '../harness/story.ts'
import {
  MessageOutputsDocument,
  OpenSessionDocument,
  SendMessageDocument,
  ServerDocument,
  SessionDocument,
  SessionUpdatesDocument,
  TurnDocument,
  ViewerDocument,
  WatchSessionDocument,
} from '../generated/graphql.ts'
import { PATIENCE } from '../harness/patience.ts'

const DORA = `
[users.dora]
role = "admin"
[tokens.dora]
kind = "user"
user = "dora"
token = "dora-token-for-the-story"
`
const WITH_DORA = { toml: DORA }

function asDora(story: Story): ApiClient {
  return new ApiClient(story.app.url, 'dora-token-for-the-story')
}

/** The TOML without the sections of these names. */
function without(toml: string, ...names: readonly string[]): string {
  const sections = toml.split(/^(?=\[)/m)
  return sections.filter((section) => !names.some((name) => section.startsWith(`[${name}]`))).join('')
}

describe('a token that is removed from the file', () => {
  test('ends its open subscriptions, which are told why, and is refused from then on', async () => {
    await using story = await Story.begin()
    const ben = story.as('ben')
    await converse(ben, '@ben:ben', 'Hello')
    await using overWebSocket = ben.watch(WatchSessionDocument, { sessionId: '@ben:ben', after: 0 })
    await using overSse = ben.watchSse(MessageOutputsDocument, { sessionId: '@ben:ben', after: 0 })
    await using list = ben.watch(SessionUpdatesDocument, {})
    await using ofAnother = watchAll(story.as('ada'), '@ben:ben')
    await Promise.all([turnEnd(overWebSocket), overSse.until(() => true), turnEnd(ofAnother)])

    // Nobody tells the server: it watches the file.
    await writeFile(configPath(story.home), without(storyConfig(), 'tokens.ben'))
    expect(await overWebSocket.ended).toMatch(/^4401 .*token/)
    expect(await list.ended).toMatch(/^4401 .*token/)
    expect(await overSse.ended).toContain('UNAUTHENTICATED')
    const reply = await ben.request(SendMessageDocument, { input: { sessionId: '@ben:ben', content: 'Still me' } })
    expect(reply).toMatchObject({ status: 401, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
    expect(await ben.watch(WatchSessionDocument, { sessionId: '@ben:ben' }).ended).toMatch(/^4401/)

    // Nobody else notices.
    await send(story.as('ada'), '@ben:ben', 'Where is Ben?')
    expect((await turnEnd(ofAnother, 2)).turnStatus).toBe('DONE')
  })

  test('leaves the turn alone that its user has started', async () => {
    await using story = await Story.begin({ config: WITH_DORA })
    const gate = story.path('gate')
    await send(asDora(story), 'cli:dora', `run: until [ -e ${gate} ]; do sleep 0.02; done; echo through`)
    await using watch = watchAll(story.as('ada'), 'cli:dora')
    await watch.until(({ sessionEvents }) => isRunning(sessionEvents))
    await story.reconfigure(without(storyConfig(WITH_DORA), 'tokens.dora'))
    await writeFile(gate, '')
    expect((await turnEnd(watch)).turnStatus).toBe('DONE')
  })
})

test('a user who is added can work at once', async () => {
  await using story = await Story.begin()
  expect((await asDora(story).request(ViewerDocument)).status).toBe(401)
  await story.reconfigure(storyConfig(WITH_DORA))
  expect((await asDora(story).run(ViewerDocument)).viewer).toMatchObject({ role: 'ADMIN', user: { name: 'dora' } })
  expect((await converse(asDora(story), 'cli:dora', 'run: echo new here')).tasks[0]?.output).toBe('new here\n')
})

describe('the rights of a user are read again before every task', () => {
  test('a user who is removed: the next task fails, the rest is cancelled, and everybody is told why', async () => {
    await using story = await Story.begin({ config: WITH_DORA })
    const turn = await changeDuringTurn(story, storyConfig())
    expect(turn).toMatchObject({ status: 'FAILED', failure: expect.stringContaining('dora is no longer in the conf') })
    expect(turn.tasks).toMatchObject([
      { type: 'EXEC', status: 'DONE', output: 'first\n' },
      { type: 'EXEC', status: 'FAILED', output: null, exitCode: null, stderr: turn.failure, review: null },
      { type: 'EXEC', status: 'CANCELLED' },
      { type: 'MSG', status: 'CANCELLED' },
      { type: 'MSG', status: 'DONE', output: turn.failure, final: false },
    ])
    const { session } = await story.as('ada').run(SessionDocument, { id: 'cli:dora' })
    expect(session).toMatchObject({ status: 'IDLE', activeTurn: null })
  })

  test('an admin who is demoted: what is left of the plan runs confined, or not at all', async () => {
    await using story = await Story.begin({ config: WITH_DORA })
    const { server } = await story.as('ada').run(ServerDocument)
    await asDora(story).run(OpenSessionDocument, { input: { id: 'cli:dora' } })
    await using watch = asDora(story).watch(WatchSessionDocument, { sessionId: 'cli:dora' })
    await watch.until(() => true)
    const demoted = storyConfig(WITH_DORA).replace(
      '[users.dora]\nrole = "admin"',
      '[users.dora]\nrole = "user"\nskills = []',
    )
    const { tasks, plans } = await changeDuringTurn(story, demoted)
    expect(tasks[0]).toMatchObject({ status: 'DONE', output: 'first\n' })
    const confined = { status: 'DONE', output: '/workspace\n', exitCode: 0 }
    const notAtAll = {
      status: 'FAILED',
      output: null,
      exitCode: null,
      stderr: expect.stringMatching(/^SANDBOX_UNAVAIL/),
    }
    expect(plans[0]?.tasks[1]).toMatchObject(server.sandbox.available ? confined : notAtAll)
    // The open connection had the rights of an admin.
    expect(await watch.ended).toMatch(/^4205 /)
    expect((await asDora(story).run(ViewerDocument)).viewer.role).toBe('USER')
  })
})

/** Dora's turn of three commands; the configuration changes while the first one runs. */
async function changeDuringTurn(story: Story, toml: string) {
  const gate = story.path('gate')
  const wait = `until [ -e ${gate} ]; do sleep 0.02; done; echo first`
  await send(asDora(story), 'cli:dora', `run: ${wait}\nrun: echo $HOME\nrun: echo third`)
  await using watch = watchAll(story.as('ada'), 'cli:dora')
  await watch.until(({ sessionEvents }) => isRunning(sessionEvents))
  await story.reconfigure(toml)
  await writeFile(gate, '')
  const { turnId } = await turnEnd(watch)
  const { turn } = await story.as('ada').run(TurnDocument, { id: turnId ?? '' })
  if (turn == null) throw new Error('the turn is gone')
  return turn
}

function isRunning(event: SessionEventData): boolean {
  return event.__typename === 'TaskUpdateEvent' && event.taskStatus === 'RUNNING'
}

describe('a file that breaks a rule', () => {
  const BROKEN = storyConfig({ settings: { max_queued: 0 } }).replace(
    '[users.ben]\nrole = "user"',
    '[users.ben]\nrole = "boss"',
  )
  const PROBLEMS = [
    /users\.ben\.role: must be "admin" or "user"; it is "boss"/,
    /settings\.max_queued: must be a whole number from 1 to 100000; it is 0/,
  ]

  test('stops a start: every key is named, with its line, what it should be and what it is', async () => {
    await using cluster = await Cluster.begin()
    await writeFile(configPath(cluster.home), BROKEN)
    const output = await cluster.start().then(
      () => 'it started',
      (error: unknown) => String(error),
    )
    expect(output).toContain('2 problems')
    for (const problem of PROBLEMS) expect(output).toMatch(new RegExp(`line \\d+, ${problem.source}`))
    expect(output).not.toMatch(/\n\s+at /)
  })

  test('is refused while the server runs: the log names the keys, the running configuration stays until it is mended', async () => {
    await using cluster = await Cluster.begin()
    const server = await cluster.start()
    const ben = clientOf(server, 'ben')
    await ben.run(OpenSessionDocument, { input: { id: '@ben:ben' } })
    await using watch = ben.watch(WatchSessionDocument, { sessionId: '@ben:ben' })
    await watch.until(() => true)
    await writeFile(configPath(cluster.home), BROKEN)
    const refusal = await vi.waitFor(() => {
      const line = server.logs.find(({ msg }) => msg.startsWith('configuration not reloaded'))
      expect(line).toBeDefined()
      return line?.msg ?? ''
    }, PATIENCE)
    for (const problem of PROBLEMS) expect(refusal).toMatch(problem)
    expect((await ben.run(ViewerDocument)).viewer).toMatchObject({ user: { name: 'ben', role: 'USER' } })
    expect((await converse(ben, '@ben:ben', 'Hello')).status).toBe('DONE')

    await writeFile(configPath(cluster.home), without(storyConfig(), 'tokens.ben'))
    await server.logged('configuration reloaded')
    expect(await watch.ended).toMatch(/^4401 /)
    expect((await ben.request(ViewerDocument)).status).toBe(401)
  })
})
