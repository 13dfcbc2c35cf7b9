/**
 * A session is exported from a server that runs, and imported by another: everything that was said and done is there,
 * what was open has ended, nothing secret came along, and it goes on. Called as people do, by `factotum session`.
 */
import { execFile, spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import { must } from '../../src/platform/must.ts'
import { answer, Receiver } from '../delivery/receiver.ts'
import * as api from '../generated/graphql.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { rounds } from '../harness/rounds.ts'
import { serverProgram } from '../harness/server-program.ts'
import { answersIn, converse, eventsOf, send, Story, turnEnd, watchAll } from '../harness/story.ts'

const SESSION = 'cli:moving'
/** Of 3 kB each: more than the 48 MB that the processes get. */
const EVENTS = rounds(12_000, 20_000)
/** Stands in the path of the webhook, as chat platforms have it. */
const HOOK_SECRET = 'hook-4711'
const WEBHOOK_KEY = newWebhookSecret()

let here: Story
let there: Story
let receiver: Receiver

beforeAll(async () => {
  receiver = await Receiver.start(answer(503, { 'retry-after': '60' }))
  const rules = approvalRules('effect = "require"\ncommand = "tee"')
  const toml = `[approvals]\nplans_with_strangers = false\n${rules}`
  const settings = { webhook_allow_list: ['127.0.0.1'] }
  here = await Story.begin({ config: { settings, tokens: { ada: `webhook_secret = "${WEBHOOK_KEY}"` }, toml } })
  there = await Story.begin()
  const ada = here.as('ada')
  const input = {
    id: SESSION,
    webhook: `${receiver.url()}/${HOOK_SECRET}`,
    participants: ['ben'],
    description: 'On the move',
  }
  await ada.run(api.OpenSessionDocument, { input })
  await here
    .as('bridge')
    .run(api.AppendMessageDocument, { input: { sessionId: SESSION, user: 'Mallory', content: 'Psst' } })
  await converse(ada, SESSION, 'run: echo one\nlearn: Which shop?\nDone?')
  await send(ada, SESSION, 'run: echo two | tee file\nAnd now?')
  await using watch = watchAll(ada, SESSION)
  const [first] = await untilAsked(watch)
  await decide(ada, { id: must(first, 'an approval').id, approve: true })
  await turnEnd(watch, 2)
  // Open when it is exported: a turn that awaits an approval, and one that waits for it.
  await send(ada, SESSION, 'run: echo three | tee other-file')
  await watch.until(
    ({ sessionEvents: event }) => event.__typename === 'ApprovalEvent' && event.approval.id !== first?.id,
  )
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent')
  await send(ada, SESSION, 'Hello?')
})
afterAll(async () => {
  await there[Symbol.asyncDispose]()
  await here[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

function environmentOf(story: Story): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', FACTOTUM_HOME: story.home, DATABASE_URL: story.databaseUrl }
}

/** `factotum session …`, beside the server of `story`. */
async function factotum(story: Story, ...args: string[]): Promise<{ code: number; out: string; said: string }> {
  const run = promisify(execFile)('node', [await serverProgram(), 'session', ...args], { env: environmentOf(story) })
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, said: stderr }),
    (error: unknown) => {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { code, out: stdout, said: stderr }
    },
  )
}

const shown = async (story: Story, id = SESSION) => (await story.as('ada').run(api.SessionDocument, { id })).session

