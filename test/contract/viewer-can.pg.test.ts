/**
 * The buttons of a page: `viewerCan.x` is true exactly when the mutation is then done, for every kind of viewer and
 * every state of the thing. What was done is tried no more: the next case has a thing of its own.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { addSchedule } from '../schedules/schedule-world.ts'
import { createSchemaWorld, type SchemaWorld, type TokenName } from './schema-world.ts'
import { seedApproval } from './seed-approval.ts'
import { seedDelivery } from './seed-delivery.ts'
import { seedFact, seedKnowledge } from './seed-knowledge.ts'
import { seedSession, type SeededSession, type SeedSession } from './seed.ts'

/** An admin, the opener, a participant, the connector whose it may be, one that sees all, and who sees nothing. */
const VIEWERS: readonly TokenName[] = ['alice', 'bob', 'carol', 'discord', 'hub']

let it: SchemaWorld
beforeAll(async () => {
  it = await createSchemaWorld()
})
afterAll(() => it[Symbol.asyncDispose]())

interface Thing {
  readonly id: string
  readonly session: SeededSession
}

interface Trial {
  readonly type: string
  /** By what `viewerCan` calls it: the mutation, with a selection that tells whether this very thing was acted on. */
  readonly acts: Readonly<Record<string, (thing: Thing, as: TokenName) => string>>
  /** Makes a thing in each state. */
  readonly states: Readonly<Record<string, () => Promise<Thing>>>
  /** Arguments of `viewerCan`. */
  readonly args?: (as: TokenName) => string
}

let seeded = 0

async function session(seed: Partial<SeedSession> = {}): Promise<SeededSession> {
  const id = `discord:can-${(seeded += 1)}`
  const participants = ['bob', 'carol']
  return seedSession(it.world.context.database, { id, openedBy: '@bob', participants, messages: 1, ...seed })
}

const inSession = async (seed: Partial<SeedSession> = {}, change?: string): Promise<Thing> => {
  const made = await session(seed)
  if (change !== undefined) await it.world.sql(`UPDATE sessions SET ${change} WHERE id = $1`, made.id)
  return { id: made.id, session: made }
}

/** Whom a connector names. */
const sender = (as: TokenName): string => (as === 'discord' ? ', user: "Bob#1"' : as === 'hub' ? ', user: "b-17"' : '')
/** Connectors are no users: in place of a name of theirs stands what can be none. */
const self = (as: TokenName): string => (as === 'discord' || as === 'hub' ? String.raw`\u0000` : as)

/** Returns the acts that were always or never done: those were not tried in enough states. */
async function compare(trial: Trial): Promise<string[]> {
  const outcomes = new Map<string, Set<boolean>>()
  for (const as of VIEWERS) {
    for (const [state, make] of Object.entries(trial.states)) {
      let thing: Thing | null = null
      for (const [act, mutation] of Object.entries(trial.acts)) {
        thing ??= await make()
        const can = await allowedOf({ trial, act, as, id: thing.id })
        const done = await isDone(as, mutation(thing, as))
        expect({ as, state, act, can: can ?? false }).toEqual({ as, state, act, can: done })
        outcomes.set(act, (outcomes.get(act) ?? new Set()).add(done))
        if (done) thing = null
      }
    }
  }
  return [...outcomes].filter(([, seen]) => seen.size < 2).map(([act]) => act)
}

interface Asked {
  readonly trial: Trial
  readonly act: string
  readonly as: TokenName
  readonly id: string
}

/** Null: the viewer does not see the thing. */
async function allowedOf({ trial, act, as, id }: Asked): Promise<boolean | null> {
  const field = `viewerCan${trial.args?.(as) ?? ''} { ${act} }`
  const { data, messages } = await it.run<{ node: { viewerCan: Record<string, boolean> } | null }, object>(
    as,
    `{ node(id: "${id}") { ... on ${trial.type} { ${field} } } }`,
  )
  expect(messages).toEqual([])
  return data.node?.viewerCan[act] ?? null
}

