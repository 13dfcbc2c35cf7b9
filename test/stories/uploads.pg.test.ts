/**
 * People put files into a session: into the workspace in which their commands run, listed, attached to messages, told
 * to the planner. What a USER sends never comes where admins' commands run; nothing outside of uploads/ is touched.
 */
import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { MAX_UPLOAD_BYTES } from '../../src/core/file/uploaded-file.ts'
import { setAsideWorkspace, sweepWorkspaces } from '../../src/execution/workspace/set-aside-workspace.ts'
import { adminWorkspacePath, sessionsFolder, workspacePath } from '../../src/execution/workspace/workspace.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import * as api from '../generated/graphql.ts'
import { converse, eventsOf, Story, storyConfig, tokenOf, watchAll, type Person } from '../harness/story.ts'
import { PATIENCE } from '../harness/patience.ts'

const logger = createLogger({ level: 'silent', pretty: false })
let story: Story
let database: Database
beforeAll(async () => {
  story = await Story.begin()
  database = new Database({ url: story.databaseUrl, maxConnections: 2, logger })
})
afterAll(async () => {
  await database.close()
  await story[Symbol.asyncDispose]()
})

const sql = <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
  database.query<Row>({ name: '', text }, values)

interface Sent {
  readonly status: number
  readonly body: unknown
}

