/**
 * A session in which everything there is has happened is deleted: nothing of it is left in any column of any table, on
 * disk, in jobs or in memory, but what must stay: the audit, facts, and the runs of its schedule, which no longer tell
 * of it.
 */
import { existsSync, readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import { setAsideWorkspace } from '../../src/execution/workspace/set-aside-workspace.ts'
import { adminWorkspacePath } from '../../src/execution/workspace/workspace.ts'
import { must } from '../../src/platform/must.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { answer, Receiver } from '../delivery/receiver.ts'
import * as api from '../generated/graphql.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { columnsOf, findInDatabase } from '../harness/find-in-database.ts'
import { readSchedule, reschedule, schedule, untilSchedule } from '../harness/schedules.ts'
import { converse, send, Story, tokenOf, turnEnd, watchAll } from '../harness/story.ts'

/** In every text that is said, learned, printed or written, but for facts: those are everybody's. */
const CANARY = 'cnry-4711'
const SECRET = 'hush-hush-1234567'
/** Tables whose rows are gone soon after the session is idle, if not before. */
const SOON_EMPTY = new Set(['checkpoints', 'curation_jobs'])

let story: Story
let receiver: Receiver
let database: Database
let scheduleId: string
let sessionId: string
let fileUrl: string
let ids: string[]
/** Tables with rows of the session, before it was deleted. */
let filled: string[]

const sql = <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
  database.query<Row>({ name: '', text }, values)

beforeAll(async () => {
  receiver = await Receiver.start(answer(503, { 'retry-after': '60' }))
  story = await Story.begin({
    config: {
      settings: { webhook_allow_list: ['127.0.0.1'] },
      tokens: { ada: `webhook_secret = "${newWebhookSecret()}"` },
      toml: `${approvalRules('effect = "require"\ncommand = "tee"')}[approvals]\nplans_with_strangers = false\n`.replace(
        /^(\[\[.*)(\[approvals\].*)$/s,
        '$2$1',
      ),
    },
  })
  const logger = createLogger({ level: 'silent', pretty: false })
  database = new Database({ url: story.databaseUrl, maxConnections: 2, logger })
  await play()
  filled = await tablesWith(sessionId)
  ids = await idsOf(sessionId)
})
afterAll(async () => {
  await database.close()
  await story[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

/** One thing of every kind. */
async function play(): Promise<void> {
  const ada = story.as('ada')
  scheduleId = (await schedule(ada, { content: 'Good morning', cron: '0 0 1 1 *' })).id
  sessionId = `schedule:${scheduleId}`
  await ada.run(api.TriggerScheduleDocument, { id: scheduleId })
  await untilSchedule(ada, scheduleId, ({ runs }) => runs[0]?.status === 'DONE')
  await ada.run(api.OpenSessionDocument, {
    input: { id: sessionId, webhook: receiver.url(), participants: ['ben'], description: CANARY, metadata: { CANARY } },
  })
  const stranger = { sessionId, user: 'Mallory', content: `${CANARY} from a stranger` }
  await story.as('bridge').run(api.AppendMessageDocument, { input: stranger })
  await send(
    ada,
    sessionId,
    `secret: SHOP=${SECRET}\nrun: echo ${CANARY} | tee file; mkdir -p pub; cp file pub/file.txt\nlearn: Is it ${CANARY}?\n${CANARY}`,
  )
  const sent = await fetch(`${story.app.url}/files/${sessionId}/${CANARY}.txt`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${tokenOf('ada')}` },
    body: CANARY,
  })
  expect(sent.status).toBe(201)
  await using watch = watchAll(ada, sessionId)
  const [approval] = await untilAsked(watch)
  await decide(ada, { id: approval?.id ?? '', approve: true, scope: 'SESSION', note: CANARY })
  await turnEnd(watch, 2)
  const { tasks } = await converse(ada, sessionId, 'run: true\nlearn: The shop opens at nine.\nDone?')
  expect(tasks.length).toBeGreaterThan(0)
  const call = { task: 'run: echo away', expect: 'A word.' }
  await converse(ada, sessionId, `tool: delegation__delegate ${JSON.stringify(call)}`)
  const [child] = await sql<{ id: string }>('SELECT child_id AS id FROM delegations WHERE session_id = $1', sessionId)
  await ada.run(api.DeleteSessionDocument, { id: child?.id ?? '' })
  // A question of all sessions is put to people there.
  await ada.run(api.CreateQuestionDocument, { content: 'Which way?' })
  // Its facts are in the prompt of the next.
  await converse(ada, sessionId, `facts?\n${CANARY}`)
  const [file] = await sql<{ id: string }>('SELECT id FROM published_files WHERE session_id = $1', sessionId)
  fileUrl = `${story.app.url}/pub/${file?.id}`
}

/** Every table with a column `session_id`, and whether its rows go with the session's: by a key, or a trigger. */
function tablesOfSessions(): Promise<{ name: string; cascades: boolean }[]> {
  return sql(`SELECT c.relname AS name, EXISTS (
      SELECT 1 FROM pg_constraint f WHERE f.conrelid = c.oid AND f.confrelid = 'sessions'::regclass AND f.confdeltype = 'c'
        AND f.conkey = ARRAY[a.attnum])
      OR EXISTS (SELECT 1 FROM pg_proc p WHERE p.proname = 'remove_rows_of_session'
        AND strpos(p.prosrc, format('DELETE FROM %I WHERE session_id', c.relname)) > 0) AS cascades
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'session_id'
    WHERE n.nspname = 'public' AND c.relkind = 'r' ORDER BY 1`)
}

async function tablesWith(session: string): Promise<string[]> {
  const filledOnes: string[] = []
  for (const { name } of await tablesOfSessions()) {
    const rows = await sql(`SELECT 1 FROM ${name} WHERE session_id = $1 LIMIT 1`, session)
    if (rows.length > 0) filledOnes.push(name)
  }
  return filledOnes
}

/** Of the session, and of every row that belongs to it alone. */
async function idsOf(session: string): Promise<string[]> {
  const all = [session]
  for (const { name, cascades } of await tablesOfSessions()) {
    if (!cascades) continue
    const rows = await sql<{ id: string | null }>(
      `SELECT to_jsonb(r)->>'id' AS id FROM ${name} r WHERE session_id = $1`,
      session,
    )
    all.push(...rows.flatMap(({ id }) => (id === null ? [] : [id])))
  }
  return [...new Set(all)]
}

describe('what belongs to a session', () => {
  test('goes with its row, in every table that there is, or is known to stay', async () => {
    const tables = await tablesOfSessions()
    expect(tables.filter(({ cascades }) => !cascades).map(({ name }) => name)).toEqual([
      'audit_entries',
      'fact_uses',
      'facts',
      'schedule_runs',
      'turn_facts',
    ])
    // A new table has to come into `play`, or this story proves nothing about it.
    const lasting = (names: readonly string[]) => names.filter((name) => !SOON_EMPTY.has(name))
    expect(lasting(filled)).toEqual(lasting(tables.map(({ name }) => name)))
  })

  test('is refused to be deleted while it has work, in words that say what to do', async () => {
    const ada = story.as('ada')
    const before = await ada.run(api.SessionDocument, { id: sessionId })
    await send(ada, sessionId, 'wait: 600000')
    await using watch = watchAll(ada, sessionId, before.session?.lastSeq)
    const { deleteSession } = await ada.run(api.DeleteSessionDocument, { id: sessionId })
    expect(deleteSession).toMatchObject({
      __typename: 'ConflictRefusal',
      problem: expect.stringMatching(/still has work \((a turn runs|messages wait: 1)\)\. Wait for it, or cancel/),
    })
    await watch.until(
      ({ sessionEvents: event }) => event.__typename === 'PipelineStepEvent' && event.step === 'PLANNING',
    )
    await ada.run(api.CancelTurnDocument, { sessionId })
    await watch.until(
      ({ sessionEvents: event }) => event.__typename === 'TurnCompletedEvent' && event.turnStatus === 'CANCELLED',
    )
    expect(existsSync(adminWorkspacePath(story.home, sessionId))).toBe(true)
  })

  test('is gone: rows, files, jobs, secrets; its subscribers are told', async () => {
    const ada = story.as('ada')
    expect(await (await fetch(fileUrl)).text()).toBe(`${CANARY}\n`)
    await expect
      .poll(() => sql('SELECT 1 FROM graphile_worker.jobs WHERE key = $1', `deliver:${sessionId}`))
      .toHaveLength(1)
    ids = [...new Set([...ids, ...(await idsOf(sessionId))])]
    expect(ids.length).toBeGreaterThan(20)
    await using watch = watchAll(story.as('ben'), sessionId)
    await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TurnCompletedEvent')
    const { facts } = await ada.run(api.FactsDocument, { filter: { sessionId } })
    expect(facts.edges.map(({ node }) => node.content)).toEqual(['The shop opens at nine.'])

    const { deleteSession } = await ada.run(api.DeleteSessionDocument, { id: sessionId })
    expect(deleteSession).toEqual({ __typename: 'DeleteSessionPayload', deletedSessionId: sessionId })
    expect(await watch.ended).toContain('NOT_FOUND')

    const left = columnsOf(await findInDatabase(story.databaseUrl, [...ids, CANARY]))
    // The token of what a schedule sends is called like its dedicated session.
    // What was said in a model call had the id of its entry.
    expect(left).toEqual(
      ['data', 'id', 'session_id', 'token_name', 'turn_id'].map((column) => `audit_entries.${column}`),
    )
    expect(await tablesWith(sessionId)).toEqual(['audit_entries'])
    expect((await fetch(fileUrl)).status).toBe(404)
    expect(readdirSync(story.path('pub'))).toEqual([])
    expect(readdirSync(story.path('sessions')).filter((name) => name.includes('sched'))).toEqual([])
    expect(readdirSync(story.path('sessions')).filter((name) => name.startsWith('.deleted'))).toEqual([])
  })

  test('no row of any table names a session that is not there, but for the audit', async () => {
    const orphans: string[] = []
    for (const { name } of await tablesOfSessions()) {
      const rows = await sql(
        `SELECT 1 FROM ${name} r WHERE session_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = r.session_id) LIMIT 1`,
      )
      if (rows.length > 0) orphans.push(name)
    }
    expect(orphans).toEqual(['audit_entries'])
  })

  test('but for facts, the audit with who deleted it, and the runs of its schedule', async () => {
    const ada = story.as('ada')
    const all = await ada.run(api.FactsDocument, {})
    expect(all.facts.edges.map(({ node }) => node.content)).toEqual(['The shop opens at nine.'])
    const fact = await ada.run(api.FactDocument, { id: all.facts.edges[0]?.node.id ?? '' })
    expect(fact.node).toMatchObject({ session: null, learning: null })
    const { audit } = await ada.run(api.AuditDocument, { filter: { sessionId, kind: ['SESSION'] } })
    expect(audit.edges[0]?.node).toMatchObject({ sessionChange: 'DELETED', actor: { name: 'ada' } })
    const { runs } = await readSchedule(ada, scheduleId)
    expect(runs).toMatchObject([{ status: 'DONE', session: null, turn: null }])
    // What was to be done is part of the record, and what was written beside a decision; no message, no output.
    const said = await sql(
      `SELECT DISTINCT kind, e.key FROM audit_entries, jsonb_each_text(data) e WHERE strpos(e.value, $1) > 0 ORDER BY 1, 2`,
      CANARY,
    )
    expect(said).toEqual([
      { kind: 'TASK', key: 'detail' },
      { kind: 'APPROVAL', key: 'note' },
    ])
  })

  test('is not found again under the same id: the next session begins with nothing', async () => {
    const ada = story.as('ada')
    await reschedule(ada, { id: scheduleId, content: 'run: ls -A' })
    await ada.run(api.TriggerScheduleDocument, { id: scheduleId })
    await untilSchedule(ada, scheduleId, ({ runs }) => runs.length === 2 && runs[0]?.status === 'DONE')
    const { session: shown } = await ada.run(api.SessionTasksDocument, { id: sessionId, filter: { type: ['EXEC'] } })
    expect(shown?.tasks.edges.map(({ node }) => [node.status, node.output])).toEqual([['DONE', '']])
    const { appendMessage } = await ada.run(api.AppendMessageDocument, { input: { sessionId, content: SECRET } })
    expect(appendMessage).toMatchObject({ message: { content: SECRET } })
    const { session } = await ada.run(api.SessionDocument, { id: sessionId })
    expect(session).toMatchObject({ messageCount: 2, turnCount: 1, description: 'A schedule' })
    expect(session?.participants.map(({ name }) => name)).toEqual(['ada'])
    const { runs } = await readSchedule(ada, scheduleId)
    expect(runs.map((run) => run.session?.id ?? null)).toEqual([sessionId, null])
  })

  test('is swept up where a process died between the rows and the files', async () => {
    const ada = story.as('ada')
    await converse(ada, 'cli:crash', 'run: mkdir -p locked/in && chmod 0 locked')
    const name = must(await setAsideWorkspace(story.home, 'cli:crash'), 'a workspace')
    const left = (): string[] => readdirSync(story.path('sessions')).filter((folder) => folder.startsWith(name))
    expect(left()).toHaveLength(2)
    await sql(`SELECT graphile_worker.add_job('sweep-workspaces')`)
    await expect.poll(left).toEqual([])
  })
})