async function isDone(as: TokenName, mutation: string): Promise<boolean> {
  const { data } = await it.run<{ m: Record<string, unknown> & { __typename: string } } | null, object>(
    as,
    `mutation { m: ${mutation} }`,
  )
  return data?.m.__typename.endsWith('Payload') === true && !JSON.stringify(data).includes('"isOther"')
}

test('sessions', async () => {
  const id = ({ id: sessionId }: Thing): string => `sessionId: "${sessionId}"`
  expect(
    await compare({
      type: 'Session',
      acts: {
        send: (thing, as) => `sendMessage(input: { ${id(thing)}, content: "Hello"${sender(as)} }) { __typename }`,
        update: (thing) => `updateSession(input: { id: "${thing.id}", description: "Mine" }) { __typename }`,
        hide: (thing) => `updateSession(input: { id: "${thing.id}", inactive: true }) { __typename }`,
        delete: (thing) => `deleteSession(input: { id: "${thing.id}" }) { __typename }`,
        addParticipant: (thing) => `addParticipant(input: { ${id(thing)}, user: "alice" }) { __typename }`,
        removeParticipant: (thing, as) =>
          `removeParticipant(input: { ${id(thing)}, user: "${as === 'bob' ? 'carol' : 'bob'}" }) { __typename }`,
        leave: (thing, as) => `removeParticipant(input: { ${id(thing)}, user: "${self(as)}" }) { __typename }`,
        checkpoint: (thing) => `checkpointSession(input: { ${id(thing)} }) { __typename }`,
      },
      states: {
        idle: () => inSession(),
        'without a message': () => inSession({ messages: 0 }),
        hidden: () => inSession({ status: 'INACTIVE' }),
        "a group's": () => inSession({ type: 'GROUP' }),
        running: () => inSession({ newestTurn: 'RUNNING', status: 'RUNNING' }),
        waiting: () => inSession({ newestTurn: 'QUEUED' }, 'queue_length = 1'),
        "the connector's": () => inSession({ openedBy: 'discord' }),
        'of before openers were recorded': () => inSession({}, "opened_by = NULL, connector = 'bob'"),
        'with a checkpoint under way': async () => {
          const thing = await inSession()
          const text = `INSERT INTO checkpoints (session_id, reason, ready_at, leased_until)
          VALUES ($1, 'MANUAL', now(), now() + interval '1 hour')`
          await it.world.sql(text, thing.id)
          return thing
        },
      },
    }),
  ).toEqual(['send'])
})

test('turns', async () => {
  const turn = async (at: number, seed: Partial<SeedSession>): Promise<Thing> => {
    const made = await session({ messages: 2, ...seed })
    return { id: must(made.turnIds[at], 'a turn'), session: made }
  }
  expect(
    await compare({
      type: 'Turn',
      acts: {
        // It is the session's running turn that ends: of another one nothing was done.
        cancel: ({ session: { id, turnIds }, id: turnId }) =>
          `cancelTurn(input: { sessionId: "${id}" }) { __typename ... on CancelTurnPayload { turn {
          ${turnId === turnIds[1] ? 'id' : 'isOther: id'} } } }`,
        retry: ({ id: turnId }) => `retryTurn(input: { turnId: "${turnId}" }) { __typename }`,
      },
      states: {
        running: () => turn(1, { newestTurn: 'RUNNING', status: 'RUNNING' }),
        'done, while another runs': () => turn(0, { newestTurn: 'RUNNING', status: 'RUNNING' }),
        waiting: () => turn(1, { newestTurn: 'QUEUED' }),
        done: () => turn(1, {}),
        failed: () => turn(1, { newestTurn: 'FAILED' }),
        'failed, brought by the connector': async () => {
          const failed = await turn(1, { newestTurn: 'FAILED' })
          await it.world.sql("UPDATE messages SET client = 'discord' WHERE session_id = $1", failed.session.id)
          return failed
        },
        'failed, of a user who is gone': async () => {
          const failed = await turn(1, { newestTurn: 'FAILED' })
          await it.world.sql("UPDATE messages SET user_name = 'gone' WHERE session_id = $1", failed.session.id)
          return failed
        },
        "running, the connector's": () => turn(1, { newestTurn: 'RUNNING', status: 'RUNNING', openedBy: 'discord' }),
      },
    }),
  ).toEqual([])
})