async function put(person: Person | null, path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Sent> {
  const authorization: Record<string, string> = person === null ? {} : { authorization: `Bearer ${tokenOf(person)}` }
  const response = await fetch(`${story.app.url}/files/${path}`, {
    method: 'PUT',
    headers: authorization,
    body,
  })
  return { status: response.status, body: await response.json() }
}

async function open(id: string, participants: string[] = [], person: Person = 'ada'): Promise<string> {
  const { openSession } = await story.as(person).run(api.OpenSessionDocument, { input: { id, participants } })
  expect(openSession.__typename).toBe('OpenSessionPayload')
  return id
}

async function filesOf(person: Person, id: string) {
  const { session } = await story.as(person).run(api.SessionFilesDocument, { id })
  return session?.files.edges.map(({ node }) => node) ?? []
}

const inUsers = (id: string, name: string): string => join(workspacePath(story.home, id), 'uploads', name)
const inAdmins = (id: string, name: string): string => join(adminWorkspacePath(story.home, id), 'uploads', name)
/** What lies beside the workspaces and is in none. */
const staged = (): string[] => readdirSync(sessionsFolder(story.home)).filter((name) => name.startsWith('.upload-'))

describe('a file that is sent', () => {
  test('is in the workspace, whole, listed, told live, and read by a command of the turn that it is attached to', async () => {
    const id = await open('@ben:report', [], 'ben')
    const bytes = randomBytes(300_000)
    const sent = await put('ben', `${encodeURIComponent(id)}/numbers.csv`, bytes)
    expect(sent).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^file_/),
        name: 'numbers.csv',
        size: 300_000,
        contentType: 'text/csv; charset=utf-8',
      },
    })
    expect(readFileSync(inUsers(id, 'numbers.csv')).equals(bytes)).toBe(true)
    expect(existsSync(adminWorkspacePath(story.home, id))).toBe(false)
    expect(staged()).toEqual([])
    expect(await filesOf('ben', id)).toEqual([
      {
        origin: 'UPLOADED',
        name: 'numbers.csv',
        size: 300_000,
        contentType: 'text/csv; charset=utf-8',
        user: 'ben',
        url: null,
      },
    ])
    await using watch = watchAll(story.as('ben'), id)
    await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'FileReceivedEvent')
    expect(eventsOf(watch, 'FileReceivedEvent')[0]?.file).toEqual({ name: 'numbers.csv', size: 300_000, user: 'ben' })

    const hash = createHash('sha256').update(bytes).digest('hex')
    const content = `run: sha256sum uploads/numbers.csv; stat -c %u uploads/numbers.csv; id -u`
    const input = { sessionId: id, content, attachments: ['numbers.csv'] }
    const { sendMessage } = await story.as('ben').run(api.SendWithFilesDocument, { input })
    if (sendMessage.__typename !== 'SendMessagePayload') throw new Error(JSON.stringify(sendMessage))
    expect(sendMessage.message.attachments).toEqual([{ name: 'numbers.csv' }])
    await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TurnCompletedEvent')
    const { turn } = await story.as('ben').run(api.TurnDocument, { id: sendMessage.message.turn?.id ?? '' })
    const [task] = turn?.tasks ?? []
    const [line, owner, self] = task?.output?.split('\n') ?? []
    expect([line, owner]).toEqual([`${hash}  uploads/numbers.csv`, self])
  })

  test('of an admin is where the commands of both run, and a user cannot replace it', async () => {
    const id = await open('cli:both', ['ben'])
    expect((await put('ada', `${id}/list.txt`, 'from ada')).status).toBe(201)
    expect([readFileSync(inUsers(id, 'list.txt'), 'utf8'), readFileSync(inAdmins(id, 'list.txt'), 'utf8')]).toEqual([
      'from ada',
      'from ada',
    ])
    const { tasks } = await converse(story.as('ada'), id, 'run: cat uploads/list.txt')
    expect(tasks[0]?.output).toBe('from ada')
    const refused = await put('ben', `${id}/list.txt`, 'from ben')
    expect(refused).toEqual({
      status: 409,
      body: { code: 'CONFLICT', problem: expect.stringContaining('only an admin may replace it') },
    })
    expect((await put('ben', `${id}/mine.txt`, 'from ben')).status).toBe(201)
    expect(existsSync(inAdmins(id, 'mine.txt'))).toBe(false)
    // An admin takes over the name: now it is in both.
    expect((await put('ada', `${id}/mine.txt`, 'from ada')).status).toBe(200)
    expect(readFileSync(inAdmins(id, 'mine.txt'), 'utf8')).toBe('from ada')
    expect((await filesOf('ben', id)).map(({ name, user }) => [name, user])).toEqual([
      ['mine.txt', 'ada'],
      ['list.txt', 'ada'],
    ])
  })

  test('a second time replaces the first, under one id, also when both come at once', async () => {
    const id = await open('@ben:twice', [], 'ben')
    const first = await put('ben', `${id}/a.txt`, 'one')
    const second = await put('ben', `${id}/a.txt`, 'two!')
    expect([second.status, second.body]).toEqual([200, { ...(first.body as object), size: 4 }])
    expect(readFileSync(inUsers(id, 'a.txt'), 'utf8')).toBe('two!')
    const many = Array.from({ length: 8 }, (_, n) => String(n).repeat(100_000))
    await Promise.all(many.map((text) => put('ben', `${id}/a.txt`, text)))
    const [file, ...more] = await filesOf('ben', id)
    const kept = readFileSync(inUsers(id, 'a.txt'), 'utf8')
    expect([many.includes(kept), file?.size, more]).toEqual([true, 100_000, []])
    expect(staged()).toEqual([])
  })

  test('through a connector is from the person behind it, and not taken from a stranger', async () => {
    const id = await open('cli:platform', ['ben'])
    const sent = await put('bridge', `${id}/photo.png?user=ben-on-the-bridge`, 'png')
    expect(sent.status).toBe(201)
    expect((await filesOf('ada', id))[0]?.user).toBe('ben')
    expect(existsSync(inAdmins(id, 'photo.png'))).toBe(false)
    const strangers = await put('bridge', `${id}/evil.png?user=Mallory`, 'png')
    expect([strangers.status, existsSync(inUsers(id, 'evil.png'))]).toEqual([409, false])
    expect((await put('bridge', `${id}/whose.png`, 'png')).status).toBe(400)
  })
})

