/**
 * What is older than `[retention]` allows goes, and nothing else: not what waits, not facts; who comes back from before
 * is told, and a process that dies at it leaves each session whole or without what was to go.
 */
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, sessionStore } from '../../packages/client/src/connect.ts'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import type { RetentionKind } from '../../src/config/schema/retention.ts'
import { adminWorkspacePath } from '../../src/execution/workspace/workspace.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { countOld } from '../../src/retention/retention-command.ts'
import { answer, Receiver } from '../delivery/receiver.ts'
import * as api from '../generated/graphql.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { answersIn, converse, eventsOf, send, tokenOf, turnEnd, watchAll } from '../harness/story.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'
import { StubConfig } from '../model/stub-config.ts'

const OLD = 'cli:old'
const WAITS = 'cli:waits'
const KEPT = ['MessageReceived', 'TextCompleted', 'TurnCompleted']
const retention = { events: 30, outputs: 30, turns: 60, messages: 60, deliveries: 30, workspaces: 60 }
/** Kept by settings of their own. */
const OF_SETTINGS = ['audit', 'prompts', 'files'] as const
type OfSettings = (typeof OF_SETTINGS)[number]
const section = Object.entries(retention).map(([kind, days]) => `${kind} = ${days}`)

let receiver: Receiver
let cluster: Cluster
let server: ServerProcess
let ada: ApiClient