test('messages', async () => {
  const message = async (seed: Partial<SeedSession>, change?: string): Promise<Thing> => {
    const made = await session(seed)
    const id = must(made.messageIds[0], 'a message')
    await it.world.sql('UPDATE sessions SET queue_length = 1 WHERE id = $1', made.id)
    if (change !== undefined) await it.world.sql(`UPDATE messages SET ${change} WHERE id = $1`, id)
    return { id, session: made }
  }
  expect(
    await compare({
      type: 'Message',
      acts: {
        edit: ({ id }) => `editQueuedMessage(input: { id: "${id}", content: "Other" }) { __typename }`,
        withdraw: ({ id }) => `withdrawMessage(input: { id: "${id}" }) { __typename }`,
      },
      states: {
        waiting: () => message({ newestTurn: 'QUEUED' }),
        'waiting, brought by the connector': () => message({ newestTurn: 'QUEUED' }, "client = 'discord'"),
        "waiting, a stranger's": () => message({ newestTurn: 'QUEUED' }, 'trusted = false'),
        'worked on': () => message({ newestTurn: 'RUNNING' }),
        done: () => message({}),
      },
    }),
  ).toEqual([])
})

test('approvals', async () => {
  const approval = async (change: string, task = ''): Promise<Thing> => {
    const made = await session({ newestTurn: 'RUNNING', status: 'RUNNING' })
    const [turnId, taskId] = [must(made.turnIds[0], 'a turn'), must(made.taskIds[0], 'a task')]
    const id = await seedApproval(it.world.context.database, { sessionId: made.id, turnId, taskId })
    await it.world.sql("UPDATE tasks SET status = 'AWAITING_APPROVAL' WHERE id = $1", taskId)
    if (task !== '') await it.world.sql(`UPDATE tasks SET ${task} WHERE id = $1`, taskId)
    await it.world.sql(`UPDATE approvals SET ${change} WHERE id = $1`, id)
    return { id, session: made }
  }
  expect(
    await compare({
      type: 'Approval',
      args: (as) => (sender(as) === '' ? '' : `(${sender(as).slice(2)})`),
      acts: {
        decide: ({ id }, as) => `decideApproval(input: { id: "${id}", approve: false${sender(as)} }) { __typename }`,
        edit: ({ id }, as) =>
          `decideApproval(input: { id: "${id}", approve: true, editedDetail: "echo ho"${sender(as)} }) { __typename }`,
      },
      states: {
        open: () => approval("status = 'PENDING'"),
        'of a whole plan': () => approval("kind = 'PLAN'"),
        decided: () => approval("status = 'DENIED'"),
        overdue: () => approval('expires_at = now()'),
      },
    }),
  ).toEqual([])
  // A connector that does not say for whom it asks could not decide either.
  const { id } = await approval("status = 'PENDING'")
  const trial = { type: 'Approval', acts: {}, states: {} }
  expect(await allowedOf({ trial, act: 'decide', as: 'hub', id })).toBe(false)
})

test('schedules', async () => {
  const schedule = async (change?: string): Promise<Thing> => {
    const id = await addSchedule(it.world)
    if (change !== undefined) await it.world.sql(change, id)
    return { id, session: await session({ messages: 0 }) }
  }
  expect(
    await compare({
      type: 'Schedule',
      acts: {
        update: ({ id }) => `updateSchedule(input: { id: "${id}", name: "Other" }) { __typename }`,
        delete: ({ id }) => `deleteSchedule(input: { id: "${id}" }) { __typename }`,
        trigger: ({ id }) => `triggerSchedule(input: { id: "${id}" }) { __typename }`,
      },
      states: {
        idle: () => schedule(),
        running: () =>
          schedule(`INSERT INTO schedule_runs (id, schedule_id, due_at, status, started_at, manual)
          VALUES ('run_' || $1, $1, now(), 'RUNNING', now(), true)`),
        'of a user who was removed': () => schedule("UPDATE schedules SET user_name = 'dave' WHERE id = $1"),
      },
    }),
  ).toEqual([])
})

