/**
 * Whose rights a running turn has: those of the user whose message it is, as they are when each of its tasks begins.
 * Nobody who speaks, joins, approves or leaves meanwhile gives it others. Changes are made at one process, the turn
 * runs at another.
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configPath } from '../../src/config/load-config.ts'
import { must } from '../../src/platform/must.ts'
import { adminHomePath, workspacePath } from '../../src/execution/workspace/workspace.ts'
import {
  AddParticipantDocument,
  AuditDocument,
  OpenSessionDocument,
  RemoveParticipantDocument,
  SendMessageDocument,
  ServerDocument,
  SessionTasksDocument,
  TurnDocument,
  type WatchSessionSubscription,
} from '../generated/graphql.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { ApiClient, type Watch } from '../harness/api-client.ts'
import { answersIn, eventsOf, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'

/** A user who wants `tee` has to wait. */
const CONFIG = { toml: approvalRules('effect = "require"\ncommand = "tee"') }

let here: Story
let there: Story
let canRunCommandsOfUsers = false
beforeAll(async () => {
  here = await Story.begin({ config: CONFIG })
  there = await Story.begin({ beside: here })
  canRunCommandsOfUsers = (await here.as('ada').run(ServerDocument)).server.sandbox.available
})
afterAll(async () => {
  await there[Symbol.asyncDispose]()
  await here[Symbol.asyncDispose]()
})

async function openedBy(client: ApiClient, id: string): Promise<string> {
  const { openSession } = await client.run(OpenSessionDocument, { input: { id } })
  expect(openSession.__typename).toBe('OpenSessionPayload')
  return id
}

/** A group of Ben and Cleo. */
async function openGroup(id: string): Promise<void> {
  const source = { kind: 'web', type: 'GROUP' } as const
  const { openSession } = await here
    .as('ada')
    .run(OpenSessionDocument, { input: { id, source, participants: ['ben', 'cleo'] } })
  expect(openSession.__typename).toBe('OpenSessionPayload')
}

async function mention(client: ApiClient, sessionId: string, content: string): Promise<void> {
  const { sendMessage } = await client.run(SendMessageDocument, { input: { sessionId, content, mentioned: true } })
  expect(sendMessage.__typename).toBe('SendMessagePayload')
}

async function remove(client: ApiClient, sessionId: string, user: string): Promise<void> {
  const { removeParticipant } = await client.run(RemoveParticipantDocument, { sessionId, user })
  expect(removeParticipant.__typename).toBe('RemoveParticipantPayload')
}

async function endedTurn(watch: Watch<WatchSessionSubscription>, nth = 1) {
  const { turnId } = await turnEnd(watch, nth)
  const { turn } = await here.as('ada').run(TurnDocument, { id: turnId ?? '' })
  return must(turn, 'a turn')
}

const REFUSED = 'Task 1 was not run: ben no longer takes part in this session.'

