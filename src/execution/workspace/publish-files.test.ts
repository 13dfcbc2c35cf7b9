/** Publishing against a real file system: what is new, and what programs leave in pub/ to get at what is not theirs. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { publishedPath } from '../../store/files/published-bytes.ts'
import { listPub, openPubFile } from './pub-folder.ts'
import { MAX_PUBLISHED_FILES, publishNew, runAndPublish, type PublishPlace } from './publish-files.ts'
import type { Publication } from './publication.ts'
import { workspacePath } from './workspace.ts'

const SESSION = 'cli:test'
const SECRET = 'what nobody may have'
const EXITED = { kind: 'exited', exitCode: 0, stdout: '', stderr: '', truncated: false } as const

let home: string
let workspace: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'factotum-publish-')))
  workspace = workspacePath(home, SESSION)
  mkdirSync(join(workspace, 'pub'), { recursive: true })
  writeFileSync(join(home, 'secret'), SECRET)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function pub(...parts: string[]): string {
  return join(workspace, 'pub', ...parts)
}

function write(path: string, text: string): void {
  mkdirSync(dirname(pub(path)), { recursive: true })
  writeFileSync(pub(path), text)
}

/** Empty files, by names that bash expands. */
function touch(names: string): void {
  execFileSync('bash', ['--norc', '-c', `touch ${names}`], { cwd: pub() })
}

/** What is published when a program does this. */
async function publish(program: () => void, place: Partial<PublishPlace> = {}): Promise<Publication> {
  const before = listPub(workspace)
  program()
  return (await publishNew({ home, workspace, ...place }, before)) ?? { files: [], notes: [] }
}

function bytesOf({ files }: Publication): string[] {
  return files.map(({ id }) => readFileSync(publishedPath(home, id), 'utf8'))
}

describe('what is published', () => {
  test('is what is new or changed, once, in the order of the names', async () => {
    write('old.txt', 'old')
    const first = await publish(() => {
      write('b.txt', 'b')
      write('a/deep/x.txt', 'x')
    })
    expect(first.files.map(({ name, size }) => [name, size])).toEqual([
      ['a-deep-x.txt', 1],
      ['b.txt', 1],
    ])
    expect(bytesOf(first)).toEqual(['x', 'b'])
    expect(statSync(publishedPath(home, first.files[0]?.id ?? '')).mode & 0o777).toBe(0o600)
    expect(statSync(join(home, 'pub')).mode & 0o777).toBe(0o700)
    const second = await publish(() => {
      write('b.txt', 'B')
      utimesSync(pub('b.txt'), 1, 1)
      renameSync(pub('a/deep/x.txt'), pub('y.txt'))
      chmodSync(pub('old.txt'), 0o600)
    })
    expect(second.files.map(({ name }) => name)).toEqual(['b.txt', 'y.txt'])
    expect(await publish(() => {})).toEqual({ files: [], notes: [] })
    expect(bytesOf(first)).toEqual(['x', 'b'])
  })

  test('nothing, where there is no pub folder; everything, where a program makes it', async () => {
    rmSync(pub(), { recursive: true })
    expect(await publish(() => {})).toEqual({ files: [], notes: [] })
    expect((await publish(() => write('x', 'x'))).files).toMatchObject([{ name: 'x' }])
    expect(listPub(join(home, 'no such workspace'))).toEqual(new Map())
  })

  test('is told with how the program ended, unless it was cancelled or did not run', async () => {
    const place = { home, workspace }
    const exited = await runAndPublish(place, async () => {
      write('x', 'x')
      return EXITED
    })
    expect(exited).toMatchObject({ kind: 'exited', publication: { files: [{ name: 'x' }] } })
    expect(await runAndPublish(place, async () => EXITED)).toEqual(EXITED)
    const cancelled = { ...EXITED, kind: 'killed', cause: 'cancelled' } as const
    const outcome = await runAndPublish(place, async () => {
      write('y', 'y')
      return cancelled
    })
    expect(outcome).toEqual(cancelled)
  })

  test('what cannot be kept does not lose the outcome', async () => {
    writeFileSync(join(home, 'pub'), 'in the way')
    const { files, notes } = await publish(() => write('x', 'x'))
    expect(files).toEqual([])
    expect(notes).toEqual(['pub/x was not published: the server could not keep it.'])
  })
})

