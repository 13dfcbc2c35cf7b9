/**
 * Files that tasks publish: from pub/ to a link that serves them, safely, until they expire or their session is
 * deleted.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { Database } from '../../src/store/database.ts'
import { publishedPath } from '../../src/store/files/published-bytes.ts'
import { sweepPublishedFiles } from '../../src/store/files/sweep-published-files.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { addSkill } from '../harness/skills.ts'
import { converse, Story, storyConfig } from '../harness/story.ts'
import {
  DeleteSessionDocument,
  TaskFilesDocument,
  WatchFilesDocument,
  type TaskFilesQuery,
} from '../generated/graphql.ts'

const SECRET = 'first-half-second-half'

let story: Story
let database: Database
const logger = createLogger({ level: 'silent', pretty: false })
const log: string[] = []
beforeAll(async () => {
  const environment = { FACTOTUM_SKILL_REPORT_KEY: SECRET }
  story = await Story.begin({ environment, log: (line) => log.push(line) })
  addSkill(story.home, 'report', {
    manifest: 'run = "bin/report"\n',
    files: { 'bin/report': '#!/bin/sh\nmkdir -p pub && echo by a skill > pub/skill.md && echo done\n' },
  })
  database = new Database({ url: story.databaseUrl, maxConnections: 2, logger })
})
afterAll(async () => {
  await database.close()
  await story[Symbol.asyncDispose]()
})

type TaskWithFiles = NonNullable<TaskFilesQuery['task']>
type PublishedFile = TaskWithFiles['files'][number]

/** The task of a turn that runs this command. */
async function runAs(client: ApiClient, sessionId: string, command: string): Promise<TaskWithFiles> {
  const { tasks } = await converse(client, sessionId, `run: ${command}`)
  const { task } = await client.run(TaskFilesDocument, { id: tasks[0]?.id ?? '' })
  if (task == null) throw new Error('the task is gone')
  return task
}

async function publish(sessionId: string, name: string, text = 'hello'): Promise<PublishedFile> {
  const { files } = await runAs(story.as('ada'), sessionId, `mkdir -p pub && printf '%s' '${text}' > 'pub/${name}'`)
  const [file] = files
  if (file === undefined) throw new Error('nothing was published')
  return file
}

/** What lies in FACTOTUM_HOME/pub. */
function kept(): string[] {
  return readdirSync(story.path('pub')).sort()
}

const sweep = (): Promise<void> =>
  sweepPublishedFiles(
    { database, home: story.home, clock: systemClock, hostClock: systemClock, logger, metrics: createMetrics() },
    new AbortController().signal,
  )

