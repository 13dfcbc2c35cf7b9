/** A session moves over HTTP: an admin exports it here and imports it there; what is wrong is told, and not stored. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sessionsFolder } from '../../src/execution/workspace/workspace.ts'
import { MAX_IMPORT_BYTES } from '../../src/graphql/files/session-transfer.ts'
import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { converse, send, Story, storyConfig, tokenOf, type Person } from '../harness/story.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { PATIENCE } from '../harness/patience.ts'

const SESSION = '@ada:notes'

let here: Story
let there: Story
beforeAll(async () => {
  here = await Story.begin()
  there = await Story.begin()
  await here
    .as('ada')
    .run(api.OpenSessionDocument, { input: { id: SESSION, description: 'Notes', participants: ['ben'] } })
  await converse(here.as('ada'), SESSION, 'run: echo "ü"')
})
afterAll(async () => {
  await there[Symbol.asyncDispose]()
  await here[Symbol.asyncDispose]()
})

interface Asked {
  readonly person?: Person | null
  readonly method?: string
  readonly body?: string | ReadableStream
  readonly headers?: Readonly<Record<string, string>>
}

async function ask(story: Story, path: string, { person = 'ada', method = 'GET', body, headers = {} }: Asked = {}) {
  const authorization: Record<string, string> = person === null ? {} : { authorization: `Bearer ${tokenOf(person)}` }
  const sent = body === undefined ? {} : { body, duplex: 'half' as const }
  const response = await fetch(`${story.app.url}/sessions/${path}`, {
    method,
    headers: { ...authorization, ...headers },
    ...sent,
  })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

const exported = (id = SESSION) => ask(here, `${encodeURIComponent(id)}/export`)
async function imported(body: string | ReadableStream, as = '', person: Person = 'ada') {
  const { status, body: answer } = await ask(there, `import${as}`, { method: 'POST', body, person })
  return { status, ...(JSON.parse(answer) as Record<string, unknown>) }
}
const shown = async (story: Story, id: string) => (await story.as('ada').run(api.SessionDocument, { id })).session
async function changesOf(story: Story, sessionId: string) {
  const { audit } = await story.as('ada').run(api.AuditDocument, { filter: { sessionId, kind: ['SESSION'] } })
  return audit?.edges.flatMap(({ node }) =>
    'sessionChange' in node ? [[node.sessionChange, node.actor?.__typename === 'User' ? node.actor.name : null]] : [],
  )
}

test('it goes out as a download and comes in elsewhere, under its own id or another, and goes on there', async () => {
  const { status, headers, body } = await exported()
  expect([status, headers.get('content-type')]).toEqual([200, 'application/jsonl; charset=utf-8'])
  expect(headers.get('content-disposition')).toContain('attachment; filename="@ada-notes.jsonl"')
  const lines = body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines[0]).toMatchObject({ type: 'header', sessionId: SESSION })
  expect(lines.at(-1)).toEqual({ type: 'end', lines: lines.length - 1 })
  expect(await changesOf(here, SESSION)).toContainEqual(['EXPORTED', 'ada'])

  await using list = there.as('ada').watch(api.SessionUpdatesDocument, {})
  await list.until(({ sessionUpdates }) => sessionUpdates.readList)
  const { lastSeq, description, messageCount } = must(await shown(here, SESSION), 'the session')
  const events = lines.filter(({ type }) => type === 'event').length
  const report = { status: 201, sessionId: SESSION, lastSeq, messages: 1, events, cancelledTurns: 0 }
  expect(await imported(body)).toEqual(report)
  await list.until(({ sessionUpdates: { session } }) => session?.id === SESSION)
  expect(await shown(there, SESSION)).toMatchObject({ description, messageCount, lastSeq, status: 'IDLE' })
  expect(await changesOf(there, SESSION)).toEqual([['IMPORTED', 'ada']])
  // Only who has it under its own id meets it.
  expect(await imported(body)).toMatchObject({
    status: 409,
    code: 'CONFLICT',
    problem: `There is a session "${SESSION}" here already. Import it under another id with ?as=<id>.`,
  })
  const inPieces = Readable.toWeb(Readable.from(body.match(/[^]{1,500}/gu) ?? [])) as ReadableStream
  expect(await imported(inPieces, '?as=web:copy')).toEqual({ ...report, sessionId: 'web:copy' })
  const turn = await converse(there.as('ada'), 'web:copy', 'And now?')
  expect(turn.status).toBe('DONE')
})

test('it is for admins, and says what is wrong; then nothing is stored and no byte is kept', async () => {
  const { body } = await exported()
  for (const [person, status, code] of [
    [null, 401, 'UNAUTHENTICATED'],
    ['ben', 403, 'FORBIDDEN'],
    ['discord', 403, 'FORBIDDEN'],
    ['bridge', 403, 'FORBIDDEN'],
  ] as const) {
    for (const [path, asked] of [
      [`${encodeURIComponent(SESSION)}/export`, {}],
      ['import', { method: 'POST', body }],
    ] as const) {
      const answer = await ask(there, path, { ...asked, person })
      expect([person, answer.status, JSON.parse(answer.body)]).toMatchObject([person, status, { code }])
    }
  }
  const wrong = await Promise.all([
    exported('cli:nowhere'),
    ask(here, '%ff/export'),
    ask(here, 'cli:x/y/export'),
    ask(here, `${encodeURIComponent(SESSION)}/export`, { method: 'POST', body: '' }),
    ask(here, 'import'),
    ask(there, 'import', { method: 'POST', body, headers: { 'content-encoding': 'gzip' } }),
  ])
  expect(wrong.map(({ status }) => status)).toEqual([404, 404, 404, 405, 405, 415])
  expect(JSON.parse(must(wrong[0], 'an answer').body)).toMatchObject({
    code: 'NOT_FOUND',
    problem: expect.stringContaining('no session "cli:nowhere"'),
  })
  expect(await imported(body, '?as=msg_01kbqn2c2ye1yv8b5z3q3x5m7a')).toMatchObject({
    status: 400,
    code: 'INVALID_INPUT',
  })
  const cut = body.split('\n').slice(0, -2).join('\n')
  for (const [file, problem] of [
    ['', 'Line 1: it is no JSON'],
    [body.replace('"USER"', '"USR"'), 'role: Invalid option'],
    [cut, 'it was cut off'],
  ] as const)
    expect(await imported(file, '?as=web:wrong')).toMatchObject({
      status: 400,
      code: 'TRANSFER_REFUSED',
      problem: expect.stringContaining(problem),
    })
  expect(await shown(there, 'web:wrong')).toBeNull()

  const large = await openBody({ 'content-length': String(MAX_IMPORT_BYTES + 1) })
  expect((await large.answer).statusCode).toBe(413)
  const leaving = await openBody({ 'content-length': '1000' })
  leaving.request.write('{')
  await vi.waitFor(() => expect(staged()).toHaveLength(1), PATIENCE)
  leaving.request.destroy()
  await vi.waitFor(() => expect(staged()).toEqual([]), PATIENCE)
})

test('an import that is slow to come holds nobody up, and is judged by the rights that its sender has in the end', async () => {
  const { body } = await exported()
  const slow = await openBody({ 'transfer-encoding': 'chunked' }, '?as=web:slow')
  slow.request.write(body.slice(0, -10))
  await vi.waitFor(() => expect(staged()).toHaveLength(1), PATIENCE)
  await send(there.as('ada'), 'web:slow', 'Mine')
  await there.reconfigure(
    storyConfig().replace('role = "admin"', 'role = "user"\nskills = []') +
      '\n[users.eve]\nrole = "admin"\n[tokens.eve]\nkind = "user"\nuser = "eve"\ntoken = "eve-token-for-the-story"\n',
  )
  slow.request.end(body.slice(-10))
  const answer = await slow.answer
  expect([answer.statusCode, JSON.parse(await text(answer))]).toMatchObject([403, { code: 'FORBIDDEN' }])
  await there.reconfigure(storyConfig())
  expect(await imported(body, '?as=web:slow')).toMatchObject({ status: 409 })
  await vi.waitFor(() => expect(staged()).toEqual([]), PATIENCE)
})

test('an export whose client leaves in the middle ends at once, and makes place for the next', async () => {
  const long = 'run: head -c 900000 /dev/urandom | base64 -w 1000'
  // Nothing follows it: a subscriber that does not take a megabyte at once is cut.
  for (let n = 0; n < 3; n++) await send(here.as('ada'), 'cli:long', long)
  const done = { status: 'IDLE', turnCount: 3, queueLength: 0 }
  await vi.waitFor(async () => expect(await shown(here, 'cli:long')).toMatchObject(done), PATIENCE)
  const path = `/sessions/${encodeURIComponent('cli:long')}/export`
  const leaving = await Promise.all(
    [1, 2].map(async () => {
      const request = httpRequest(`${here.app.url}${path}`, {
        headers: { authorization: `Bearer ${tokenOf('ada')}` },
      }).end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      return { request, response }
    }),
  )
  for (const { response } of leaving) expect(response.statusCode).toBe(200)
  expect((await exported()).status).toBe(503)
  for (const { request } of leaving) request.on('error', () => {}).destroy()
  await vi.waitFor(async () => expect((await exported()).status).toBe(200), PATIENCE)
})

function staged(): string[] {
  return readdirSync(sessionsFolder(there.home)).filter((name) => name.startsWith('.upload-'))
}

/** A body that the test writes. */
async function openBody(headers: Record<string, string>, as = '') {
  const request = httpRequest(`${there.app.url}/sessions/import${as}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf('ada')}`, ...headers },
  })
  request.on('error', () => {})
  const answer = once(request, 'response').then(([response]) => response as IncomingMessage)
  answer.catch(() => {})
  request.flushHeaders()
  return { request, answer }
}