describe('who is removed from a session', () => {
  test('while their turn waits for an approval: what is approved is not run, and all others are told why', async () => {
    const id = 'web:removed-while-waiting'
    const marks = here.path('removed-while-waiting')
    await openGroup(id)
    await using watch = watchAll(here.as('cleo'), id)
    await mention(here.as('ben'), id, `run: echo broken in | tee ${marks}`)
    const [approval] = await untilAsked(watch)
    await remove(there.as('ada'), id, 'ben')
    const decided = await decide(there.as('ada'), { id: must(approval, 'one was asked for').id, approve: true })
    expect(decided.__typename).toBe('DecideApprovalPayload')

    const turn = await endedTurn(watch)
    expect(turn).toMatchObject({ status: 'FAILED', failure: REFUSED, message: { user: 'ben', status: 'FAILED' } })
    expect(turn.tasks).toMatchObject([
      { type: 'EXEC', status: 'FAILED', stderr: REFUSED, exitCode: null },
      { type: 'MSG', status: 'CANCELLED' },
      { type: 'MSG', status: 'DONE', output: REFUSED },
    ])
    expect(answersIn(watch)).toEqual([REFUSED])
    expect(existsSync(marks)).toBe(false)
  })

  test('before their turn begins: it fails, and the next one runs', async () => {
    const id = 'web:removed-while-queued'
    await openGroup(id)
    await using watch = watchAll(here.as('cleo'), id)
    await mention(here.as('cleo'), id, 'run: echo | tee never')
    const [approval] = await untilAsked(watch)
    await mention(here.as('ben'), id, 'What do I see?')
    await mention(here.as('cleo'), id, 'And I?')
    await remove(there.as('ada'), id, 'ben')
    await decide(there.as('ada'), { id: must(approval, 'one was asked for').id, approve: false })
    expect((await endedTurn(watch, 2)).message.user).toBe('ben')
    expect(await endedTurn(watch, 2)).toMatchObject({ status: 'FAILED', failure: REFUSED })
    expect(await endedTurn(watch, 3)).toMatchObject({ status: 'DONE', message: { user: 'cleo' } })
  })

  test('while a command of theirs runs: it ends, and the next does not begin', async ({ skip }) => {
    if (!canRunCommandsOfUsers) skip()
    const id = 'web:removed-while-running'
    await openGroup(id)
    await using watch = watchAll(here.as('cleo'), id)
    await mention(
      here.as('ben'),
      id,
      'run: until [ -e go ]; do echo tick; sleep 0.05; done; echo first\nrun: echo second',
    )
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
    await remove(there.as('ada'), id, 'ben')
    await writeFile(join(workspacePath(here.home, id), 'go'), '')
    const turn = await endedTurn(watch)
    const failure = REFUSED.replace('1', '2')
    expect(turn).toMatchObject({ status: 'FAILED', failure })
    expect(turn.tasks.slice(0, 2)).toMatchObject([
      { status: 'DONE', output: expect.stringContaining('first') },
      { status: 'FAILED', stderr: failure, output: null },
    ])
  })

  test('and comes back in time goes on', async () => {
    const id = 'web:came-back'
    await openGroup(id)
    await using watch = watchAll(here.as('cleo'), id)
    await mention(here.as('ben'), id, 'run: echo back | tee file')
    const [approval] = await untilAsked(watch)
    await remove(there.as('ada'), id, 'ben')
    await there.as('cleo').run(AddParticipantDocument, { sessionId: id, user: 'ben' })
    await decide(there.as('ada'), { id: must(approval, 'one was asked for').id, approve: true })
    const { tasks } = await endedTurn(watch)
    expect(tasks[0]?.stderr).not.toContain('no longer takes part')
  })

  test('as an admin keeps the rights of one: they act in all sessions', async () => {
    const id = 'web:admin-leaves'
    await openGroup(id)
    await using watch = watchAll(here.as('cleo'), id)
    await mention(here.as('ada'), id, 'run: echo done | tee file')
    const [approval] = await untilAsked(watch)
    await remove(there.as('ada'), id, 'ada')
    await decide(there.as('ada'), { id: must(approval, 'one was asked for').id, approve: true })
    expect((await endedTurn(watch)).tasks[0]).toMatchObject({ status: 'DONE', output: 'done\n' })
  })
})