describe('a file that comes before anything else', () => {
  test('opens its session, and the message after it names it', async () => {
    expect(await put('ben', '@ben:files-first/a.txt', 'hello')).toMatchObject({ status: 201, body: { name: 'a.txt' } })
    const named = { sessionId: '@ben:files-first', content: 'run: cat uploads/a.txt', attachments: ['a.txt'] }
    const { sendMessage } = await story.as('ben').run(api.SendWithFilesDocument, { input: named })
    expect(sendMessage).toMatchObject({ __typename: 'SendMessagePayload' })
    await using watch = watchAll(story.as('ben'), '@ben:files-first')
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnCompletedEvent')
    expect(eventsOf(watch, 'TextCompletedEvent')[0]?.content).toContain('hello')
    expect((await filesOf('ben', '@ben:files-first')).length).toBe(1)
  })

  test('of a connector is in the session of its channel, for whom it names', async () => {
    expect((await put('discord', 'discord:files-first/a.txt?user=Ben%231', 'hello')).status).toBe(201)
    expect(await filesOf('discord', 'discord:files-first')).toMatchObject([{ name: 'a.txt' }])
    expect((await put('discord', 'discord:strangers/a.txt?user=Nobody%231', 'hello')).status).toBe(409)
    expect(await sql(`SELECT id FROM sessions WHERE id = 'discord:strangers'`)).toEqual([])
  })

  test('opens none beyond the quota, and none of others', async () => {
    await using _quota = await story.reconfigureForNow(storyConfig({ toml: '[quotas]\nuser_sessions = 1\n' }))
    const refused = { status: 413, body: { code: 'LIMIT_EXCEEDED' } }
    expect(await put('ben', '@ben:too-many/a.txt', 'hello')).toMatchObject(refused)
    expect((await put('ben', '@cleo:hers/a.txt', 'hello')).status).toBe(404)
  })

  test('of an admin opens none of a connector, and says which they may open', async () => {
    const refused = await put('ada', 'discord:not-there/a.txt', 'hello')
    expect(refused).toEqual({
      status: 404,
      body: { code: 'NOT_FOUND', problem: expect.stringContaining('have ids that begin with "@ada:"') },
    })
  })

  test('opens none when there is no space for it', async () => {
    await using _quota = await story.reconfigureForNow(storyConfig({ toml: '[quotas]\nuser_workspaces_mib = 1\n' }))
    const refused = await put('cleo', '@cleo:too-large/a.bin', new Uint8Array(2 * 1024 * 1024))
    expect(refused).toEqual({
      status: 413,
      body: { code: 'LIMIT_EXCEEDED', problem: expect.stringContaining('Your workspaces together have') },
    })
    expect(await sql(`SELECT id FROM sessions WHERE id = '@cleo:too-large'`)).toEqual([])
  })
})