test('threads of the Assistants API come in as its page says: in order, once, and they go on', async () => {
  const page = readFileSync('docs/from-assistants.md', 'utf8')
  const [, sample = ''] = must(/```json\n([\s\S]*?)```/.exec(page), 'an export')
  const [, script = '', url = ''] = must(/^node (\S+) threads\.json --user anna --url (\S+)$/m.exec(page), 'a command')
  const { threads } = JSON.parse(sample) as { threads: { messages: { data: { content: unknown }[] } }[] }
  const image = { type: 'image_file', image_file: { file_id: 'file-1' } }
  const attachments = [{ file_id: 'file-2' }]
  const said = (id: string, content: unknown) => ({ id, role: 'user', created_at: 1_722_470_400, content, attachments })
  const more = [
    { id: 'thread_pictures', messages: [said('a', [image]), said('b', `And\0 this? ${'🦆'.repeat(99)}`)] },
    { id: 'thread_broken', messages: [{ ...said('c', 'Hm'), created_at: 'yesterday' }] },
  ]
  await using home = await createTemporaryHome()
  const file = join(home.path, 'threads.json')
  writeFileSync(file, JSON.stringify({ threads: [...threads, ...more] }))
  const run = async () => {
    const args = [script, file, '--user', 'ben', '--url', url.replace(/.*/, there.app.url)]
    const env = { ...process.env, FACTOTUM_TOKEN: tokenOf('ada') }
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { code: code as number, lines: out.trimEnd().split('\n'), err }
  }
  const first = await run()
  expect(first.lines).toEqual([
    'thread_abc: 2 messages, as @ben:thread_abc',
    'thread_pictures: 2 messages, as @ben:thread_pictures',
    'thread_broken: "created_at" must be seconds since 1970; it is yesterday',
  ])
  expect([first.code, first.err]).toEqual([1, expect.stringContaining('1 threads were not imported')])
  const history = async (id: string) =>
    (await there.as('ben').session(id).history({ last: 10 })).entries.map(({ __typename, at, content }) => [
      __typename,
      at,
      content,
    ])
  const abc = [
    ['PersonMessage', '2024-08-01T00:00:00.000Z', 'When does the shop open?'],
    ['AgentText', '2024-08-01T00:00:20.000Z', 'At nine.'],
  ]
  expect(await history('@ben:thread_abc')).toEqual(abc)
  expect((await history('@ben:thread_pictures')).map(([, , content]) => content)).toEqual([
    '[image file-1]\n[file file-2]',
    `And\uFFFD this? ${'🦆'.repeat(99)}\n[file file-2]`,
  ])
  const turn = await converse(there.as('ben'), '@ben:thread_abc', 'And on Sundays?')
  expect(turn.status).toBe('DONE')
  const { modelCalls } = await there.as('ada').run(api.ModelCallsDocument, { first: 10, filter: { turnId: turn.id } })
  expect(JSON.stringify(modelCalls.edges)).toContain('At nine.')

  expect((await run()).lines.slice(0, 2)).toEqual([
    'thread_abc: is there already, as @ben:thread_abc',
    'thread_pictures: is there already, as @ben:thread_pictures',
  ])
  expect((await history('@ben:thread_abc')).slice(0, 2)).toEqual(abc)
})
