/**
 * What becomes of messages that come quickly one after another, or while a turn runs: collected, handed to it, or
 * cancelling it.
 */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import {
  AuditDocument,
  SendMessageDocument,
  SetBusyPolicyDocument,
  TriggerScheduleDocument,
  type SendMessageInput,
} from '../generated/graphql.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { runAsAdmin } from '../harness/database.ts'
import { select } from '../harness/plugins.ts'
import { messagesIn, openBusy, queueOf } from '../harness/queue.ts'
import { schedule, untilSchedule } from '../harness/schedules.ts'
import { answersIn, eventsOf, send, Story, storyConfig, turnEnd, watchAll, type StoryConfig } from '../harness/story.ts'
import { useStubStory } from '../harness/use-stub-story.ts'
import { answerWell, GOOD_PLAN } from '../model/good-answers.ts'
import type { StubCall } from '../model/stub-endpoint.ts'

type SessionWatch = ReturnType<typeof watchAll>

/** What must be accepted. */
async function say(client: ApiClient, input: SendMessageInput) {
  const { sendMessage } = await client.run(SendMessageDocument, { input })
  if (sendMessage.__typename !== 'SendMessagePayload') throw new Error(JSON.stringify(sendMessage))
  return sendMessage.message
}

const COMMITS_OF_ENDS = `SELECT count(*)::int AS ends, count(DISTINCT xmin::text)::int AS commits FROM events
  WHERE session_id = 'cli:denied' AND type = 'TurnCompleted'`

/** A message whose command runs until the file is there. */
function busyUntil(gate: string): string {
  return `run: echo begun; until [ -e ${gate} ]; do sleep 0.02; done`
}

async function untilBegun(watch: SessionWatch): Promise<void> {
  await watch.until(
    ({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent' && event.text.includes('begun'),
  )
}

const turnOf = (messages: Awaited<ReturnType<typeof messagesIn>>, at: number) =>
  must(must(messages[at], `message ${at} is there`).turn, 'it has a turn')

/** What was sent so far has waited for long enough. */
async function passWindow({ databaseUrl }: Story, sessionId: string): Promise<void> {
  await runAsAdmin(databaseUrl, `UPDATE sessions SET ready_at = now() WHERE id = '${sessionId}' AND ready_at > now()`)
}

/** A command with `tee` has to wait. */
const CONFIG: StoryConfig = { toml: approvalRules('effect = "require"\ncommand = "tee"') }

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: CONFIG })
})
afterAll(() => story?.[Symbol.asyncDispose]())

test('a message begins by itself when its window has passed', async () => {
  await using _window = await story.reconfigureForNow(storyConfig({ settings: { collect_window_ms: 50 } }))
  const ada = story.as('ada')
  await send(ada, 'cli:alone', 'Hello')
  await using watch = watchAll(ada, 'cli:alone')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
})

