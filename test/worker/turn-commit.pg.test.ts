import { describe, expect, test } from 'vitest'
import type { NewEvent, SessionEventBody } from '../../src/core/session-event.ts'
import type { TurnWrite } from '../../src/core/turn-write.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { withdrawMessage } from '../../src/intake/message/withdraw-message.ts'
import { newId } from '../../src/platform/id.ts'
import { must } from '../../src/platform/must.ts'
import { beginTurn, takeSession, type Beginning, type OpenTurn } from '../../src/store/turn/begin-turn.ts'
import type { Lease } from '../../src/store/turn/lease.ts'
import { commitTurn } from '../../src/store/turn/turn-commit.ts'
import { loadPartialOutput, loadPlans } from '../../src/store/turn/turn-history.ts'
import { releaseSession } from '../../src/store/turn/work-queue.ts'
import { claimSessions } from '../harness/claim-sessions.ts'
import { createWorld, type World } from '../intake/intake-world.ts'
import { modelCall } from './model-call.ts'

const SESSION = 'cli:demo'

async function say(world: World, content: string): Promise<string> {
  const outcome = await sendMessage(world.context, world.as('alice'), { sessionId: SESSION, content })
  if (outcome.kind !== 'Accepted') throw new Error(outcome.message)
  return outcome.messageId
}

async function claim(world: World, node = 1): Promise<Lease> {
  return must((await claimSessions(world.context.database, node, { limit: 10, held: [] }))[0], 'there is work')
}

const beginning = (): Beginning => ({
  at: new Date(),
  limits: { summarizeThreshold: 3, maxRunningPerUser: 1000 },
})

async function start(world: World, lease: Lease): Promise<OpenTurn> {
  const begun = await beginTurn(world.context.database, lease, beginning())
  if (begun.kind === 'Nothing') throw new Error('no open turn')
  return begun.turn
}

const events = (turn: OpenTurn, ...bodies: SessionEventBody[]): NewEvent[] =>
  bodies.map((body) => ({ at: new Date(), turnId: turn.id, body }))
const step = { type: 'PipelineStep', step: 'CONTEXT', detail: null } as const
const finish = (status: 'DONE' | 'FAILED'): TurnWrite => ({
  events: [],
  finish: { status, failure: null, at: new Date() },
})