test('it goes to a file, of one moment, without what is secret; and comes in elsewhere, with all that happened, once', async () => {
  const file = here.path('moving.jsonl')
  expect(await factotum(here, 'export', SESSION, '--out', file)).toEqual({
    code: 0,
    out: '',
    said: `Exported session "${SESSION}" to ${file}.\n`,
  })
  expect((await readdir(here.home)).filter((name) => name.startsWith('moving'))).toEqual(['moving.jsonl'])
  const exported = await readFile(file, 'utf8')
  const lines = exported
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines[0]).toMatchObject({ type: 'header', format: 'factotum session', version: 1, sessionId: SESSION })
  expect(lines.at(-1)).toEqual({ type: 'end', lines: lines.length - 1 })
  expect(exported).toContain('On the move')
  for (const secret of [HOOK_SECRET, WEBHOOK_KEY, 'remembered']) expect(exported).not.toContain(secret)
  const log = lines.filter(({ type }) => type === 'event')

  await using list = there.as('ada').watch(api.SessionUpdatesDocument, {})
  await list.until(({ sessionUpdates }) => sessionUpdates.readList)
  const imported = await factotum(there, 'import', file)
  expect(imported).toMatchObject({
    code: 0,
    said: expect.stringContaining(`Imported session "${SESSION}": 5 messages, ${log.length} events.`),
  })
  expect(imported.said).toContain('2 turns were open when it was exported; they are CANCELLED.')
  await list.until(({ sessionUpdates: { session } }) => session?.id === SESSION)

  const [before, after] = [must(await shown(here), 'the session'), must(await shown(there), 'the session')]
  expect(after).toMatchObject({ status: 'IDLE', queueLength: 0, activeTurn: null, lastSeq: before.lastSeq + 4 })
  const { source, description, messageCount, createdAt, participants, usage } = before
  expect(after).toMatchObject({ source, description, messageCount, createdAt, participants, usage })
  const again = await factotum(there, 'import', file)
  expect(again).toEqual({
    code: 1,
    out: '',
    said: `factotum: There is a session "${SESSION}" here already. Import it under another id with --as <id>.\n`,
  })
})

test('elsewhere its log is the same, with the ends of what was open behind it, and it goes on', async () => {
  const [ada, ben] = [there.as('ada'), there.as('ben')]
  await using old = watchAll(here.as('ada'), SESSION)
  await using watch = watchAll(ada, SESSION)
  for (let nth = 1; nth <= 4; nth += 1) await turnEnd(watch, nth)
  const { lastSeq } = must(await shown(there), 'the session')
  const numbersOf = ({ received }: typeof watch): number[] => received.map(({ sessionEvents: { seq } }) => seq)
  await old.until(({ sessionEvents: { seq } }) => seq === lastSeq - 4)
  expect(numbersOf(watch)).toEqual([...numbersOf(old), lastSeq - 3, lastSeq - 2, lastSeq - 1, lastSeq])
  expect(eventsOf(watch, 'TurnCompletedEvent').map(({ turnStatus }) => turnStatus)).toEqual([
    'DONE',
    'DONE',
    'CANCELLED',
    'CANCELLED',
  ])
  expect(answersIn(watch)).toEqual(answersIn(old))
  const { session } = await ada.run(api.SessionTasksDocument, { id: SESSION })
  expect(session?.tasks.edges.map(({ node }) => node.status)).not.toContain('AWAITING_APPROVAL')
  const { approvals } = await ada.run(api.ApprovalsDocument, { filter: { sessionId: SESSION } })
  expect(approvals.edges.map(({ node }) => node.approvalStatus).toSorted()).toEqual(['APPROVED', 'CANCELLED'])
  const { deliveries } = await ada.run(api.DeliveriesDocument, { filter: { sessionId: SESSION } })
  expect(new Set(deliveries.edges.map(({ node }) => node.status))).toEqual(new Set(['DEAD']))

  await using next = watchAll(ben, SESSION, lastSeq)
  await send(ben, SESSION, 'Are you still there?')
  await turnEnd(next)
  expect(answersIn(next)).toEqual([expect.stringContaining('Are you still there?')])
  const seqs = numbersOf(next)
  expect(seqs[0]).toBe(lastSeq + 1)
  expect(seqs).toEqual(seqs.toSorted((one, two) => one - two))
  // The original has not noticed.
  expect(await shown(here)).toMatchObject({ status: 'AWAITING_APPROVAL', queueLength: 1, lastSeq: lastSeq - 4 })
  const { audit } = await ada.run(api.AuditDocument, { filter: { sessionId: SESSION, kind: ['SESSION'] } })
  expect(JSON.stringify(audit.edges)).toContain('"IMPORTED"')
})

test('elsewhere nobody opened it: who takes part goes on, what is the opener’s is admins’', async () => {
  const id = '@ben:moving'
  await converse(here.as('ben'), id, 'Hello')
  await factotum(here, 'export', id, '--out', here.path('bens.jsonl'))
  expect(await factotum(there, 'import', here.path('bens.jsonl'))).toMatchObject({ code: 0 })
  for (const [person, expected] of [
    // There is a token of the same name here; who knows of whom.
    ['ben', 'ConflictRefusal'],
    ['bridge', 'ConflictRefusal'],
    ['ada', 'UpdateSessionPayload'],
  ] as const) {
    const input = { id, metadata: { changedBy: person } }
    const { updateSession } = await there.as(person).run(api.UpdateSessionDocument, { input })
    expect([person, updateSession.__typename]).toEqual([person, expected])
  }
})

