/**
 * What a user said in a group is erased, on request of an admin: of a text that everything in the session quotes,
 * nothing is left in any column of any table but the audit's, and no process shows it again, whatever it had kept;
 * order, places and the rest stay.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OUTPUTS_FOLDER } from '../../src/execution/output/plan-outputs.ts'
import { workspacePath } from '../../src/execution/workspace/workspace.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { Database } from '../../src/store/database.ts'
import { recordPluginEvent } from '../../src/store/plugins/kept-events.ts'
import * as api from '../generated/graphql.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { columnsOf, findInDatabase } from '../harness/find-in-database.ts'
import { eventsOf, Story, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_INTROSPECTION, GOOD_PLAN, GOOD_REVIEW } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

const CANARY = 'cnry0815'
const GROUP = 'discord:kitchen'

let stub: StubEndpoint
let story: Story
let beside: Story
let database: Database
/** The models repeat the canary wherever they can, as long as it is Ben who asks. */
let isBensTurn = true

beforeAll(async () => {
  stub = await StubEndpoint.start({ by: repeat })
  const settings = { summarize_threshold: 4, context_messages: 2, introspection_turns: 0 }
  const rules = approvalRules('effect = "require"\ncommand = "echo"')
  const toml = `${stubProvider(stub)}[approvals]\nplans_with_strangers = false\n${rules}\n[curation]\nuser = "auto"\n`
  story = await Story.begin({ config: { settings, toml } })
  beside = await Story.begin({ beside: story })
  const logger = createLogger({ level: 'silent', pretty: false })
  database = new Database({ url: story.databaseUrl, maxConnections: 2, logger })
})
afterAll(async () => {
  await database.close()
  await beside[Symbol.asyncDispose]()
  await story[Symbol.asyncDispose]()
  await stub.close()
})

function repeat(call: StubCall): StubAnswer {
  if (!isBensTurn)
    return call.role === 'planner' ? { content: { ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.slice(1) } } : answerWell(call)
  const [command, text] = GOOD_PLAN.tasks
  const plan = {
    goal: CANARY,
    tasks: [
      {
        ...command,
        detail: `mkdir -p pub; echo ${CANARY} | tee pub/${CANARY}.txt; echo ${CANARY} >&2; seq 300`,
        expect: CANARY,
      },
      { ...text, detail: CANARY },
    ],
    secrets: null,
    answers: null,
  }
  const evaluation = { learningId: 'L1', verdict: 'ask', fact: null, question: `Is it ${CANARY}?`, reason: CANARY }
  const learnings = [`${CANARY} by a checkpoint`]
  const answers: Partial<Record<StubCall['role'], StubAnswer>> = {
    planner: { content: plan },
    reviewer: { content: { ...GOOD_REVIEW, reason: CANARY, learn: `${CANARY} is so` } },
    messenger: { pieces: ['It is ', CANARY] },
    curator: { content: { evaluations: [evaluation] } },
    summarizer: `They spoke of ${CANARY}.`,
    introspector: { content: { ...GOOD_INTROSPECTION, workingMemory: CANARY, description: CANARY, learnings } },
  }
  return answers[call.role] ?? answerWell(call)
}

const sql = <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
  database.query<Row>({ name: '', text }, values)

async function say(client: ApiClient, input: Omit<api.SendMessageInput, 'sessionId'>) {
  const { sendMessage } = await client.run(api.SendMessageDocument, { input: { sessionId: GROUP, ...input } })
  if (sendMessage.__typename !== 'SendMessagePayload') throw new Error(JSON.stringify(sendMessage))
  return sendMessage.message
}

const erase = async (user: string, sessionId = GROUP, stranger?: boolean) =>
  (await story.as('ada').run(api.EraseUserDocument, { input: { user, sessionId, stranger } })).eraseUser

/** What the server keeps of outputs in the workspace of the group, for the tasks that come. */
const keptOutputs = () => readdir(join(workspacePath(story.home, GROUP), OUTPUTS_FOLDER))

/** What an admin can read of the group, by every query there is for it. */
async function readAll(client: ApiClient): Promise<string> {
  const id = GROUP
  const read = await Promise.all([
    client.run(api.SessionDocument, { id }),
    client.run(api.SessionMemoryDocument, { id }),
    client.run(api.SessionMessagesDocument, { id }),
    client.run(api.SessionTurnsDocument, { id }),
    client.run(api.SessionTasksDocument, { id }),
    client.run(api.SessionEventsDocument, { id }),
    client.run(api.ApprovalsDocument, { filter: { sessionId: id } }),
    client.run(api.LearningsDocument, { filter: { sessionId: id } }),
    client.run(api.QuestionsDocument, { filter: { sessionId: id } }),
  ])
  return JSON.stringify(read)
}