describe('a turn writes', () => {
  test('events, plan, tasks, calls and counters in one statement, and its end settles everything', async () => {
    await using world = await createWorld()
    const { database } = world.context
    const messageId = await say(world, 'hello')
    const lease = await claim(world)
    const turn = await start(world, lease)
    const [planId, taskId] = [newId('plan'), newId('task')]
    const call = modelCall(new Date())
    const committed = await commitTurn(
      database,
      { lease, turn },
      {
        events: events(turn, step, { type: 'PlanCreated', planId }, { type: 'TaskUpdate', taskId, status: 'RUNNING' }),
        step: 'CONTEXT',
        plans: [{ id: planId, attempt: 1, goal: 'greet', replanReason: null, secretNames: [], createdAt: new Date() }],
        tasks: [
          {
            id: taskId,
            planId,
            index: 0,
            type: 'EXEC',
            detail: 'echo hi',
            skill: null,
            args: null,
            expect: 'hi',
            patch: { status: 'RUNNING' },
          },
        ],
        modelCalls: [call, { ...call, cost: null }],
      },
    )
    expect(committed.events.map(({ seq, type }) => `${seq} ${type}`)).toEqual([
      '4 PipelineStep',
      '5 PlanCreated',
      '6 TaskUpdate',
    ])
    expect(await world.log(SESSION)).toEqual([
      '1 MessageReceived',
      '2 MessageUpdated',
      '3 PipelineStep',
      '4 PipelineStep',
      '5 PlanCreated',
      '6 TaskUpdate',
    ])

    await commitTurn(
      database,
      { lease, turn },
      {
        events: events(turn, { type: 'TaskUpdate', taskId, status: 'DONE' }),
        taskPatches: new Map([
          [taskId, { status: 'DONE', output: 'hi\n', exitCode: 0, reviewVerdict: 'OK', reviewReason: null }],
        ]),
      },
    )
    const [plan] = await loadPlans(database, turn.id)
    expect(plan).toMatchObject({
      attempt: 1,
      goal: 'greet',
      tasks: [{ id: taskId, status: 'DONE', output: 'hi\n', exitCode: 0, reviewVerdict: 'OK' }],
    })

    await commitTurn(database, { lease, turn }, finish('DONE'))
    expect(await world.sql('SELECT status, model_calls, input_tokens::int, cost FROM turns')).toEqual([
      { status: 'DONE', model_calls: 2, input_tokens: 14, cost: 0.5 },
    ])
    expect(await world.sql('SELECT status FROM messages WHERE id = $1', messageId)).toEqual([{ status: 'DONE' }])
    expect(await world.sql('SELECT status, turn_count, queue_length, last_seq, model_calls FROM sessions')).toEqual([
      { status: 'IDLE', turn_count: 1, queue_length: 0, last_seq: 7, model_calls: 2 },
    ])
  })

  test('text pieces leave the log when the whole text is there, and no others', async () => {
    await using world = await createWorld()
    const { database } = world.context
    await say(world, 'hello')
    const lease = await claim(world)
    const turn = await start(world, lease)
    const delta = (taskId: string, text: string) => ({ type: 'TextDelta', taskId, delta: text }) as const
    await commitTurn(
      database,
      { lease, turn },
      { events: events(turn, delta('task_a', 'he'), delta('task_b', 'x'), delta('task_a', 'llo')) },
    )
    await commitTurn(
      database,
      { lease, turn },
      {
        events: events(turn, { type: 'TextCompleted', taskId: 'task_a', content: 'hello', final: true, attempt: 1 }),
        dropDeltasOf: ['task_a'],
      },
    )
    expect(
      await world.sql(
        `SELECT seq, data->>'delta' AS delta, data->>'content' AS content FROM events WHERE type LIKE 'Text%' ORDER BY seq`,
      ),
    ).toEqual([
      { seq: 5, delta: 'x', content: null },
      { seq: 7, delta: null, content: 'hello' },
    ])
  })

  test('nothing once it has lost the lease', async () => {
    await using world = await createWorld()
    const { database } = world.context
    await say(world, 'hello')
    const lease = await claim(world)
    const turn = await start(world, lease)
    await world.sql('UPDATE sessions SET owner = NULL, ready_at = now()')
    const taken = await claim(world, 2)
    const before = await world.log(SESSION)
    const late = commitTurn(database, { lease, turn }, { ...finish('DONE'), events: events(turn, step) })
    await expect(late).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(await world.log(SESSION)).toEqual(before)
    expect(await world.sql('SELECT status FROM turns')).toEqual([{ status: 'RUNNING' }])

    const continued = await start(world, taken)
    expect(continued).toMatchObject({ id: turn.id, resumed: true })
    expect(await world.log(SESSION)).toEqual(before)
  })

  test('and learns from a commit that its end was asked for', async () => {
    await using world = await createWorld()
    await say(world, 'hello')
    const lease = await claim(world)
    const turn = await start(world, lease)
    await world.sql('UPDATE turns SET cancel_requested = true')
    const committed = await commitTurn(world.context.database, { lease, turn }, { events: events(turn, step) })
    expect(committed.cancelRequested).toBe(true)
  })
})