describe('nothing is stored', () => {
  test('for who does not see the session, which they cannot tell from one that is not there', async () => {
    const id = await open('cli:private')
    const hidden = await put('ben', `${id}/x.txt`, 'x')
    const absent = await put('ben', 'cli:nowhere/x.txt', 'x')
    expect([hidden.status, absent.status]).toEqual([404, 404])
    expect(JSON.stringify(hidden.body).replaceAll(id, 'ID')).toBe(
      JSON.stringify(absent.body).replaceAll('cli:nowhere', 'ID'),
    )
    expect((await put(null, `${id}/x.txt`, 'x')).status).toBe(401)
    expect(await filesOf('ada', id)).toEqual([])
    for (const name of ['x.txt', 'a\u0000b', '']) {
      const named = { sessionId: id, content: 'Hi', attachments: [name] }
      const { sendMessage } = await story.as('ada').run(api.SendWithFilesDocument, { input: named })
      expect(sendMessage).toMatchObject({ __typename: 'InvalidInputRefusal' })
    }
  })

  test.each([
    ['..%2F..%2Fconfig.toml', 400],
    ['%2E%2E', 404],
    ['.bashrc', 400],
    ['a%00b', 400],
    ['a%2Fb', 400],
    ['%E2%80%AEgpj.exe', 400],
    ['%FF', 404],
    ['folder/a.txt', 404],
    ['', 400],
    // In Thai: more bytes than a file system has for a name.
    [encodeURIComponent('ก'.repeat(100)), 400],
  ])('under the name %s', async (name, status) => {
    const id = await open('cli:names')
    expect((await put('ada', `${id}/${name}`, 'x')).status).toBe(status)
    expect(await filesOf('ada', id)).toEqual([])
  })

  test('of a file that is too large, told before it comes or found out while it does', async () => {
    const id = await open('cli:large')
    const tooLarge = await put('ada', `${id}/large.bin`, new Uint8Array(MAX_UPLOAD_BYTES + 1))
    expect(tooLarge).toMatchObject({ status: 413, body: { code: 'LIMIT_EXCEEDED' } })
    const untold = httpRequest(`${story.app.url}/files/${id}/large.bin`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${tokenOf('ada')}`, 'transfer-encoding': 'chunked' },
    })
    untold.on('error', () => {})
    const answered = once(untold, 'response') as Promise<[IncomingMessage]>
    const chunk = Buffer.alloc(1024 * 1024)
    for (let n = 0; n <= 25 && !untold.destroyed; n++) untold.write(chunk)
    const [response] = await answered
    expect([response.statusCode, await json(response)]).toMatchObject([413, { code: 'LIMIT_EXCEEDED' }])
    untold.destroy()
    expect([await filesOf('ada', id), staged()]).toEqual([[], []])
  })

  test('of a file that is too large: who sends it whole before reading finds the refusal', async () => {
    const socket = connect(Number(new URL(story.app.url).port), '127.0.0.1')
    const size = MAX_UPLOAD_BYTES + 10 * 1024 * 1024
    const head = ['PUT /files/cli:large/large.bin HTTP/1.1', 'Host: 127.0.0.1', `Content-Length: ${size}`]
    socket.write(`${head.join('\r\n')}\r\nAuthorization: Bearer ${tokenOf('ada')}\r\n\r\n`)
    // As proxies do: without the answer being taken, or the connection missed, before all is written.
    await promisify((done: (error?: Error | null) => void) => socket.write(Buffer.alloc(size), done))()
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 [^]*connection: close[^]*A file may have 25 MiB/i)
  })

  test('of a file whose sender leaves in the middle, and what a process left that died is swept up', async () => {
    const id = await open('cli:left')
    const leaving = httpRequest(`${story.app.url}/files/${id}/half.bin`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${tokenOf('ada')}`, 'content-length': '1000000' },
    })
    leaving.on('error', () => {})
    leaving.write(Buffer.alloc(100_000))
    await vi.waitFor(() => expect(staged()).toHaveLength(1), PATIENCE)
    leaving.destroy()
    await vi.waitFor(() => expect(staged()).toEqual([]), PATIENCE)
    expect(await filesOf('ada', id)).toEqual([])

    const [old, young] = ['.upload-old', '.upload-young'].map((name) => join(sessionsFolder(story.home), name))
    for (const path of [old, young]) writeFileSync(path ?? '', 'half')
    utimesSync(old ?? '', new Date(Date.now() - 7_200_000), new Date(Date.now() - 7_200_000))
    await sweepWorkspaces({ home: story.home, hostClock: systemClock, logger }, new AbortController().signal)
    expect(staged()).toEqual(['.upload-young'])
    utimesSync(young ?? '', new Date(0), new Date(0))
    await sweepWorkspaces({ home: story.home, hostClock: systemClock, logger }, new AbortController().signal)
  })

  test('outside of uploads/, whatever stands in its place', async () => {
    const id = await open('@ben:links', [], 'ben')
    expect((await put('ben', `${id}/a.txt`, 'a')).status).toBe(201)
    const outside = story.path('outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'victim.txt'), 'untouched')
    // A link in place of the file is replaced, not followed.
    symlinkSync(join(outside, 'victim.txt'), inUsers(id, 'b.txt'))
    expect((await put('ben', `${id}/b.txt`, 'b')).status).toBe(201)
    expect(lstatSync(inUsers(id, 'b.txt')).isSymbolicLink()).toBe(false)
    mkdirSync(inUsers(id, 'c.txt'))
    expect(await put('ben', `${id}/c.txt`, 'c')).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    // A link in place of uploads/ is not entered.
    await converse(story.as('ben'), id, 'run: rm -r uploads && ln -s /tmp uploads && echo done')
    expect(await put('ben', `${id}/d.txt`, 'd')).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    expect([readdirSync(outside), readFileSync(join(outside, 'victim.txt'), 'utf8')]).toEqual([
      ['victim.txt'],
      'untouched',
    ])
    expect((await filesOf('ben', id)).map(({ name }) => name)).toEqual(['b.txt', 'a.txt'])
    expect(staged()).toEqual([])
  })

  test('in a session that is deleted while it comes: it is gone, or was there before', async () => {
    const id = await open('cli:deleted')
    const slow = httpRequest(`${story.app.url}/files/${id}/late.txt`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${tokenOf('ada')}`, 'content-length': '8' },
    })
    const answered = once(slow, 'response') as Promise<[IncomingMessage]>
    slow.write('half')
    await vi.waitFor(() => expect(staged()).toHaveLength(1), PATIENCE)
    await story.as('ada').run(api.DeleteSessionDocument, { id })
    slow.end('full')
    const [response] = await answered
    expect([response.statusCode, await json(response)]).toMatchObject([404, { code: 'NOT_FOUND' }])
    expect([existsSync(workspacePath(story.home, id)), staged()]).toEqual([false, []])
    expect(await setAsideWorkspace(story.home, id)).toBeNull()
  })

  test('when the token goes while it comes', async () => {
    const id = await open('@ben:revoked', [], 'ben')
    const slow = httpRequest(`${story.app.url}/files/${id}/late.txt`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${tokenOf('ben')}`, 'content-length': '8' },
    })
    const answered = once(slow, 'response') as Promise<[IncomingMessage]>
    slow.write('half')
    await vi.waitFor(() => expect(staged()).toHaveLength(1), PATIENCE)
    await story.reconfigure(storyConfig().replace(tokenOf('ben'), 'another-token-for-the-story'))
    slow.end('full')
    const [response] = await answered
    response.resume()
    await story.reconfigure(storyConfig())
    expect([response.statusCode, await filesOf('ben', id), staged()]).toEqual([401, [], []])
  })

  test('beside many that one user sends slowly: those of others are taken', async () => {
    const id = await open('@ben:slow', ['cleo'], 'ben')
    let refused = 0
    const slow = Array.from({ length: 50 }, (_, index) => {
      const sending = httpRequest(`${story.app.url}/files/${id}/${index}.txt`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${tokenOf('ben')}`, 'content-length': '8' },
      })
      sending.on('response', ({ statusCode }) => (refused += statusCode === 503 ? 1 : 0)).on('error', () => undefined)
      sending.write('half')
      return sending
    })
    await vi.waitFor(() => expect(staged().length + refused).toBe(slow.length), PATIENCE)
    expect((await put('cleo', `${id}/cleo.txt`, 'c')).status).toBe(201)
    for (const sending of slow) sending.destroy()
    await vi.waitFor(() => expect(staged()).toEqual([]), PATIENCE)
    expect((await put('ben', `${id}/ben.txt`, 'b')).status).toBe(201)
  })

  test('beyond the quota of who opened the session, which counts it at once', async () => {
    await story.reconfigure(storyConfig({ toml: '[quotas]\nuser_workspaces_mib = 3\n' }))
    const id = await open('@cleo:quota', [], 'cleo')
    const other = await open('@cleo:other', [], 'cleo')
    const megabytes = (count: number): Uint8Array<ArrayBuffer> => new Uint8Array(count * 1024 * 1024)
    expect((await put('cleo', `${id}/two.bin`, megabytes(2))).status).toBe(201)
    const refused = await put('cleo', `${other}/two.bin`, megabytes(2))
    expect(refused).toEqual({
      status: 413,
      body: { code: 'LIMIT_EXCEEDED', problem: expect.stringContaining('2 of 3 MiB') },
    })
    expect(existsSync(workspacePath(story.home, other))).toBe(false)
    expect((await put('cleo', `${other}/half.bin`, megabytes(0.5))).status).toBe(201)
    await story.reconfigure(storyConfig())
  })
})

test('an attachment counts for the idempotency key, and a published file stands in the list beside it', async () => {
  const id = await open('cli:keys')
  await put('ada', `${id}/one.txt`, '1')
  const input = { sessionId: id, content: 'run: mkdir -p pub && echo made > pub/made.txt', idempotencyKey: 'k' }
  const first = await story.as('ada').run(api.SendWithFilesDocument, { input: { ...input, attachments: ['one.txt'] } })
  const again = await story.as('ada').run(api.SendWithFilesDocument, { input: { ...input, attachments: ['one.txt'] } })
  const other = await story.as('ada').run(api.SendWithFilesDocument, { input })
  expect([first, again, other].map(({ sendMessage }) => sendMessage)).toMatchObject([
    { duplicate: false },
    { duplicate: true },
    { __typename: 'ConflictRefusal' },
  ])
  await using watch = watchAll(story.as('ada'), id)
  await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TurnCompletedEvent')
  const page = await story.as('ada').run(api.SessionFilesDocument, { id, first: 1 })
  const after = page.session?.files.pageInfo.endCursor
  const next = await story.as('ada').run(api.SessionFilesDocument, { id, first: 1, after: after ?? null })
  const shown = [page, next].map(({ session }) => session?.files.edges.map(({ node }) => [node.origin, node.name]))
  expect(shown).toEqual([[['PUBLISHED', 'made.txt']], [['UPLOADED', 'one.txt']]])
  expect(page.session?.files.edges[0]?.node.url).toMatch(/\/pub\/pub_/)
  const entries = await sql<{ data: unknown }>(
    `SELECT data FROM audit_entries WHERE session_id = $1 AND data->>'change' = 'FILE_RECEIVED'`,
    id,
  )
  expect(entries).toEqual([{ data: { change: 'FILE_RECEIVED', detail: expect.stringMatching(/^file_\w+: 1 bytes$/) } }])
})

test('a page of a listed origin may send files, any other may not', async () => {
  const origin = 'https://app.example'
  await story.reconfigure(storyConfig({ settings: { cors_origins: [origin] } }))
  const ask = (from: string): Promise<Response> =>
    fetch(`${story.app.url}/files/a/b`, { method: 'OPTIONS', headers: { origin: from } })
  const [listed, unlisted] = [await ask(origin), await ask('https://evil.example')]
  expect([listed, unlisted].map(({ headers }) => headers.get('access-control-allow-methods'))).toEqual(['PUT', null])
  expect(listed.headers.get('access-control-allow-origin')).toBe(origin)
})

test('what an erased user had sent is gone from the workspaces, the list and the messages of others', async () => {
  const id = 'cli:erased'
  const source = { kind: 'cli', interactive: true, type: 'GROUP' } as const
  await story.as('ada').run(api.OpenSessionDocument, { input: { id, source, participants: ['ben'] } })
  for (const person of ['ben', 'ada'] as const)
    expect((await put(person, `${id}/${person}.txt`, person)).status).toBe(201)
  const input = { sessionId: id, content: 'Look', attachments: ['ben.txt', 'ada.txt'] }
  const { sendMessage } = await story.as('ada').run(api.SendWithFilesDocument, { input })
  expect(sendMessage.__typename).toBe('SendMessagePayload')
  await using watch = watchAll(story.as('ada'), id)
  await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TurnCompletedEvent')
  const { eraseUser } = await story.as('ada').run(api.EraseUserDocument, { input: { sessionId: id, user: 'ben' } })
  expect(eraseUser.__typename).toBe('EraseUserPayload')
  expect(['ben.txt', 'ada.txt'].map((name) => existsSync(inUsers(id, name)))).toEqual([false, true])
  expect((await filesOf('ada', id)).map(({ name }) => name)).toEqual(['ada.txt'])
  expect(await sql('SELECT attachments FROM messages WHERE session_id = $1', id)).toEqual([
    { attachments: ['ada.txt'] },
  ])
})

test('a file of an erased user is gone before the erasure is: nothing would come back to one that stayed', async () => {
  const id = 'cli:erased-first'
  const source = { kind: 'cli', interactive: true, type: 'GROUP' } as const
  await story.as('ada').run(api.OpenSessionDocument, { input: { id, source, participants: ['ben'] } })
  expect((await put('ben', `${id}/ben.txt`, 'ben')).status).toBe(201)
  const holder = new pg.Client({ connectionString: story.databaseUrl })
  await holder.connect()
  await holder.query('BEGIN; LOCK TABLE audit_entries IN EXCLUSIVE MODE')
  const erasing = story.as('ada').run(api.EraseUserDocument, { input: { sessionId: id, user: 'ben' } })
  // The lock keeps the erasure from its entry in the audit trail, and so from its commit.
  await expect.poll(() => existsSync(inUsers(id, 'ben.txt'))).toBe(false)
  const entries = "SELECT 1 FROM audit_entries WHERE session_id = $1 AND data ->> 'change' = 'USER_ERASED'"
  const before = await sql(entries, id)
  await holder.query('COMMIT')
  await holder.end()
  expect((await erasing).eraseUser.__typename).toBe('EraseUserPayload')
  expect([before.length, (await sql(entries, id)).length]).toEqual([0, 1])
})