test('a copy beside the original has ids of its own, and what its events tell of is the copy', async () => {
  const file = here.path('moving.jsonl')
  const child = spawn('node', [await serverProgram(), 'session', 'import', '-', '--as', 'web:copy'], {
    env: environmentOf(here),
  })
  createReadStream(file).pipe(child.stdin)
  expect(await text(child.stderr)).toContain('Imported session "web:copy"')
  const ada = here.as('ada')
  const idsOf = async (id: string): Promise<string[]> => {
    const { session } = await ada.run(api.SessionMessagesDocument, { id })
    return must(session, id).messages.edges.map(({ node }) => node.id)
  }
  const [original, copy] = [await idsOf(SESSION), await idsOf('web:copy')]
  expect(copy).toHaveLength(original.length)
  expect(copy.filter((id) => original.includes(id))).toEqual([])
  await using watch = watchAll(ada, 'web:copy')
  for (let nth = 1; nth <= 4; nth += 1) await turnEnd(watch, nth)
  expect(eventsOf(watch, 'MessageReceivedEvent').map(({ message }) => message.id)).toEqual(copy)
  const tasks = eventsOf(watch, 'TaskUpdateEvent').map(({ task }) => task.id)
  expect(tasks.length).toBeGreaterThan(2)
  await converse(ada, 'web:copy', 'One more')
})

test('mistakes are told in a sentence, and leave nothing', async () => {
  expect(await factotum(here, 'export', 'cli:nowhere', '--out', here.path('none.jsonl'))).toMatchObject({
    code: 1,
    said: 'factotum: There is no session "cli:nowhere" in this database.\n',
  })
  expect((await readdir(here.home)).filter((name) => name.startsWith('none'))).toEqual([])
  const broken = here.path('broken.jsonl')
  const whole = await readFile(here.path('moving.jsonl'), 'utf8')
  await writeFile(broken, whole.slice(0, -200))
  expect(await factotum(here, 'import', broken, '--as', 'web:broken')).toMatchObject({
    code: 1,
    said: expect.stringMatching(/^factotum: (Line \d+: it is no JSON|The file ends after line \d+)/),
  })
  expect(await shown(here, 'web:broken')).toBeNull()
  expect(await factotum(here, 'import', here.path('absent.jsonl'))).toMatchObject({
    code: 1,
    said: expect.stringContaining('absent.jsonl cannot be used: ENOENT'),
  })
})

test('what is larger than the memory goes out and comes in', async () => {
  const client = new pg.Client({ connectionString: here.databaseUrl })
  await client.connect()
  await client.query(
    `INSERT INTO sessions (id, source_kind, source_interactive, last_seq) VALUES ('cli:long', 'cli', true, ${EVENTS})`,
  )
  await client.query(
    `INSERT INTO events (session_id, seq, at, type, data) SELECT 'cli:long', n, now(), 'PipelineStep',
       jsonb_build_object('step', 'PLANNING', 'detail', repeat('0123456789', 300)) FROM generate_series(1, ${EVENTS}) n`,
  )
  const file = here.path('long.jsonl')
  const small = { ...environmentOf(here), NODE_OPTIONS: '--max-old-space-size=32' }
  const program = await serverProgram()
  const run = (...args: string[]) => promisify(execFile)('node', [program, 'session', ...args], { env: small })
  await run('export', 'cli:long', '--out', file)
  const { stderr } = await run('import', file, '--as', 'cli:long-copy')
  expect(stderr).toContain(`${EVENTS} events`)
  const { rows } = await client.query(
    `SELECT count(*)::int AS events, md5(string_agg(md5(data::text), '' ORDER BY seq)) AS content FROM events
     WHERE session_id IN ('cli:long', 'cli:long-copy') GROUP BY session_id`,
  )
  await client.end()
  expect(rows[0]).toMatchObject({ events: EVENTS })
  expect(rows[1]).toEqual(rows[0])
})