describe('with a window', () => {
  beforeAll(() => story.reconfigure(storyConfig({ settings: { collect_window_ms: 60_000 } })))
  afterAll(() => story.reconfigure(storyConfig(CONFIG)))

  test('quick messages of one person get one turn, each keeping its row and its author; those of others stay apart', async () => {
    const [ada, ben] = [story.as('ada'), story.as('ben')]
    await openBusy(ada, 'QUEUE', { id: 'cli:quick', participants: ['ben'] })
    await send(ada, 'cli:quick', 'one')
    await send(ben, 'cli:quick', 'of ben')
    await send(ada, 'cli:quick', 'two')
    await send(ada, 'cli:quick', 'three')
    const waiting = await messagesIn(ada, 'cli:quick')
    expect(waiting.map(({ user, status, queuePosition }) => [user, status, queuePosition])).toEqual([
      ['ada', 'QUEUED', 0],
      ['ben', 'QUEUED', 1],
      ['ada', 'QUEUED', 2],
      ['ada', 'QUEUED', 3],
    ])

    await passWindow(story, 'cli:quick')
    await using watch = watchAll(ada, 'cli:quick')
    await turnEnd(watch, 4)
    const messages = await messagesIn(ada, 'cli:quick')
    expect(messages.map(({ content, user, status }) => [content, user, status])).toEqual([
      ['one', 'ada', 'DONE'],
      ['of ben', 'ben', 'DONE'],
      ['two', 'ada', 'DONE'],
      ['three', 'ada', 'DONE'],
    ])
    const [leader, other, second, third] = messages.map(({ turn }) => must(turn, 'each has its turn'))
    expect(leader).toMatchObject({ joinedInto: null, joined: [{ id: second?.id }, { id: third?.id }] })
    expect(other).toMatchObject({ joinedInto: null, joined: [] })
    for (const joined of [second, third])
      expect(joined).toMatchObject({ status: 'DONE', step: 'COMPLETE', joinedInto: { id: leader?.id }, plans: [] })
    expect(answersIn(watch)).toEqual([expect.stringMatching(/one\n.*two\n.*three/s), expect.stringContaining('of ben')])
    const steps = eventsOf(watch, 'PipelineStepEvent').filter(({ step }) => step === 'RECEIVED')
    expect(steps.map(({ detail }) => detail)).toEqual([null, 'Takes along 2 messages of ada that waited.', null])
    const ends = eventsOf(watch, 'TurnCompletedEvent').map(({ turnId, turnStatus }) => [turnId, turnStatus])
    expect(ends).toEqual([second, third, leader, other].map((turn) => [turn?.id, 'DONE']))
    expect(await queueOf(ada, 'cli:quick')).toMatchObject({ status: 'IDLE', queueLength: 0, turnCount: 2 })
  })

  test('what comes while a turn runs waits for the window too, and its own turn comes then', async () => {
    const ada = story.as('ada')
    const gate = story.path('window')
    await send(ada, 'cli:window', busyUntil(gate))
    await passWindow(story, 'cli:window')
    await using watch = watchAll(ada, 'cli:window')
    await untilBegun(watch)
    await send(ada, 'cli:window', 'first')
    await writeFile(gate, '')
    await turnEnd(watch, 1)
    expect(await queueOf(ada, 'cli:window')).toMatchObject({ queueLength: 1, status: 'IDLE' })
    await send(ada, 'cli:window', 'second')
    await passWindow(story, 'cli:window')
    await turnEnd(watch, 3)
    expect((await messagesIn(ada, 'cli:window')).map(({ turn }) => turn?.joined.length)).toEqual([0, 1, 0])
  })

  test('a secret in a message that was taken along leaves its row, like one in the first', async () => {
    const ada = story.as('ada')
    await send(ada, 'cli:secret', 'secret: FIRST=hunter-hunter-1')
    await send(ada, 'cli:secret', 'secret: SECOND=hunter-hunter-2')
    await passWindow(story, 'cli:secret')
    await using watch = watchAll(ada, 'cli:secret')
    await turnEnd(watch, 2)
    const messages = await messagesIn(ada, 'cli:secret')
    expect(messages.map(({ content }) => content)).toEqual(['secret: FIRST=[REDACTED]', 'secret: SECOND=[REDACTED]'])
    expect(answersIn(watch).join()).toContain('FIRST, SECOND')
  })
})