describe('the queue', () => {
  test('nodes claim different sessions, and one session once', async () => {
    await using world = await createWorld()
    const { database } = world.context
    const ids = Array.from({ length: 20 }, (_, n) => `cli:s${n}`)
    for (const sessionId of ids) await sendMessage(world.context, world.as('alice'), { sessionId, content: 'x' })
    const claimed: string[] = []
    // Who polls at the same moment skips what another has locked, and finds it with the next poll if it is still free.
    for (let poll = 0; poll < 5; poll += 1) {
      const held = claimed.slice()
      const leases = await Promise.all([1, 2, 3, 4].map((node) => claimSessions(database, node, { limit: 10, held })))
      claimed.push(...leases.flat().map((lease) => lease.sessionId))
    }
    expect(claimed.sort()).toEqual(ids.sort())
  })

  test('a session whose claim was never answered is claimed again by its node, under a new epoch; what the node runs is not', async () => {
    await using world = await createWorld()
    const { database } = world.context
    await say(world, 'hello')
    const unanswered = await claim(world)
    expect(await claimSessions(database, 1, { limit: 10, held: [SESSION] })).toEqual([])
    expect(await claimSessions(database, 2, { limit: 10, held: [] })).toEqual([])
    const [again] = await claimSessions(database, 1, { limit: 10, held: [] })
    expect(again).toEqual({ ...unanswered, epoch: unanswered.epoch + 1 })
  })

  test('a message accepted while the session is being released is not left waiting', async () => {
    await using world = await createWorld()
    const { database } = world.context
    const id = await say(world, 'first')
    const lease = await claim(world)
    await withdrawMessage(world.context, world.as('alice'), { id })
    const [, left] = await world.interleave(
      (uncommitted) => say(uncommitted, 'second'),
      () => releaseSession(database, lease, { unfinished: false, delayMs: 0 }),
    )
    expect(left).toBe(true)
    expect(await claimSessions(database, 2, { limit: 10, held: [] })).toHaveLength(1)
  })

  test('the end of the last turn gives the session back; a message accepted a moment before keeps it', async () => {
    await using world = await createWorld()
    const { database } = world.context
    await say(world, 'first')
    const lease = await claim(world)
    const turn = await start(world, lease)
    const [, kept] = await world.interleave(
      (uncommitted) => say(uncommitted, 'second'),
      () => commitTurn(database, { lease, turn }, finish('DONE')),
    )
    expect(kept.released).toBe(false)
    const second = await start(world, lease)
    expect(second.content).toBe('second')
    const freed = await commitTurn(database, { lease, turn: second }, finish('DONE'))
    expect(freed.released).toBe(true)
    expect(await world.sql('SELECT owner, ready_at, status FROM sessions')).toEqual([
      { owner: null, ready_at: null, status: 'IDLE' },
    ])
    await expect(commitTurn(database, { lease, turn: second }, { events: events(second, step) })).rejects.toMatchObject(
      {
        code: 'LEASE_LOST',
      },
    )
  })

  test('a free session is claimed and its turn started in one statement, by one node only', async () => {
    await using world = await createWorld()
    const { database } = world.context
    await say(world, 'hello')
    const taken = await Promise.all(
      [1, 2, 3].map((node) => takeSession(database, { sessionId: SESSION, node }, beginning())),
    )
    const [first, ...others] = taken.filter((one) => one !== null)
    expect(others).toEqual([])
    const { lease, begun } = must(first, 'one node got it')
    expect(begun.turn).toMatchObject({ content: 'hello', userName: 'alice', resumed: false })
    expect(begun.events).toMatchObject([
      { type: 'MessageUpdated', seq: 2 },
      { type: 'PipelineStep', step: 'RECEIVED', seq: 3 },
    ])
    expect(await world.log(SESSION)).toEqual(['1 MessageReceived', '2 MessageUpdated', '3 PipelineStep'])
    // Of a node that has not tried: the one that has it would claim it again, as one whose claim was never answered.
    expect(await claimSessions(database, 4, { limit: 10, held: [] })).toEqual([])
    // It is a lease like any other.
    const ended = await commitTurn(database, { lease, turn: begun.turn }, finish('DONE'))
    expect(ended.released).toBe(true)
  })

  test('a session whose next turn had been started before is not taken the short way, nor one that has no work', async () => {
    await using world = await createWorld()
    const { database } = world.context
    const take = () => takeSession(database, { sessionId: SESSION, node: 2 }, beginning())
    await say(world, 'hello')
    const lease = await claim(world)
    const turn = await start(world, lease)
    expect(await take()).toBeNull()
    await releaseSession(database, lease, { unfinished: true, delayMs: 0 })
    expect(await take()).toBeNull()
    const again = await claim(world, 2)
    await commitTurn(database, { lease: again, turn }, finish('DONE'))
    expect(await take()).toBeNull()
  })

  test('a message that is withdrawn while its session is being taken starts no turn, and the session stays free', async () => {
    await using world = await createWorld()
    const { database } = world.context
    const id = await say(world, 'hello')
    const [, taken] = await world.interleave(
      (uncommitted) => withdrawMessage(uncommitted.context, uncommitted.as('alice'), { id }),
      () => takeSession(database, { sessionId: SESSION, node: 1 }, beginning()),
    )
    expect(taken).toBeNull()
    expect(await world.sql('SELECT owner FROM sessions')).toEqual([{ owner: null }])
  })

  test('turns of a session start in the order of their messages', async () => {
    await using world = await createWorld()
    const contents = ['one', 'two', 'three']
    for (const content of contents) await say(world, content)
    const lease = await claim(world)
    const started: string[] = []
    for (const _ of contents) {
      const turn = await start(world, lease)
      started.push(turn.content)
      await commitTurn(world.context.database, { lease, turn }, finish('DONE'))
    }
    expect(started).toEqual(contents)
  })

  test('a run that broke off waits before it is taken again', async () => {
    await using world = await createWorld()
    await say(world, 'hello')
    const lease = await claim(world)
    await start(world, lease)
    await releaseSession(world.context.database, lease, { unfinished: true, delayMs: 3_600_000 })
    expect(await claimSessions(world.context.database, 2, { limit: 10, held: [] })).toEqual([])
    await world.sql('UPDATE sessions SET ready_at = now()')
    expect(await claimSessions(world.context.database, 2, { limit: 10, held: [] })).toHaveLength(1)
  })
})

