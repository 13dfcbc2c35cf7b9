/** What stands in the place of our files must not lead us out of the workspace. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { saveOutput, writeOutputs } from './workspace-outputs.ts'

let root: string
let workspace: string
let outside: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'factotum-outputs-'))
  workspace = join(root, 'workspace')
  outside = join(root, 'outside')
  mkdirSync(workspace)
  mkdirSync(outside)
  writeFileSync(join(outside, 'list.json'), 'untouched')
  writeFileSync(join(outside, 'task_1.txt'), 'untouched')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const inWorkspace = (path: string): string => join(workspace, path)
const FOLDER = '.factotum-outputs'
const LIST = `${FOLDER}/list.json`
const FILE = `${FOLDER}/task_1.txt`

async function writeBoth(): Promise<void> {
  await writeOutputs(workspace, { list: '[1]', files: [], isFirstOfTurn: false })
  await saveOutput(workspace, FILE, 'whole')
}

const TRAPS: readonly (readonly [name: string, set: () => void])[] = [
  ['nothing', () => {}],
  ['a link in place of the folder', () => symlinkSync(outside, inWorkspace(FOLDER))],
  ['a link that leads nowhere', () => symlinkSync('/nowhere/at/all', inWorkspace(FOLDER))],
  ['a file in place of the folder', () => writeFileSync(inWorkspace(FOLDER), 'x')],
  ['a pipe in place of the folder', () => void execFileSync('mkfifo', [inWorkspace(FOLDER)])],
  ['a closed folder', () => mkdirSync(inWorkspace(FOLDER), { mode: 0 })],
  [
    'links in place of the files',
    () => {
      mkdirSync(inWorkspace(FOLDER))
      symlinkSync(join(outside, 'list.json'), inWorkspace(LIST))
      symlinkSync(join(outside, 'task_1.txt'), inWorkspace(FILE))
    },
  ],
  [
    'hard links in place of the files',
    () => {
      mkdirSync(inWorkspace(FOLDER))
      linkSync(join(outside, 'list.json'), inWorkspace(LIST))
      linkSync(join(outside, 'task_1.txt'), inWorkspace(FILE))
    },
  ],
  [
    'full folders in place of the files',
    () => {
      mkdirSync(inWorkspace(`${LIST}/full`), { recursive: true })
      mkdirSync(inWorkspace(`${FILE}/full`), { recursive: true })
    },
  ],
  [
    'pipes in place of the files',
    () => {
      mkdirSync(inWorkspace(FOLDER))
      execFileSync('mkfifo', [inWorkspace(LIST), inWorkspace(FILE)])
    },
  ],
]

test.each(TRAPS)('with %s there, both files are written, and nothing outside is touched', async (_name, set) => {
  set()
  await saveOutput(workspace, FILE, 'whole')
  expect(readFileSync(inWorkspace(FILE), 'utf8')).toBe('whole')
  await writeOutputs(workspace, { list: '[1]', files: [], isFirstOfTurn: false })
  expect(readFileSync(inWorkspace(LIST), 'utf8')).toBe('[1]')
  expect(lstatSync(inWorkspace(LIST)).mode & 0o777).toBe(0o644)
  expect(readdirSync(outside).sort()).toEqual(['list.json', 'task_1.txt'])
  expect(readFileSync(join(outside, 'list.json'), 'utf8')).toBe('untouched')
  expect(readFileSync(join(outside, 'task_1.txt'), 'utf8')).toBe('untouched')
})

test('the first program of a turn finds nothing of an earlier turn', async () => {
  await writeBoth()
  await writeOutputs(workspace, { list: null, files: [], isFirstOfTurn: true })
  expect(readdirSync(workspace)).toEqual([])
})

test('files that are written with the list replace those of an earlier turn', async () => {
  await writeBoth()
  const files = [{ path: `${FOLDER}/task_2.txt`, text: 'of a tool' }]
  await writeOutputs(workspace, { list: '[2]', files, isFirstOfTurn: true })
  expect(readdirSync(inWorkspace(FOLDER)).sort()).toEqual(['list.json', 'task_2.txt'])
  expect(readFileSync(inWorkspace(`${FOLDER}/task_2.txt`), 'utf8')).toBe('of a tool')
})

test('what is removed is the link, not what it leads to', async () => {
  symlinkSync(outside, inWorkspace(FOLDER))
  await writeOutputs(workspace, { list: null, files: [], isFirstOfTurn: true })
  expect(readdirSync(workspace)).toEqual([])
  expect(readdirSync(outside)).toHaveLength(2)
})

test('no draft stays behind', async () => {
  await writeBoth()
  chmodSync(workspace, 0o700)
  expect(readdirSync(inWorkspace(FOLDER)).sort()).toEqual(['list.json', 'task_1.txt'])
})