describe('a file in pub/', () => {
  test('is told live with a link, is served to all who have it, and is gone when it has expired', async () => {
    const ada = story.as('ada')
    const task = await runAs(ada, 'cli:report', 'mkdir pub && echo All is well. > pub/report.txt && echo done')
    const [file] = task.files
    expect(task).toMatchObject({
      status: 'DONE',
      files: [{ name: 'report.txt', size: 13, contentType: 'text/plain; charset=utf-8' }],
    })
    expect(file?.url).toMatch(new RegExp(`^${story.app.url}/pub/pub_[0-9a-f]{32}$`))
    expect(file?.url).not.toContain('report')
    expect(Date.parse(String(file?.expiresAt)) - Date.parse(String(file?.createdAt))).toBe(30 * 86_400_000)
    // The reviewer and the messenger were told, too.
    expect(task.stderr).toBe(`Published report.txt (13 bytes): ${file?.url}`)
    await using watch = ada.watch(WatchFilesDocument, { sessionId: 'cli:report', after: 0 })
    const done = await watch.until(({ sessionEvents: event }) => 'task' in event && event.taskStatus === 'DONE')
    expect(done).toMatchObject({ sessionEvents: { task: { files: [file] } } })

    const response = await fetch(file?.url ?? '')
    expect([response.status, await response.text()]).toEqual([200, 'All is well.\n'])
    await database.query(
      { name: 't.expire', text: `UPDATE published_files SET expires_at = now() - interval '1 second' WHERE id = $1` },
      [file?.fileId],
    )
    const gone = await fetch(file?.url ?? '')
    const unknown = await fetch(`${story.app.url}/pub/pub_${'0'.repeat(32)}`)
    expect([gone.status, await gone.text()]).toEqual([404, await unknown.text()])
    const after = await ada.run(TaskFilesDocument, { id: task.id })
    expect(after.task?.files).toEqual([])
    expect(kept()).toContain(file?.fileId)
    await sweep()
    expect(kept()).not.toContain(file?.fileId)
  })

  test('is a copy: what later commands do to it changes nothing, and publishes the new one', async () => {
    const first = await publish('cli:copy', 'data.csv', 'a,b')
    const again = await runAs(story.as('ada'), 'cli:copy', 'ls pub; echo unchanged')
    expect(again).toMatchObject({ files: [], stderr: '' })
    const second = await publish('cli:copy', 'data.csv', 'c,d,e')
    expect(second.fileId).not.toBe(first.fileId)
    await runAs(story.as('ada'), 'cli:copy', 'rm -r pub')
    expect(await Promise.all([first, second].map(async ({ url }) => (await fetch(url)).text()))).toEqual([
      'a,b',
      'c,d,e',
    ])
  })

  test('of a sandboxed command is published as well, and never anything that a link leads to', async () => {
    await publish('cli:secret', 'other.txt', 'of another session')
    const links = 'ln -s /etc/passwd pub/passwd; ln -s ../../other pub/up; ln -s / pub/root; mkfifo pub/pipe'
    const task = await runAs(
      story.as('ben'),
      '@ben:links',
      `mkdir -p pub/a/b; echo mine > pub/a/b/c.txt; ${links}; true`,
    )
    expect(task).toMatchObject({ status: 'DONE', files: [{ name: 'a-b-c.txt', size: 5 }] })
    expect(task.stderr).toContain('pub/passwd was not published: it is a symbolic link, not a file.')
    expect(task.stderr).toContain('pub/up was not published: it is a symbolic link, not a file.')
    expect(task.stderr).toContain('pub/root was not published: it is a symbolic link, not a file.')
    expect(task.stderr).toContain('pub/pipe was not published: it is a pipe, not a file.')
    expect(await (await fetch(task.files[0]?.url ?? '')).text()).toBe('mine\n')
  })

  test('is published by a command that fails, too', async () => {
    const task = await runAs(story.as('ada'), 'cli:fails', 'mkdir pub; echo half > pub/log.txt; exit 3')
    expect(task).toMatchObject({ status: 'FAILED', files: [{ name: 'log.txt' }] })
  })

  test('of a skill is published as well', async () => {
    const { tasks } = await converse(story.as('ada'), 'cli:skill', 'skill: report {}')
    const { task } = await story.as('ada').run(TaskFilesDocument, { id: tasks[0]?.id ?? '' })
    expect(task).toMatchObject({
      status: 'DONE',
      files: [{ name: 'skill.md', contentType: 'text/markdown; charset=utf-8' }],
    })
  })

  test('is not published when it holds a secret', async () => {
    const write = "mkdir pub; printf '%s-%s' first-half second-half > pub/key.txt; echo fine > pub/fine.txt"
    const task = await runAs(story.as('ada'), 'cli:leak', write)
    expect(task.files.map(({ name }) => name)).toEqual(['fine.txt'])
    expect(task.stderr).toContain('key.txt was not published: it holds a secret')
  })

  test('goes with its session', async () => {
    const file = await publish('cli:deleted', 'x.txt')
    expect((await fetch(file.url)).status).toBe(200)
    await story.as('ada').run(DeleteSessionDocument, { id: 'cli:deleted' })
    expect((await fetch(file.url)).status).toBe(404)
    expect(kept()).not.toContain(file.fileId)
  })
})

describe('bytes and rows that have lost each other', () => {
  test('bytes without a row are swept up, but not before their row could have come', async () => {
    const file = await publish('cli:orphans', 'kept.txt')
    const [old, fresh] = [`pub_${'a'.repeat(32)}`, `pub_${'b'.repeat(32)}`]
    const write = `cp ${publishedPath(story.home, file.fileId)} ${story.path('pub', old)} && cp ${story.path('pub', old)} ${story.path('pub', fresh)}`
    await runAs(story.as('ada'), 'cli:orphans', write)
    await utimes(story.path('pub', old), new Date(0), new Date(0))
    await sweep()
    expect(kept()).toEqual(expect.arrayContaining([file.fileId, fresh].sort()))
    expect(kept()).not.toContain(old)
  })

  test('a row without bytes is answered with 404, and the log says what to do, without the key', async () => {
    const file = await publish('cli:lost', 'lost.txt')
    await runAs(story.as('ada'), 'cli:lost', `rm ${publishedPath(story.home, file.fileId)}`)
    expect((await fetch(file.url)).status).toBe(404)
    const line = log.find((entry) => entry.includes('cannot be served'))
    expect(line).toContain('FACTOTUM_HOME must be shared')
    expect(line).not.toContain(file.fileId)
  })
})