/** All that was asked about is decided without an answer, one asked about again: nothing names the first question. */
async function askAnew(): Promise<void> {
  const ada = story.as('ada')
  const asked = `SELECT l.id FROM questions q JOIN learnings l ON l.question_id = q.id WHERE q.session_id = $1 AND q.source = 'CURATOR'`
  let id = ''
  for (let [next] = await sql<{ id: string }>(asked, GROUP); next !== undefined; [next] = await sql(asked, GROUP)) {
    id = next.id
    const { discardLearning } = await ada.run(api.DiscardLearningDocument, { id, reason: 'Not so.' })
    expect(discardLearning.__typename).toBe('DiscardLearningPayload')
  }
  await ada.run(api.ReopenLearningDocument, { id })
  const { askLearning } = await ada.run(api.AskLearningDocument, { id, question: `Is it ${CANARY} then?` })
  expect(askLearning.__typename).toBe('AskLearningPayload')
}

const messagesOf = () =>
  sql<{ seq: number; user_name: string; content: string; id: string }>(
    'SELECT seq, user_name, content, id FROM messages WHERE session_id = $1 ORDER BY seq',
    GROUP,
  )

describe('a group in which everything quotes what Ben said', () => {
  beforeAll(async () => {
    const [ada, cleo, discord] = [story.as('ada'), story.as('cleo'), story.as('discord')]
    const source = { kind: 'discord', interactive: true, platform: 'Discord', type: 'GROUP' } as const
    await discord.run(api.OpenSessionDocument, { input: { id: GROUP, source, participants: ['ben', 'cleo'] } })
    await say(discord, { content: `${CANARY} over there`, user: 'Ben#1', idempotencyKey: 'from-discord' })
    await say(cleo, { content: 'Good morning' })
    await say(discord, { content: 'Psst', user: 'Mallory' })
    await say(story.as('ben'), { content: `${CANARY}!`, mentioned: true, idempotencyKey: CANARY })
    await using watch = watchAll(ada, GROUP)
    const [asked] = await untilAsked(watch)
    const decided = { id: must(asked, 'an approval').id, approve: true, scope: 'SESSION', note: CANARY } as const
    await decide(ada, decided)
    await turnEnd(watch)
    await ada.run(api.CheckpointSessionDocument, { sessionId: GROUP })
    await watch.until(({ sessionEvents: event }) => event.__typename === 'CheckpointEvent')
    const data = { plugin: 'diary', name: 'said', json: JSON.stringify(CANARY) }
    await recordPluginEvent(database, { sessionId: GROUP, at: new Date(), data })
    await say(story.as('ben'), { content: `${CANARY} once more` })
  })

  test('has it in every table that holds texts', async () => {
    const found = columnsOf(await findInDatabase(story.databaseUrl, [CANARY]))
    expect(found).toEqual(
      expect.arrayContaining([
        'approvals.note',
        'events.data',
        'learnings.content',
        'learnings.norm',
        'learnings.reason',
        'messages.content',
        'messages.idempotency_key',
        'model_call_texts.prompt',
        'plans.goal',
        'published_files.name',
        'questions.content',
        'questions.norm',
        'sessions.description',
        'sessions.last_message_preview',
        'sessions.summary',
        'sessions.working_memory',
        'tasks.detail',
        'tasks.expect',
        'tasks.output',
        'tasks.review_reason',
        'tasks.stderr',
      ]),
    )
  })

  test('has its output in a file of the workspace, for later tasks', async () => {
    expect(await keptOutputs()).toContainEqual(expect.stringMatching(/^task_.*\.txt$/))
  })

  test('nobody but an admin may erase, and not where it cannot be done', async () => {
    for (const person of ['ben', 'cleo', 'discord'] as const) {
      const reply = await story.as(person).request(api.EraseUserDocument, { input: { user: 'ben', sessionId: GROUP } })
      expect(reply.errors[0]?.extensions?.['code']).toBe('FORBIDDEN')
    }
    expect(await erase('ben', 'cli:nowhere')).toMatchObject({ __typename: 'NotFoundRefusal', missingId: 'cli:nowhere' })
    expect(await erase('nobody')).toMatchObject({ __typename: 'NotFoundRefusal', missingId: 'nobody' })
    expect(await erase('')).toMatchObject({ __typename: 'InvalidInputRefusal' })
    await story.as('ada').run(api.OpenSessionDocument, { input: { id: 'cli:direct', participants: ['ben'] } })
    expect(await erase('ben', 'cli:direct')).toMatchObject({
      __typename: 'ConflictRefusal',
      problem: expect.stringContaining('delete it as a whole, with deleteSession'),
    })
  })

  test('is not touched while a turn is open that may say it again', async () => {
    const [ada, ben, cleo] = [story.as('ada'), story.as('ben'), story.as('cleo')]
    const release = Promise.withResolvers<void>()
    stub.follow({
      by: (call) =>
        call.role === 'planner' ? (response) => void release.promise.then(() => response.destroy()) : repeat(call),
    })
    const { lastSeq } = must((await ada.run(api.SessionDocument, { id: GROUP })).session, 'the group')
    await say(cleo, { content: 'And I?', mentioned: true })
    await using watch = watchAll(ada, GROUP, lastSeq)
    await watch.until(
      ({ sessionEvents: event }) => event.__typename === 'PipelineStepEvent' && event.step === 'PLANNING',
    )
    expect(await erase('ben')).toMatchObject({ problem: expect.stringContaining('A turn of "cleo" runs') })
    const waiting = await say(ben, { content: 'wait', mentioned: true })
    expect(await erase('ben')).toMatchObject({ problem: expect.stringContaining('A message of "ben" waits') })
    await ben.run(api.WithdrawMessageDocument, { id: waiting.id })
    await ada.run(api.CancelTurnDocument, { sessionId: GROUP })
    // That of the message that was withdrawn ended first.
    await turnEnd(watch, 2)
    release.resolve()
    stub.follow({ by: repeat })
    const { session } = await ada.run(api.SessionDocument, { id: GROUP })
    expect(session).toMatchObject({ status: 'IDLE', lastMessagePreview: 'wait' })
  })

  test('has it nowhere afterwards, on no process, also not in what was kept for subscribers', async () => {
    const clients = [story.as('ada'), story.as('cleo'), beside.as('ada'), beside.as('cleo')]
    // Two of each kind, so that what is serialised for one is kept for the other.
    const watches = [...clients, ...clients].map((client) => watchAll(client, GROUP))
    const bens = watchAll(beside.as('ben'), GROUP)
    for (const watch of [...watches, bens]) await turnEnd(watch, 2)
    for (const watch of watches) expect(JSON.stringify(watch.received)).toContain(CANARY)
    const before = await messagesOf()
    const own = before.filter(({ user_name: name }) => name === 'ben')

    // A provider may keep what was said, under an id that is known here.
    await sql(
      `UPDATE sessions SET provider_state = jsonb_build_object('responseId', $2::text) WHERE id = $1`,
      GROUP,
      CANARY,
    )

    await askAnew()

    // Cleo taught the like, which waits for the same answer.
    await sql(
      `INSERT INTO learnings (id, session_id, task_id, user_name, content, norm, status, question_id, decided_by, created_at)
        SELECT 'learn_cleo', session_id, (SELECT k.id FROM tasks k WHERE k.session_id = $1
          AND NOT EXISTS (SELECT FROM learnings o WHERE o.task_id = k.id) LIMIT 1),
          'cleo', 'It is so.', 'it is so', 'ASKED', question_id, 'ada', now()
        FROM learnings WHERE session_id = $1 AND status = 'ASKED' LIMIT 1`,
      GROUP,
    )

    const erased = await erase('ben')
    expect(erased).toMatchObject({
      __typename: 'EraseUserPayload',
      messageCount: own.length,
      factIds: [],
      session: { title: 'Good morning', summary: '', workingMemory: null, lastMessagePreview: '[erased]' },
    })

    const statuses = `SELECT user_name AS "user", status FROM learnings WHERE session_id = $1 AND status <> 'DISCARDED'`
    expect(await sql(statuses, GROUP)).toEqual([{ user: 'cleo', status: 'PENDING' }])

    const after = await messagesOf()
    expect(after.map(({ id, seq }) => ({ id, seq }))).toEqual(before.map(({ id, seq }) => ({ id, seq })))
    expect(after).toEqual(
      before.map((row) => (row.user_name === 'ben' ? { ...row, user_name: '[erased]', content: '[erased]' } : row)),
    )
    expect(columnsOf(await findInDatabase(story.databaseUrl, [CANARY]))).toEqual(['audit_entries.data'])

    expect(await keptOutputs()).toEqual([])

    const terms = 'SELECT 1 FROM learning_terms w JOIN learnings l ON l.id = w.learning_id WHERE l.session_id = $1'
    expect(await sql(terms, GROUP)).toEqual([])

    const isErasure = ({ sessionEvents: event }: api.WatchSessionSubscription): boolean =>
      event.__typename === 'SessionUpdatedEvent' && event.erased
    for (const watch of watches) await watch.until(isErasure)
    expect(await bens.ended).toContain('NOT_FOUND')
    for (const client of clients) {
      await using again = watchAll(client, GROUP)
      await again.until(isErasure)
      expect(JSON.stringify(again.received)).not.toContain(CANARY)
      const numbers = again.received.map(({ sessionEvents: { seq } }) => seq)
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
      expect(eventsOf(again, 'TurnCompletedEvent')).toHaveLength(3)
    }
    for (const where of [story, beside]) expect(await readAll(where.as('ada'))).not.toContain(CANARY)
    for (const watch of watches) await watch.close()
  })

  test('names Ben nowhere but in the audit, which says who erased whom', async () => {
    const tables = await sql<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'session_id'`,
    )
    for (const { name } of tables) {
      const named = await sql(
        `SELECT 1 FROM ${name} r, jsonb_each_text(to_jsonb(r)) cell WHERE r.session_id = $1 AND cell.value = 'ben'`,
        GROUP,
      )
      expect([name, named.length > 0]).toEqual([name, name === 'audit_entries'])
    }
    const { audit } = await story.as('ada').run(api.AuditDocument, { filter: { sessionId: GROUP, kind: ['SESSION'] } })
    expect(audit.edges[0]?.node).toMatchObject({
      sessionChange: 'USER_ERASED',
      actor: { name: 'ada' },
      tokenName: 'ada',
    })
    expect(JSON.stringify(audit.edges)).toContain('ben: 4 messages')
    // What was to be done is part of the record, and why something was decided.
    const said = await sql(
      `SELECT DISTINCT kind, e.key FROM audit_entries, jsonb_each_text(data) e WHERE strpos(e.value, $1) > 0 ORDER BY 1, 2`,
      CANARY,
    )
    expect(said).toEqual([
      { kind: 'TASK', key: 'detail' },
      { kind: 'KNOWLEDGE', key: 'reason' },
      { kind: 'APPROVAL', key: 'note' },
    ])
  })

  test('goes on: what is brought again is not stored again, and the planner is told nothing of it', async () => {
    const [cleo, discord] = [story.as('cleo'), story.as('discord')]
    expect(await erase('ben')).toMatchObject({ __typename: 'NotFoundRefusal', missingId: 'ben' })
    const again = { sessionId: GROUP, content: `${CANARY} over there`, user: 'Ben#1', idempotencyKey: 'from-discord' }
    const { sendMessage } = await discord.run(api.SendMessageDocument, { input: again })
    expect(sendMessage).toMatchObject({ duplicate: true, message: { content: '[erased]', user: '[erased]' } })
    expect((await beside.as('ben').run(api.SessionDocument, { id: GROUP })).session).toBeNull()

    isBensTurn = false
    stub.calls.length = 0
    const { lastSeq } = must((await cleo.run(api.SessionDocument, { id: GROUP })).session, 'the group')
    await say(cleo, { content: 'What now?', mentioned: true })
    await using watch = watchAll(cleo, GROUP, lastSeq)
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
    expect(JSON.stringify(stub.calls.map(({ user }) => user))).not.toContain(CANARY)
    expect(stub.calls.find(({ role }) => role === 'planner')?.user).toContain('[erased]')
    // The summary is made anew, from the first message on.
    const { session } = await story.as('ada').run(api.SessionDocument, { id: GROUP })
    expect(session?.messageCount).toBe(8)
    const [row] = await sql<{ summary: string; summary_seq: number }>(
      'SELECT summary, summary_seq FROM sessions WHERE id = $1',
      GROUP,
    )
    expect(row?.summary).toBe('They said hi.')
  })

  test('a stranger is erased by the identity they had there', async () => {
    expect(await erase('Mallory')).toMatchObject({ __typename: 'EraseUserPayload', messageCount: 1 })
    const { session } = await beside.as('ada').run(api.SessionMessagesDocument, { id: GROUP })
    const shown = must(session, 'the group').messages.edges.map(({ node }) => [node.user, node.trusted, node.content])
    expect(shown).toContainEqual(['[erased]', false, '[erased]'])
    expect(JSON.stringify(shown)).not.toContain('Mallory')
  })

  test('of a user and a stranger who have one name, it erases the one that is named', async () => {
    const id = 'discord:twins'
    const discord = story.as('discord')
    const source = { kind: 'discord', interactive: true, platform: 'Discord', type: 'GROUP' } as const
    await discord.run(api.OpenSessionDocument, { input: { id, source, participants: ['ben', 'cleo'] } })
    for (const user of ['Ben#1', 'ben']) {
      const input = { sessionId: id, content: `I am ${user}`, user }
      await discord.run(api.SendMessageDocument, { input })
    }
    const said = async (): Promise<unknown> =>
      (await sql<{ content: string }>('SELECT content FROM messages WHERE session_id = $1 ORDER BY seq', id)).map(
        ({ content }) => content,
      )

    expect(await erase('ben', id)).toMatchObject({
      __typename: 'InvalidInputRefusal',
      problem: expect.stringContaining('say which of them is meant'),
    })
    expect(await said()).toEqual(['I am Ben#1', 'I am ben'])
    const participants = [{ name: 'ben' }, { name: 'cleo' }]
    expect(await erase('ben', id, true)).toMatchObject({ messageCount: 1, session: { participants } })
    expect(await said()).toEqual(['I am Ben#1', '[erased]'])
    expect(await erase('ben', id, true)).toMatchObject({ __typename: 'NotFoundRefusal' })
    expect(await erase('ben', id)).toMatchObject({ messageCount: 1, session: { participants: [{ name: 'cleo' }] } })
    expect(await said()).toEqual(['[erased]', '[erased]'])
  })

  test('erases who has only decided and answered, and written the instructions', async () => {
    const [id, said] = ['discord:judged', 'cnry4711']
    const source = { kind: 'discord', interactive: true, platform: 'Discord', type: 'GROUP' } as const
    await story.as('discord').run(api.OpenSessionDocument, { input: { id, source, participants: ['cleo'] } })
    await sql(`UPDATE sessions SET instructions = $2, instructions_by = 'mia' WHERE id = $1`, id, said)
    await sql(
      `INSERT INTO questions (id, content, norm, session_id, source, status, answer, resolved_by, created_at, resolved_at)
        VALUES ('quest_dora', 'Is it?', 'is it', $1, 'ADMIN', 'RESOLVED', $2, 'dora', now(), now())`,
      id,
      said,
    )
    await sql(
      `UPDATE learnings SET session_id = $1, status = 'DISCARDED', question_id = NULL, reason = $2, decided_by = 'gus',
        decided_at = now() WHERE id = 'learn_cleo'`,
      id,
      said,
    )
    for (const user of ['mia', 'dora', 'gus']) {
      expect(await erase(user, id)).toMatchObject({ __typename: 'EraseUserPayload', messageCount: 0 })
      expect(await erase(user, id)).toMatchObject({ __typename: 'NotFoundRefusal', missingId: user })
    }
    expect(await sql('SELECT content, reason, decided_by FROM learnings WHERE session_id = $1', id)).toEqual([
      { content: 'It is so.', reason: '[erased]', decided_by: '[erased]' },
    ])
    expect(columnsOf(await findInDatabase(story.databaseUrl, [said]))).toEqual([])
  })

  test('erases who has opened the group, with the address to which their token had it posted', async () => {
    const id = 'discord:opened'
    const source = { kind: 'discord', interactive: true, platform: 'Discord', type: 'GROUP' } as const
    await story.as('discord').run(api.OpenSessionDocument, { input: { id, source, participants: ['cleo'] } })
    const address = 'https://ben.example/hook'
    await sql(`UPDATE sessions SET opened_by = '@ben', webhook = $2, webhook_token = 'ben' WHERE id = $1`, id, address)
    await sql(`UPDATE opened_sessions SET opener = '@ben' WHERE session_id = $1`, id)
    await sql(
      `INSERT INTO deliveries (id, session_id, task_id, url, token_name, final, next_attempt_at, created_at)
        VALUES ('deliv_ben', $1, (SELECT id FROM tasks WHERE session_id = $2 LIMIT 1), $3, 'ben', true, now() + interval '1 day', now())`,
      id,
      GROUP,
      address,
    )
    expect(await erase('ben', id)).toMatchObject({ __typename: 'EraseUserPayload', messageCount: 0 })
    expect(columnsOf(await findInDatabase(story.databaseUrl, [address]))).toEqual([])
    expect(
      await sql(
        `SELECT s.opened_by, s.webhook, s.webhook_token, d.url, d.token_name, d.status, o.opener FROM sessions s
          JOIN deliveries d ON d.session_id = s.id LEFT JOIN opened_sessions o ON o.session_id = s.id WHERE s.id = $1`,
        id,
      ),
    ).toEqual([
      {
        opened_by: '@[erased]',
        webhook: null,
        webhook_token: null,
        url: '[erased]',
        token_name: '[erased]',
        status: 'DEAD',
        opener: null,
      },
    ])
    expect(await erase('ben', id)).toMatchObject({ __typename: 'NotFoundRefusal', missingId: 'ben' })
  })
})