test('facts, learnings, questions and deliveries', async () => {
  const { database } = it.world.context
  const known = async (
    kind: 'factId' | 'learningId' | 'questionId',
    table: string,
    change?: string,
  ): Promise<Thing> => {
    const made = await session()
    const id = must((await seedKnowledge(database, made))[kind], 'an id')
    if (change !== undefined) await it.world.sql(`UPDATE ${table} SET ${change} WHERE id = $1`, id)
    return { id, session: made }
  }
  const other = await seedFact(database, { content: 'Something else.' })
  const restored = "UPDATE facts SET invalidated_at = NULL WHERE content = 'Something else.'"
  expect(
    await compare({
      type: 'Fact',
      acts: {
        edit: ({ id }) => `editFact(input: { id: "${id}", content: "New ${id}", version: 1 }) { __typename }`,
        merge: ({ id }) => `mergeFacts(input: { ids: ["${id}", "${other}"], content: "Merged ${id}" }) { __typename }`,
        invalidate: ({ id }) => `invalidateFact(input: { id: "${id}" }) { __typename }`,
        restore: ({ id }) => `restoreFact(input: { id: "${id}" }) { __typename }`,
        dispute: ({ id }) => `disputeFact(input: { id: "${id}", reason: "No." }) { __typename }`,
      },
      states: {
        'in use': () => it.world.sql(restored).then(() => known('factId', 'facts')),
        invalidated: () => known('factId', 'facts', 'invalidated_at = now()'),
        'said to be wrong by bob': async () => {
          const fact = await known('factId', 'facts')
          await isDone('bob', `disputeFact(input: { id: "${fact.id}", reason: "No." }) { __typename }`)
          return fact
        },
      },
    }),
  ).toEqual([])
  expect(
    await compare({
      type: 'Learning',
      acts: {
        promote: ({ id }) => `promoteLearning(input: { id: "${id}" }) { __typename }`,
        ask: ({ id }) => `askLearning(input: { id: "${id}", question: "Is ${id} so?" }) { __typename }`,
        discard: ({ id }) => `discardLearning(input: { id: "${id}" }) { __typename }`,
      },
      states: {
        pending: () => known('learningId', 'learnings'),
        decided: () => known('learningId', 'learnings', "status = 'DISCARDED', decided_by = 'curator'"),
      },
    }),
  ).toEqual([])
  expect(
    await compare({
      type: 'Question',
      acts: { resolve: ({ id }) => `resolveQuestion(input: { id: "${id}" }) { __typename }` },
      states: {
        open: () => known('questionId', 'questions'),
        resolved: () => known('questionId', 'questions', "status = 'RESOLVED', resolved_by = 'alice'"),
      },
    }),
  ).toEqual([])
  const delivery = async (change: string): Promise<Thing> => {
    const made = await session()
    const id = await seedDelivery(database, made.id, must(made.taskIds[1], 'a text'))
    await it.world.sql(change, change.includes('deliveries') ? id : made.id)
    return { id, session: made }
  }
  expect(
    await compare({
      type: 'Delivery',
      acts: { redeliver: ({ id }) => `redeliver(input: { id: "${id}" }) { __typename }` },
      states: {
        dead: () => delivery("UPDATE deliveries SET status = 'DEAD' WHERE id = $1"),
        'being attempted': () => delivery("UPDATE deliveries SET status = 'PENDING' WHERE id = $1"),
        'under way': () =>
          delivery("UPDATE deliveries SET status = 'PENDING', next_attempt_at = now() + interval '9 s' WHERE id = $1"),
        pausing: () =>
          delivery("UPDATE deliveries SET status = 'PENDING', next_attempt_at = now() + interval '8 h' WHERE id = $1"),
        'without a webhook': () => delivery('UPDATE sessions SET webhook = NULL WHERE id = $1'),
      },
    }),
  ).toEqual([])
})