describe('what is refused', () => {
  const refusals: readonly (readonly [string, () => void, string])[] = [
    ['a link to a file', () => symlinkSync('/etc/passwd', pub('x')), 'it is a symbolic link, not a file'],
    [
      'a link to another session',
      () => symlinkSync('../../other/notes', pub('x')),
      'it is a symbolic link, not a file',
    ],
    ['a link to a folder', () => symlinkSync('/etc', pub('x')), 'it is a symbolic link, not a file'],
    ['a pipe', () => execFileSync('mkfifo', [pub('x')]), 'it is a pipe, not a file'],
    [
      'a hard link',
      () => linkSync(join(home, 'secret'), pub('x')),
      'it is a hard link: another name of it may lie elsewhere',
    ],
    ['what is hidden', () => write('.x', 'x'), 'what is hidden is not published'],
    ['what lies too deep', () => write(`${'x/'.repeat(9)}y`, 'y'), 'it lies more than 8 folders deep'],
    ['a sparse file', () => (write('x', ''), truncateSync(pub('x'), 2 ** 30)), '100 MiB together'],
    [
      'a name that is no text',
      () => writeFileSync(Buffer.concat([Buffer.from(pub('x')), Buffer.from([0xff])]), ''),
      'its name is not valid UTF-8',
    ],
  ]

  test.each(refusals)('%s', async (_what, program, problem) => {
    const { files, notes } = await publish(program)
    expect(files).toEqual([])
    expect(notes).toEqual([expect.stringContaining(problem)])
    expect(await publish(() => {})).toEqual({ files: [], notes: [] })
    expect(existsSync(join(home, 'pub')) ? readdirSync(join(home, 'pub')) : []).toEqual([])
  })

  test('a pub folder that is a link, or no folder', async () => {
    rmSync(pub(), { recursive: true })
    const linked = await publish(() => symlinkSync(home, pub()))
    expect(linked).toEqual({ files: [], notes: [expect.stringMatching(/^pub was not published: it is no folder/)] })
    rmSync(pub())
    const file = await publish(() => writeFileSync(pub(), ''))
    expect(file.notes).toEqual([expect.stringMatching(/^pub was not published: it is no folder/)])
  })

  test('more than 50 files, and more bytes than there is space for; the rest is published', async () => {
    const many = await publish(() => touch('f{0000..0999}'))
    expect(many.files).toHaveLength(MAX_PUBLISHED_FILES)
    expect(many.files[49]?.name).toBe('f0049')
    expect(many.notes).toHaveLength(21)
    expect(many.notes[0]).toBe('pub/f0050 was not published: a task publishes at most 50 files.')
    expect(many.notes[20]).toBe('930 more were not published.')
    rmSync(pub(), { recursive: true })
    const large = await publish(
      () => {
        write('a', '12345')
        write('b', '1234567')
        write('c', '12345')
      },
      { maxBytes: 10 },
    )
    expect(large.files.map(({ name }) => name)).toEqual(['a', 'c'])
    expect(readdirSync(join(home, 'pub'))).toHaveLength(52)
  })

  test('a folder that is too full to say what is new in it', async () => {
    const { files, notes } = await publish(() => touch('{1..1001}'))
    expect(files).toEqual([])
    expect(notes).toEqual([expect.stringContaining('it holds too many files')])
    expect(await publish(() => write('one-more', ''))).toEqual({ files: [], notes: [] })
  })

  test('names that would act up in a terminal are shown without what does it', async () => {
    const { notes } = await publish(() => symlinkSync('/', pub('a\u001B[2J\u202Eb')))
    expect(notes).toEqual(['pub/a\uFFFD[2J\uFFFDb was not published: it is a symbolic link, not a file.'])
  })
})

describe('a path that goes elsewhere', () => {
  test.each(['../../../secret', 'in/../../../../secret', '/etc/passwd', 'out/secret', ''])(
    'is not opened: %j',
    (path) => {
      mkdirSync(pub('in'))
      symlinkSync(home, pub('out'))
      expect(openPubFile(workspace, path)).toMatchObject({ problem: expect.any(String) })
    },
  )

  test('nor a link to another file of the workspace', () => {
    write('real', 'not under this name')
    symlinkSync('real', pub('link'))
    expect(openPubFile(workspace, 'link')).toEqual({ problem: 'it is a symbolic link, not a file' })
  })

  test('nor one that a program keeps exchanging for a link', async () => {
    write('x/secret', 'harmless')
    const swap = new Worker(SWAP, { eval: true, workerData: { pub: pub(), home } })
    await new Promise((resolve) => swap.once('message', resolve))
    const seen = new Map<string, number>()
    for (let count = 0; count < 5000; count += 1) {
      const opened = openPubFile(workspace, count % 2 === 0 ? 'x/secret' : 'y')
      const what = typeof opened === 'number' ? readFileSync(opened, 'utf8') : 'refused'
      if (typeof opened === 'number') closeSync(opened)
      seen.set(what, (seen.get(what) ?? 0) + 1)
    }
    await swap.terminate()
    expect([...seen.keys()]).toEqual(expect.arrayContaining(['harmless', 'refused']))
    expect(seen.has(SECRET)).toBe(false)
  })
})

/** Puts in turn the real thing and a link to what is secret into the place of `x` (a folder) and `y` (a file). */
const SWAP = `
const { workerData: { pub, home }, parentPort } = require('node:worker_threads')
const fs = require('node:fs')
fs.rmSync(pub + '/x', { recursive: true })
for (let turn = 0; ; turn += 1) {
  fs.symlinkSync(home, pub + '/x')
  fs.symlinkSync(home + '/secret', pub + '/y')
  fs.rmSync(pub + '/x')
  fs.rmSync(pub + '/y')
  fs.mkdirSync(pub + '/x')
  fs.writeFileSync(pub + '/x/secret', 'harmless')
  fs.writeFileSync(pub + '/y', 'harmless')
  fs.rmSync(pub + '/x', { recursive: true })
  fs.rmSync(pub + '/y')
  if (turn === 10) parentPort.postMessage('begun')
}
`