describe('the link', () => {
  test('serves with headers under which a file can do nothing in a browser', async () => {
    const file = await publish('cli:headers', 'Übersicht "1".html', '<script>alert(1)</script>')
    for (const url of [file.url, `${file.url}?inline`]) {
      const { headers } = await fetch(url)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-disposition': `attachment; filename="_bersicht _1_.html"; filename*=UTF-8''%C3%9Cbersicht%20_1_.html`,
        'content-length': '25',
        'content-security-policy': expect.stringContaining('sandbox'),
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-site',
        'referrer-policy': 'no-referrer',
        'cache-control': 'private, no-cache',
      })
    }
    const svg = await publish('cli:headers', 'x.svg', '<svg/>')
    const png = await publish('cli:headers', 'x.png', 'no png at all')
    const kindOf = async (url: string) => (await fetch(url)).headers.get('content-disposition')?.split(';')[0]
    expect(await Promise.all([`${svg.url}?inline`, `${png.url}?inline`, png.url].map(kindOf))).toEqual([
      'attachment',
      'inline',
      'attachment',
    ])
  })

  test('serves parts, HEAD, and what has not changed', async () => {
    const { url, fileId: id } = await publish('cli:parts', 'ten.txt', '0123456789')
    const ask = async (headers: Record<string, string>, method = 'GET') => {
      const response = await fetch(url, { headers, method })
      return [response.status, await response.text(), response.headers.get('content-range')]
    }
    expect(await ask({ range: 'bytes=2-4' })).toEqual([206, '234', 'bytes 2-4/10'])
    expect(await ask({ range: 'bytes=-2' })).toEqual([206, '89', 'bytes 8-9/10'])
    expect(await ask({ range: 'bytes=10-' })).toEqual([416, '', 'bytes */10'])
    expect(await ask({ range: 'bytes=2-4', 'if-range': '"another"' })).toEqual([200, '0123456789', null])
    expect(await ask({ 'if-none-match': `"${id}"` })).toEqual([304, '', null])
    expect(await ask({}, 'HEAD')).toEqual([200, '', null])
    expect(await ask({}, 'POST')).toEqual([405, expect.stringContaining('GET or HEAD'), null])
    const empty = await publish('cli:parts', 'empty.txt', '')
    expect((await fetch(empty.url)).headers.get('content-length')).toBe('0')
  })

  test.each([
    '',
    'x',
    '..',
    '%2e%2e/config.toml',
    '../config.toml',
    'pub_',
    `pub_${'g'.repeat(32)}`,
    `pub_${'0'.repeat(32)}/x`,
    `pub_${'0'.repeat(32)}%00`,
  ])('leads to nothing but published files: /pub/%s', async (path) => {
    // Not with fetch, which would resolve the dots itself: "/pub/.." is then a request for "/".
    const asked = request(story.app.url, { path: `/pub/${path}` }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    expect([400, 404]).toContain(response.statusCode)
    expect(await textOf(response)).not.toContain('token')
  })

  test('of a large file streams: a client that leaves in between costs nothing, and others get it whole', async () => {
    const write = 'mkdir pub; head -c 30000000 /dev/urandom > pub/large.bin; sha256sum < pub/large.bin >&2; exit 1'
    const { files, stderr } = await runAs(story.as('ada'), 'cli:large', write)
    const url = files[0]?.url ?? ''
    const abort = new AbortController()
    const left = await fetch(url, { signal: abort.signal })
    await left.body?.getReader().read()
    abort.abort()
    const whole = Buffer.from(await (await fetch(url)).arrayBuffer())
    expect([whole.length, files[0]?.size]).toEqual([30_000_000, 30_000_000])
    expect(stderr).toContain(createHash('sha256').update(whole).digest('hex'))
    const errors = log.filter((line) => JSON.parse(line).level >= 50 && !line.includes('cannot be served'))
    expect(errors).toEqual([])
  })

  test('begins with public_url; published_file_ttl = 0 keeps files for ever', async () => {
    await story.reconfigure(
      storyConfig({ settings: { public_url: 'https://agent.example.org/', published_file_ttl: 0 } }),
    )
    const file = await publish('cli:public', 'x.txt')
    expect(file.url).toBe(`https://agent.example.org/pub/${file.fileId}`)
    expect(file.expiresAt).toBeNull()
    await story.reconfigure(storyConfig())
  })
})