describe('the turn of a user', () => {
  test('has no more rights because an admin speaks after them, approves it, and runs commands of their own', async () => {
    const id = 'web:later-speaker'
    await openGroup(id)
    await using watch = watchAll(here.as('cleo'), id)
    await mention(here.as('ben'), id, 'run: echo $HOME | tee file')
    const [approval] = await untilAsked(watch)
    await mention(there.as('ada'), id, 'run: echo $HOME')
    await decide(there.as('ada'), { id: must(approval, 'one was asked for').id, approve: true })

    const bens = await endedTurn(watch, 1)
    const adas = await endedTurn(watch, 2)
    const confined = { status: 'DONE', output: '/workspace\n' }
    const notAtAll = { status: 'FAILED', output: null, stderr: expect.stringMatching(/^SANDBOX_UNAVAIL/) }
    expect(bens.plans[0]?.tasks[0]).toMatchObject(canRunCommandsOfUsers ? confined : notAtAll)
    expect(adas.tasks[0]).toMatchObject({ status: 'DONE', output: `${adminHomePath(here.home, id)}\n` })
    const { audit } = await here.as('ada').run(AuditDocument, { first: 100, filter: { sessionId: id, kind: ['TASK'] } })
    const actors = audit.edges.map(({ node }) => [node.turnId, node.actor?.name] as const)
    expect(new Set(actors.map(([turnId, name]) => `${turnId} ${name}`))).toEqual(
      new Set([`${bens.id} ben`, `${adas.id} ada`]),
    )
  })

  test('stays theirs when their name on a platform becomes that of an admin meanwhile', async () => {
    const id = 'discord:renamed'
    const discord = here.as('discord')
    await using watch = watchAll(here.as('ada'), await openedBy(discord, id))
    const input = { sessionId: id, content: 'run: echo $HOME | tee file', user: 'Ben#1' }
    await discord.run(SendMessageDocument, { input })
    const [approval] = await untilAsked(watch)
    const renamed = storyConfig(CONFIG)
      .replace('aliases.discord = "Ben#1"\n', '')
      .replace('[users.ada]\n', '[users.ada]\naliases.discord = "Ben#1"\n')
    await here.reconfigure(renamed)
    await there.app.reloadConfig()
    await discord.run(SendMessageDocument, { input: { ...input, content: 'run: echo $HOME' } })
    await decide(there.as('ada'), { id: must(approval, 'one was asked for').id, approve: true })
    const confined = { status: 'DONE', output: '/workspace\n' }
    const notAtAll = { status: 'FAILED', output: null, stderr: expect.stringMatching(/^SANDBOX_UNAVAIL/) }
    expect((await endedTurn(watch)).plans[0]?.tasks[0]).toMatchObject(canRunCommandsOfUsers ? confined : notAtAll)
    const later = await endedTurn(watch, 2)
    expect(later.message.user).toBe('ada')
    expect(later.tasks[0]).toMatchObject({ output: `${adminHomePath(here.home, id)}\n` })
    await here.reconfigure(storyConfig(CONFIG))
    await there.app.reloadConfig()
  })

  test('has no less because a user speaks after an admin', async () => {
    const id = 'web:later-user'
    await openGroup(id)
    await using watch = watchAll(here.as('cleo'), id)
    await mention(here.as('ada'), id, 'run: echo $HOME | tee file')
    const [approval] = await untilAsked(watch)
    await mention(there.as('ben'), id, 'I am here, too')
    await decide(there.as('ada'), { id: must(approval, 'one was asked for').id, approve: true })
    expect((await endedTurn(watch)).tasks[0]).toMatchObject({ output: `${adminHomePath(here.home, id)}\n` })
  })
})

test('an admin who becomes a user while their turn waits is confined by what is left, also without taking part', async () => {
  const id = 'web:demoted'
  const dora =
    '[users.dora]\nrole = "admin"\n[tokens.dora]\nkind = "user"\nuser = "dora"\ntoken = "dora-token-0123456789"\n'
  await using _dora = await here.reconfigureForNow(storyConfig({ toml: `${dora}${CONFIG.toml}` }))
  await there.app.reloadConfig()
  await send(new ApiClient(here.app.url, 'dora-token-0123456789'), id, 'run: echo one | tee file')
  await using follow = watchAll(here.as('ada'), id)
  const [approval] = await untilAsked(follow)
  await remove(there.as('ada'), id, 'dora')
  await writeFile(
    configPath(here.home),
    storyConfig({ toml: `${dora.replace('role = "admin"', 'role = "user"\nskills = []')}${CONFIG.toml}` }),
  )
  await Promise.all([here.app.reloadConfig(), there.app.reloadConfig()])
  await decide(there.as('ada'), { id: must(approval, 'one was asked for').id, approve: true })
  await turnEnd(follow)
  const { session } = await here.as('ada').run(SessionTasksDocument, { id, filter: { type: ['EXEC'] } })
  expect(session?.tasks.edges[0]?.node).toMatchObject({
    status: 'FAILED',
    stderr: 'Task 1 was not run: dora no longer takes part in this session.',
  })
  expect(eventsOf(follow, 'TurnCompletedEvent')).toMatchObject([{ turnStatus: 'FAILED' }])
})