/** The turn's end, with a plan whose only task said `output`. */
function answered(output: string): TurnWrite {
  const planId = newId('plan')
  const patch = { status: 'DONE', output, final: true } as const
  return {
    ...finish('DONE'),
    plans: [{ id: planId, attempt: 1, goal: 'answer', replanReason: null, secretNames: [], createdAt: new Date() }],
    tasks: [
      {
        id: newId('task'),
        planId,
        index: 0,
        type: 'MSG',
        detail: 'answer',
        skill: null,
        args: null,
        expect: null,
        patch,
      },
    ],
  }
}

describe('what a turn reads', () => {
  test('the messages before it and what was answered, oldest first; what untrusted senders wrote apart, for the paraphraser', async () => {
    await using world = await createWorld()
    const { database } = world.context
    const AT = expect.stringMatching(/^20\d\d-/)
    const turnIds: string[] = []
    for (const content of ['one', 'two', 'three']) {
      await say(world, content)
      const lease = await claim(world)
      const turn = await start(world, lease)
      await commitTurn(database, { lease, turn }, answered(`to ${content}`))
      turnIds.push(turn.id)
    }
    await sendMessage(world.context, world.as('hub'), { sessionId: SESSION, content: 'evil', user: 'stranger' })
    await say(world, 'four')
    await say(world, 'not yet')
    const taken = must(await takeSession(database, { sessionId: SESSION, node: 1 }, beginning()), 'there is work')
    expect(taken.begun.turn.saidBefore).toEqual({
      said: {
        messages: ['one', 'two', 'three'].map((content, index) => {
          return { user: 'alice', role: 'USER', content, at: AT, turnId: turnIds[index] }
        }),
        answers: ['one', 'two', 'three'].map((content, index) => {
          return { turnId: turnIds[index], text: `to ${content}`, at: AT }
        }),
        hasMore: false,
      },
      strangers: [
        { id: expect.stringMatching(/^msg_/), sender: 'stranger', at: AT, content: 'evil', paraphrase: null },
      ],
      hasStrangers: true,
      summary: '',
      workingMemory: '',
      questions: [],
      model: null,
      instructions: null,
      instructionsBy: null,
      hasFacts: false,
      hasFiles: false,
      providerState: null,
      removals: 0,
      isHeld: false,
      due: { curation: false, summary: true, consolidation: false },
    })
  })

  test('what a command printed before its process died', async () => {
    await using world = await createWorld()
    const { database } = world.context
    await say(world, 'hello')
    const lease = await claim(world)
    const turn = await start(world, lease)
    const piece = (stream: 'STDOUT' | 'STDERR', text: string) =>
      ({ type: 'TaskOutput', taskId: 'task_a', stream, text }) as const
    await commitTurn(
      database,
      { lease, turn },
      { events: events(turn, piece('STDOUT', 'a'), piece('STDERR', '!'), piece('STDOUT', 'b')) },
    )
    expect(await loadPartialOutput(database, { sessionId: SESSION, taskId: 'task_a', afterSeq: turn.seq })).toEqual({
      stdout: 'ab',
      stderr: '!',
    })
    expect(await loadPartialOutput(database, { sessionId: SESSION, taskId: 'task_b', afterSeq: turn.seq })).toEqual({
      stdout: '',
      stderr: '',
    })
  })
})