beforeAll(async () => {
  receiver = await Receiver.start(answer(200))
  cluster = await Cluster.begin({
    config: {
      settings: { webhook_allow_list: ['127.0.0.1'] },
      tokens: { ada: `webhook_secret = "${newWebhookSecret()}"` },
      toml: `${approvalRules('effect = "require"\ncommand = "tee"')}\n[retention]\n${section.join('\n')}\n`,
    },
  })
  server = await cluster.start()
  ada = clientOf(server, 'ada')
})
afterAll(async () => {
  await cluster[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const AGED = {
  events: ['at'],
  messages: ['created_at'],
  turns: ['created_at', 'started_at', 'finished_at'],
  tasks: ['started_at', 'finished_at'],
  deliveries: ['created_at'],
}

/** Time passes for all that there is of these sessions. */
async function age(days: number, ...sessions: readonly string[]): Promise<void> {
  const past = (columns: readonly string[]): string =>
    columns.map((column) => `${column} = ${column} - ${days} * interval '1 day'`).join(', ')
  for (const [table, columns] of Object.entries(AGED))
    await cluster.query(`UPDATE ${table} SET ${past(columns)} WHERE session_id = ANY ($1)`, [sessions])
  await cluster.query(
    `UPDATE sessions SET ${past(['created_at', 'last_activity_at', 'retention_due_at'])} WHERE id = ANY ($1)`,
    [sessions],
  )
}

async function runJob(): Promise<void> {
  await cluster.query(`SELECT graphile_worker.add_job('remove-old', job_key := 'by the test')`)
  const left = `SELECT 1 FROM graphile_worker.jobs WHERE key = 'by the test'`
  await expect.poll(() => cluster.query(left)).toEqual([])
}

async function typesOf(session: string): Promise<string[]> {
  const rows = await cluster.query<{ type: string }>('SELECT type FROM events WHERE session_id = $1 ORDER BY seq', [
    session,
  ])
  return rows.map(({ type }) => type)
}

/** By kind, what the command says would go. */
async function dryRun(): Promise<Partial<Record<RetentionKind | OfSettings, number>>> {
  const lines: string[] = []
  const { settings } = new StubConfig({ baseUrl: null }).current()
  const options = { databaseUrl: cluster.databaseUrl ?? '', home: cluster.home, config: { retention, settings } }
  const logger = createLogger({ level: 'silent', pretty: false })
  await countOld({ days: null }, { ...options, clock: systemClock, logger, print: (line) => void lines.push(line) })
  return Object.fromEntries(lines.flatMap((line) => (/^(\w+) +(\d+) +from/.exec(line) ? [counted(line)] : [])))
}

function counted(line: string): [string, number] {
  const [kind = '', count = ''] = line.split(/ +/)
  return [kind, Number(count)]
}

/** By kind, what went since the server began. */
async function figures(): Promise<Partial<Record<string, number>>> {
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${tokenOf('ada')}` } })
  const lines = (await response.text()).matchAll(/^factotum_retention_removed_total\{kind="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries([...lines].map(([, kind, count]) => [kind, Number(count)]))
}

async function saidIn(session: string): Promise<string[]> {
  const { entries } = await connect({ url: server.url, token: tokenOf('ada') })
    .session(session)
    .history({ last: 100 })
  return entries.map(({ content }) => content)
}

test('details of old turns go, and what was said stays; what waits is left alone', async () => {
  await ada.run(api.OpenSessionDocument, { input: { id: OLD, webhook: receiver.url() } })
  const turn = await converse(ada, OLD, 'run: echo hello\nlearn: The shop opens at nine.\nWhat does it say?')
  await ada.run(api.AppendMessageDocument, { input: { sessionId: OLD, content: 'By the way' } })
  await send(ada, WAITS, 'run: echo x | tee f\nGo on?')
  await using waiting = watchAll(ada, WAITS)
  await untilAsked(waiting)
  await expect.poll(() => cluster.query(`SELECT 1 FROM deliveries WHERE status = 'PENDING'`)).toEqual([])
  await age(40, OLD, WAITS)
  const [said, ofWaiting] = [await saidIn(OLD), await typesOf(WAITS)]
  await converse(ada, OLD, 'run: echo new\nAnd now?')
  const newOnes = (await saidIn(OLD)).slice(said.length)

  const foreseen = await dryRun()
  await runJob()
  expect(await figures()).toMatchObject({ outputs: foreseen.outputs, deliveries: foreseen.deliveries })
  expect(foreseen).toMatchObject({ turns: 0, messages: 0, workspaces: 0 })
  const kinds = [...Object.keys(retention), ...OF_SETTINGS]
  expect(await dryRun()).toEqual(Object.fromEntries(kinds.map((kind) => [kind, 0])))
  // The new turn's are whole.
  const types = await typesOf(OLD)
  const firstNew = types.lastIndexOf('MessageReceived')
  expect(new Set(types.slice(0, firstNew))).toEqual(new Set(KEPT))
  expect(types.slice(firstNew)).toContain('TaskOutput')
  expect(await saidIn(OLD)).toEqual([...said, ...newOnes])
  expect(await typesOf(WAITS)).toEqual(ofWaiting)
  const { turn: shown } = await ada.run(api.TurnDocument, { id: turn.id })
  expect(shown?.plans[0]?.tasks[0]).toMatchObject({ status: 'DONE', output: '[removed]', exitCode: 0 })
  const { audit } = await ada.run(api.AuditDocument, { filter: { sessionId: OLD, kind: ['SESSION'] } })
  const removals = audit.edges.flatMap(({ node }) =>
    'sessionChange' in node ? [[node.sessionChange, node.sessionDetail]] : [],
  )
  expect(removals).toContainEqual(['RETENTION_REMOVED', `outputs: ${foreseen.outputs}`])
})

test('a subscription from before is told, and goes on with what is left', async () => {
  const left = await cluster.query<{ seq: number }>(
    'SELECT seq FROM events WHERE session_id = $1 AND seq > 1 ORDER BY seq',
    [OLD],
  )
  await using watch = watchAll(ada, OLD, 1)
  await turnEnd(watch, 2)
  const [snapshot] = eventsOf(watch, 'SessionSnapshot')
  expect(watch.received[0]?.sessionEvents).toBe(snapshot)
  expect(snapshot).toMatchObject({ seq: 1, session: { id: OLD } })
  const removedUpTo = snapshot?.removedUpTo ?? 0
  expect(removedUpTo).toBeGreaterThan(1)
  // Once, and then every event that the log holds behind the first.
  expect(watch.received.slice(1).map(({ sessionEvents }) => sessionEvents.seq)).toEqual(left.map(({ seq }) => seq))
  expect(answersIn(watch)).toHaveLength(2)
  // Who has it all is told nothing.
  await using later = watchAll(ada, OLD, removedUpTo)
  await turnEnd(later)
  expect(eventsOf(later, 'SessionSnapshot')).toEqual([])
  // Views that cannot show it end, with where to go on from.
  await using outputs = ada.watch(api.MessageOutputsDocument, { sessionId: OLD, after: 1 })
  expect(await outputs.ended).toContain('CURSOR_TOO_OLD')
  await using whole = ada.watch(api.MessageOutputsDocument, { sessionId: OLD, after: 0 })
  await whole.until(({ messageOutputs }) => messageOutputs.__typename === 'TextCompletedEvent')
})

test('old turns go with all that hangs on them, workspaces with their files; facts, the audit and the rest stay', async () => {
  const file = new URL(`/files/${OLD}/note.txt`, server.url)
  const headers = { authorization: `Bearer ${tokenOf('ada')}` }
  expect((await fetch(file, { method: 'PUT', headers, body: 'a note' })).status).toBe(201)
  const before = await saidIn(OLD)
  await age(70, OLD, WAITS)
  expect(existsSync(adminWorkspacePath(cluster.home, OLD))).toBe(true)
  await using proxy = await TcpProxy.start(server.url)
  const client = connect({ url: new URL(proxy.through(server.url)).origin, token: tokenOf('ada') })
  const page = sessionStore(client, OLD)
  const leave = page.subscribe(() => {})
  await expect.poll(() => page.getSnapshot().entries.length).toBe(before.length)
  proxy.cut()
  // While the page is away a user says something that is old, too, when it comes back.
  await converse(ada, OLD, 'Still there?')
  // What is still to be delivered is kept, with its turn.
  await expect.poll(() => cluster.query(`SELECT 1 FROM deliveries WHERE status = 'PENDING'`)).toEqual([])
  await age(70, OLD)

  await runJob()
  expect(await typesOf(OLD)).toEqual(expect.not.arrayContaining([...KEPT, 'TaskOutput']))
  for (const table of [
    'messages',
    'turns',
    'plans',
    'tasks',
    'deliveries',
    'approvals',
    'uploaded_files',
    'turn_facts',
  ])
    expect([table, await cluster.query(`SELECT 1 FROM ${table} WHERE session_id = $1`, [OLD])]).toEqual([table, []])
  expect(existsSync(adminWorkspacePath(cluster.home, OLD))).toBe(false)
  proxy.restore()
  await expect.poll(() => page.getSnapshot().entries).toEqual([])
  leave()
  client.close()
  const { session } = await ada.run(api.SessionDocument, { id: OLD })
  expect(session).toMatchObject({ id: OLD, turnCount: 3, lastMessagePreview: null })
  const { facts } = await ada.run(api.FactsDocument, { filter: { sessionId: OLD } })
  expect(facts.edges.map(({ node }) => node.content)).toEqual(['The shop opens at nine.'])
  const { node } = await ada.run(api.FactDocument, { id: facts.edges[0]?.node.id ?? '' })
  expect(node).toMatchObject({ session: { id: OLD }, learning: { content: 'The shop opens at nine.' } })
  const learned = await cluster.query('SELECT turn_id, task_id FROM learnings WHERE session_id = $1', [OLD])
  expect(learned).toEqual([{ turn_id: null, task_id: null }])
  const { auditCheck } = await ada.run(api.AuditCheckDocument, {})
  expect(auditCheck).toMatchObject({ problem: null })
})

test('what waited all the time goes on when it is decided', async () => {
  await using watch = watchAll(ada, WAITS)
  const [approval] = await untilAsked(watch)
  await decide(ada, { id: approval?.id ?? '', approve: true })
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(await converse(ada, OLD, 'run: echo again\nOnce more?')).toMatchObject({ status: 'DONE' })
})

test('a process that is killed in the middle has removed a session’s things whole or not at all', async () => {
  const ids = ['cli:kill-a', 'cli:kill-b', 'cli:kill-c']
  for (const id of ids) await converse(ada, id, 'run: echo hello\nWell?')
  await age(100, ...ids)
  const rowsOf = async (id: string): Promise<number[]> => {
    const [row] = await cluster.query<{ counts: number[] }>(
      `SELECT ARRAY[(SELECT count(*) FROM events WHERE session_id = $1), (SELECT count(*) FROM messages WHERE session_id = $1),
        (SELECT count(*) FROM tasks WHERE session_id = $1), (SELECT removed_seq FROM sessions WHERE id = $1),
        (SELECT count(*) FROM audit_entries WHERE session_id = $1 AND actor = 'retention' AND data->>'detail' LIKE 'turns:%')]::int[] AS counts`,
      [id],
    )
    return row?.counts ?? []
  }
  const whole = await rowsOf('cli:kill-b')
  // It has taken the rows away and is about to say so when it dies.
  await cluster.query(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF NEW.id = 'cli:kill-b' AND NEW.removed_seq > OLD.removed_seq THEN PERFORM pg_sleep(3600); END IF; RETURN NEW; END $$`)
  await cluster.query('CREATE TRIGGER hold BEFORE UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION hold()')
  await cluster.query(`SELECT graphile_worker.add_job('remove-old')`)
  const held = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`
  await expect.poll(() => cluster.query(held)).toHaveLength(1)
  await server.kill()
  await cluster.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`,
  )
  await cluster.query('DROP TRIGGER hold ON sessions')
  const gone = await rowsOf('cli:kill-a')
  expect(gone).toEqual([0, 0, 0, gone[3], 1])
  expect(await rowsOf('cli:kill-b')).toEqual(whole)

  server = await cluster.start()
  ada = clientOf(server, 'ada')
  await runJob()
  for (const id of ids) expect(await rowsOf(id)).toEqual([0, 0, 0, expect.any(Number), 1])
  expect(await figures()).toMatchObject({ turns: 2 })
  const { auditCheck } = await ada.run(api.AuditCheckDocument, {})
  expect(auditCheck).toMatchObject({ problem: null })
})