describe('COLLECT', () => {
  beforeAll(() => story.reconfigure(storyConfig({ settings: { max_replan_depth: 0 } })))
  afterAll(() => story.reconfigure(storyConfig(CONFIG)))

  test('what one person says while a turn runs is one turn after it; what was withdrawn is not in it', async () => {
    const [ada, ben] = [story.as('ada'), story.as('ben')]
    const gate = story.path('collect')
    await openBusy(ada, 'COLLECT', { id: 'cli:collect', participants: ['ben'] })
    await send(ada, 'cli:collect', busyUntil(gate))
    await using watch = watchAll(ada, 'cli:collect')
    await untilBegun(watch)
    await send(ada, 'cli:collect', 'one')
    await send(ben, 'cli:collect', 'of ben')
    const { message } = await send(ada, 'cli:collect', 'two')
    await send(ada, 'cli:collect', 'three')
    await ada.run('mutation ($id: ID!) { withdrawMessage(input: { id: $id }) { __typename } }', { id: message.id })
    await writeFile(gate, '')
    await turnEnd(watch, 5)
    const messages = await messagesIn(ada, 'cli:collect')
    expect(messages.map(({ status, turn }) => [status, turn?.joined.length, turn?.joinedInto?.id])).toEqual([
      ['DONE', 0, undefined],
      ['DONE', 1, undefined],
      ['DONE', 0, undefined],
      ['CANCELLED', 0, undefined],
      ['DONE', 0, turnOf(messages, 1).id],
    ])
    expect(answersIn(watch)[1]).toMatch(/one\n.*three/s)
  })

  test('a turn that fails takes what it had collected with it, and says so for each', async () => {
    const ada = story.as('ada')
    const gate = story.path('fails')
    await openBusy(ada, 'COLLECT', { id: 'cli:collects-and-fails' })
    await send(ada, 'cli:collects-and-fails', busyUntil(gate))
    await using watch = watchAll(ada, 'cli:collects-and-fails')
    await untilBegun(watch)
    await send(ada, 'cli:collects-and-fails', 'one')
    await send(ada, 'cli:collects-and-fails', 'fail: It is no good.')
    await writeFile(gate, '')
    await turnEnd(watch, 3)
    const failure = expect.stringMatching(/^I gave up after 1 attempt. .* It is no good.$/) as string
    const ends = eventsOf(watch, 'TurnCompletedEvent').slice(1)
    expect(ends.map((end) => [end.turnStatus, end.failure])).toEqual([1, 2].map(() => ['FAILED', failure]))
    const messages = await messagesIn(ada, 'cli:collects-and-fails')
    expect(messages.slice(1).map(({ status, turn }) => [status, turn?.failure])).toEqual(
      [1, 2].map(() => ['FAILED', failure]),
    )
  })

  test('a turn that is cancelled takes what it had collected with it', async () => {
    const ada = story.as('ada')
    const [gate, later] = [story.path('ends'), story.path('later')]
    await openBusy(ada, 'COLLECT', { id: 'cli:ends' })
    await send(ada, 'cli:ends', busyUntil(gate))
    await using watch = watchAll(ada, 'cli:ends')
    await untilBegun(watch)
    await send(ada, 'cli:ends', `run: echo again; until [ -e ${later} ]; do sleep 0.02; done`)
    await send(ada, 'cli:ends', 'more')
    await writeFile(gate, '')
    await watch.until(
      ({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent' && event.text.includes('again'),
    )
    expect((await messagesIn(ada, 'cli:ends')).map(({ status, turn }) => [status, turn?.status])).toEqual([
      ['DONE', 'DONE'],
      ['PROCESSING', 'RUNNING'],
      ['PROCESSING', 'JOINED'],
    ])
    await ada.run('mutation ($id: ID!) { cancelTurn(input: { sessionId: $id }) { __typename } }', { id: 'cli:ends' })
    await turnEnd(watch, 3)
    expect((await messagesIn(ada, 'cli:ends')).map(({ status, turn }) => [status, turn?.status])).toEqual([
      ['DONE', 'DONE'],
      ['CANCELLED', 'CANCELLED'],
      ['CANCELLED', 'CANCELLED'],
    ])
    expect(await queueOf(ada, 'cli:ends')).toMatchObject({ status: 'IDLE', queueLength: 0 })
  })
})

test('the run of a schedule takes nothing along, is taken along by nothing, and cancels nothing', async () => {
  const ada = story.as('ada')
  const gate = story.path('gate')
  const { id } = await schedule(ada, { content: 'of the clock', cron: '0 0 1 1 *' })
  const trigger = async (): Promise<void> => {
    const { triggerSchedule } = await ada.run(TriggerScheduleDocument, { id })
    expect(triggerSchedule).toMatchObject({ __typename: 'TriggerSchedulePayload' })
  }
  const sessionId = `schedule:${id}`
  await trigger()
  await using watch = watchAll(ada, sessionId)
  await turnEnd(watch, 1)
  await ada.run(SetBusyPolicyDocument, { id: sessionId, busyPolicy: 'INTERRUPT' })
  await send(ada, sessionId, busyUntil(gate))
  await untilBegun(watch)
  await untilSchedule(ada, id, ({ runs }) => runs[0]?.status === 'DONE')
  await trigger()
  await ada.run(SetBusyPolicyDocument, { id: sessionId, busyPolicy: 'COLLECT' })
  await send(ada, sessionId, 'of ada')
  await writeFile(gate, '')
  await turnEnd(watch, 4)
  const messages = await messagesIn(ada, sessionId)
  expect(messages.map(({ content, status, turn }) => [content.split(':')[0], status, turn?.joined.length])).toEqual([
    ['of the clock', 'DONE', 0],
    ['run', 'DONE', 0],
    ['of the clock', 'DONE', 0],
    ['of ada', 'DONE', 0],
  ])
})

describe('STEER', () => {
  const world = useStubStory(() => story)

  const exec = (detail: string) => ({ type: 'exec', detail, skill: null, args: null, expect: 'it works' })
  const talk = must(GOOD_PLAN.tasks.at(-1), 'it ends with a text')
  const isAgain = ({ user }: StubCall): boolean => user.includes('\n# Another plan is needed\n')

  /** The first plan runs until there is `gate`; the next one is for what was said by then. */
  function follow(gate: string, next: (call: StubCall) => object | { readonly status: number }): void {
    const command = `echo begun; until [ -e ${gate} ]; do sleep 0.02; done`
    const first = { ...GOOD_PLAN, tasks: [exec(command), exec('echo never'), talk] }
    world.stub.follow({
      by: (call) => {
        if (call.role !== 'planner') return answerWell(call)
        if (isAgain(call)) return next(call)
        const [, said = ''] = call.user.split('\n# The message to plan for\n')
        return { content: said.includes('\nBegin\n') ? first : { ...GOOD_PLAN, tasks: [talk] } }
      },
    })
  }

  test("the running turn takes its own user's message along before its next task, and nobody else's", async () => {
    const [ada, ben] = [world.story.as('ada'), world.story.as('ben')]
    const gate = world.story.path('steer')
    follow(gate, () => ({ content: { ...GOOD_PLAN, goal: 'Both', tasks: [exec('echo both'), talk] } }))
    await openBusy(ada, 'STEER', { id: 'cli:steer', participants: ['ben'] })
    await send(ada, 'cli:steer', 'Begin')
    await using watch = watchAll(ada, 'cli:steer')
    await untilBegun(watch)
    const before = world.stub.calls.length
    await send(ben, 'cli:steer', 'I have a wish, too')
    await send(ada, 'cli:steer', 'Also this')
    await writeFile(gate, '')
    await turnEnd(watch, 3)

    const messages = await messagesIn(ada, 'cli:steer')
    expect(messages.map(({ status, turn }) => [status, turn?.joinedInto?.id])).toEqual([
      ['DONE', undefined],
      ['DONE', undefined],
      ['DONE', turnOf(messages, 0).id],
    ])
    expect(turnOf(messages, 0).plans).toMatchObject([
      { attempt: 1, tasks: [{ status: 'DONE' }, { status: 'SKIPPED' }, { status: 'SKIPPED' }] },
      { attempt: 2, goal: 'Both', replanReason: 'The caller said more while it ran.' },
    ])
    const asked = must(world.stub.calls.slice(before).find(isAgain), 'the planner was asked again').user
    const fence = '[A-Z_]+_[0-9a-f]{32}>>>\\n'
    expect(asked).toMatch(
      new RegExp(
        `^ada writes:\\n<<<${fence}Begin\\n<<<END_${fence}\\nada adds, while a plan of yours ran:\\n<<<${fence}Also this\\n`,
        'm',
      ),
    )
    expect(asked).not.toContain('I have a wish')
    const steps = eventsOf(watch, 'PipelineStepEvent').filter(({ step }) => step === 'REPLANNING')
    expect(steps.map(({ detail }) => detail)).toEqual(['ada said more while the plan ran: one message.'])
    expect(answersIn(watch)).toHaveLength(2)
  })

  test('what it took along is not lost when it fails then: it waits again, and has a turn of its own', async () => {
    const ada = world.story.as('ada')
    const gate = world.story.path('steered-fails')
    follow(gate, () => ({ status: 400, body: { error: { message: 'The model is on holiday.' } } }))
    await openBusy(ada, 'STEER', { id: 'cli:fails' })
    await send(ada, 'cli:fails', 'Begin')
    await using watch = watchAll(ada, 'cli:fails')
    await untilBegun(watch)
    await send(ada, 'cli:fails', 'Also this')
    await writeFile(gate, '')
    expect(await turnEnd(watch, 1)).toMatchObject({ turnStatus: 'FAILED' })
    expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
    const messages = await messagesIn(ada, 'cli:fails')
    expect(messages.map(({ status, turn }) => [status, turn?.joinedInto ?? null, turn?.plans.length])).toEqual([
      ['FAILED', null, 1],
      ['DONE', null, 1],
    ])
    expect(await queueOf(ada, 'cli:fails')).toMatchObject({ status: 'IDLE', queueLength: 0, turnCount: 2 })
  })

  test('it is no failed attempt, and there is an end to it: further messages wait', async () => {
    const ada = world.story.as('ada')
    await openBusy(ada, 'STEER', { id: 'cli:endless' })
    const gates = Array.from({ length: 7 }, (_, at) => world.story.path(`endless-${at}`))
    const command = (at: number): string => `echo begun ${at}.; until [ -e ${gates[at]} ]; do sleep 0.02; done`
    const saidIn = (text = ''): string[] => [...text.matchAll(/^Message \d$/gm)].map(([line]) => line)
    const prompts: { readonly before: string[]; readonly toPlanFor: string[] }[] = []
    world.stub.follow({
      by: (call) => {
        if (call.role !== 'planner') return answerWell(call)
        const [before, toPlanFor] = call.user.split('\n# The message to plan for\n').map(saidIn)
        prompts.push({ before: before ?? [], toPlanFor: toPlanFor ?? [] })
        const said = toPlanFor?.length ?? 0
        return { content: { ...GOOD_PLAN, tasks: [exec(command(said - 1)), exec(`echo ${said}`), talk] } }
      },
    })
    await send(ada, 'cli:endless', 'Message 0')
    await using watch = watchAll(ada, 'cli:endless')
    for (const [at, gate] of gates.entries()) {
      if (at > 5) break
      await watch.until(
        ({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent' && event.text.includes(`begun ${at}.`),
      )
      await send(ada, 'cli:endless', `Message ${at + 1}`)
      await writeFile(gate, '')
    }
    await turnEnd(watch, 6)
    const messages = await messagesIn(ada, 'cli:endless')
    expect(turnOf(messages, 0)).toMatchObject({ status: 'DONE', joined: { length: 5 }, plans: { length: 6 } })
    expect(turnOf(messages, 6)).toMatchObject({ joinedInto: null })
    await writeFile(gates[0] ?? '', '')
    await turnEnd(watch, 7)
    // What is being planned for is no part of what was said before; once the turn has ended, all of it is.
    const all = gates.map((_, at) => `Message ${at}`)
    expect(prompts).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((count) => ({ before: [], toPlanFor: all.slice(0, count) })),
      { before: all.slice(0, 6), toPlanFor: ['Message 6'] },
    ])
  })

  test('the policy can be set while the turn runs; in a group only what is directed at the agent is handed over', async () => {
    const [ada, cleo] = [world.story.as('ada'), world.story.as('cleo')]
    const gate = world.story.path('steered-later')
    follow(gate, () => ({ content: { ...GOOD_PLAN, tasks: [talk] } }))
    await openBusy(ada, 'QUEUE', { id: 'cli:group', source: { kind: 'cli', type: 'GROUP' }, participants: ['cleo'] })
    await say(ada, { sessionId: 'cli:group', content: 'Begin', mentioned: true })
    await using watch = watchAll(cleo, 'cli:group')
    await untilBegun(watch)
    await ada.run(SetBusyPolicyDocument, { id: 'cli:group', busyPolicy: 'STEER' })
    await say(ada, { sessionId: 'cli:group', content: 'Cleo, look', mentioned: false })
    await say(ada, { sessionId: 'cli:group', content: 'And be quick', mentioned: true })
    await writeFile(gate, '')
    await turnEnd(watch, 3)
    const messages = await messagesIn(ada, 'cli:group')
    expect(messages.map(({ turn }) => turn?.joinedInto?.id)).toEqual([undefined, undefined, turnOf(messages, 0).id])
  })
})

test('STEER: a turn that awaits an approval hears the decision first, and makes one new plan for that and for what was added', async () => {
  const ada = story.as('ada')
  await openBusy(ada, 'STEER', { id: 'cli:denied' })
  await send(ada, 'cli:denied', 'run: echo one | tee')
  await using watch = watchAll(ada, 'cli:denied')
  const [asked] = await untilAsked(watch)
  await send(ada, 'cli:denied', 'Or only say hello')
  expect(await queueOf(ada, 'cli:denied')).toMatchObject({ queueLength: 1, status: 'AWAITING_APPROVAL' })
  await decide(ada, { id: must(asked, 'it was asked for').id, approve: false, note: 'Not now.' })
  await turnEnd(watch, 2)
  const messages = await messagesIn(ada, 'cli:denied')
  expect(turnOf(messages, 1)).toMatchObject({ status: 'DONE', joinedInto: { id: turnOf(messages, 0).id } })
  expect(turnOf(messages, 0).plans).toMatchObject([{}, { replanReason: expect.stringContaining('Not now.') }])
  expect(answersIn(watch).at(-1)).toContain('Or only say hello')
  // A page reads a turn when it hears of its end: one committed before the row would show it as joined for good.
  expect(await select(story, COMMITS_OF_ENDS)).toEqual([{ ends: 2, commits: 1 }])
})

describe('INTERRUPT', () => {
  /** A user's turn runs and would for ever, in a session in which ada and ben take part. */
  async function playEndless(who: 'ada' | 'ben', id: string, more: Partial<SendMessageInput> = {}) {
    const type = more.mentioned === undefined ? 'DIRECT' : 'GROUP'
    await openBusy(story.as('ada'), 'INTERRUPT', { id, source: { kind: 'cli', type }, participants: ['ben', 'cleo'] })
    await say(story.as(who), { sessionId: id, content: 'run: echo begun; sleep 600', ...more })
    const watch = watchAll(story.as('ada'), id)
    await untilBegun(watch)
    return watch
  }

  test('a message cancels the running turn of its sender, and is the next', async () => {
    const ben = story.as('ben')
    await using watch = await playEndless('ben', 'cli:own')
    await send(ben, 'cli:own', 'Stop that')
    expect(await turnEnd(watch, 1)).toMatchObject({ turnStatus: 'CANCELLED' })
    expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
    expect(answersIn(watch)).toEqual([expect.stringContaining('Stop that')])
    const { audit } = await story.as('ada').run(AuditDocument, { filter: { sessionId: 'cli:own', kind: ['SESSION'] } })
    const cancelled = audit.edges.filter(
      ({ node }) => node.__typename === 'SessionAudit' && node.sessionChange === 'TURN_CANCELLED',
    )
    expect(cancelled.map(({ node }) => [node.actor?.name, node.turnId != null])).toEqual([['ben', true]])
  })

  test('a user does not cancel the turn of another, an admin does', async () => {
    const [ada, ben, cleo] = [story.as('ada'), story.as('ben'), story.as('cleo')]
    await using watch = await playEndless('ben', 'cli:others')
    await send(cleo, 'cli:others', 'Stop that')
    expect(await queueOf(cleo, 'cli:others')).toMatchObject({ status: 'RUNNING', queueLength: 1 })
    expect(turnOf(await messagesIn(ben, 'cli:others'), 0)).toMatchObject({ status: 'RUNNING' })
    await send(ada, 'cli:others', 'Do stop')
    expect(await turnEnd(watch, 1)).toMatchObject({ turnStatus: 'CANCELLED' })
    await turnEnd(watch, 3)
    expect(answersIn(watch)).toEqual([expect.stringContaining('Stop that'), expect.stringContaining('Do stop')])
  })

  test('in a group, what is said to others cancels nothing', async () => {
    const ada = story.as('ada')
    await using watch = await playEndless('ada', 'cli:talk', { mentioned: true })
    await say(ada, { sessionId: 'cli:talk', content: 'It is slow today', mentioned: false })
    expect(turnOf(await messagesIn(ada, 'cli:talk'), 0)).toMatchObject({ status: 'RUNNING' })
    await say(ada, { sessionId: 'cli:talk', content: 'Stop that', mentioned: true })
    expect(await turnEnd(watch, 1)).toMatchObject({ turnStatus: 'CANCELLED' })
    await turnEnd(watch, 3)
  })

  test('it reaches a turn that runs in another process', async () => {
    await using there = await Story.begin({ beside: story })
    await using watch = await playEndless('ada', 'cli:elsewhere')
    await send(there.as('ada'), 'cli:elsewhere', 'Stop that')
    expect(await turnEnd(watch, 1)).toMatchObject({ turnStatus: 'CANCELLED' })
    expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
  })

  test('it reaches a turn that waits for an approval, which nobody need decide about then', async () => {
    const ada = story.as('ada')
    await openBusy(ada, 'INTERRUPT', { id: 'cli:waits' })
    await send(ada, 'cli:waits', 'run: echo one | tee')
    await using watch = watchAll(ada, 'cli:waits')
    await untilAsked(watch)
    await send(ada, 'cli:waits', 'Never mind')
    expect(await turnEnd(watch, 1)).toMatchObject({ turnStatus: 'CANCELLED' })
    expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
  })
})
