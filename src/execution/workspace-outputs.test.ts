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
  writeFileSync(join(outside, 'outputs.json'), 'untouched')
  writeFileSync(join(outside, 'task_1.txt'), 'untouched')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const inWorkspace = (path: string): string => join(workspace, path)
const FILE = '.factotum/outputs/task_1.txt'

async function writeBoth(): Promise<void> {
  await writeOutputs(workspace, { list: '[1]', isFirstOfTurn: false })
  await saveOutput(workspace, FILE, 'whole')
}

const TRAPS: readonly (readonly [name: string, set: () => void])[] = [
  ['nothing', () => {}],
  ['a link in place of the folder', () => symlinkSync(outside, inWorkspace('.factotum'))],
  ['a link that leads nowhere', () => symlinkSync('/nowhere/at/all', inWorkspace('.factotum'))],
  ['a file in place of the folder', () => writeFileSync(inWorkspace('.factotum'), 'x')],
  ['a pipe in place of the folder', () => void execFileSync('mkfifo', [inWorkspace('.factotum')])],
  ['a closed folder', () => mkdirSync(inWorkspace('.factotum'), { mode: 0 })],
  [
    'links in place of the files',
    () => {
      mkdirSync(inWorkspace('.factotum/outputs'), { recursive: true })
      symlinkSync(join(outside, 'outputs.json'), inWorkspace('.factotum/outputs.json'))
      symlinkSync(join(outside, 'task_1.txt'), inWorkspace(FILE))
    },
  ],
  [
    'hard links in place of the files',
    () => {
      mkdirSync(inWorkspace('.factotum/outputs'), { recursive: true })
      linkSync(join(outside, 'outputs.json'), inWorkspace('.factotum/outputs.json'))
      linkSync(join(outside, 'task_1.txt'), inWorkspace(FILE))
    },
  ],
  [
    'a link in place of the inner folder',
    () => {
      mkdirSync(inWorkspace('.factotum'))
      symlinkSync(outside, inWorkspace('.factotum/outputs'))
    },
  ],
  [
    'full folders in place of the files',
    () => {
      mkdirSync(inWorkspace('.factotum/outputs.json/full'), { recursive: true })
      mkdirSync(inWorkspace(`${FILE}/full`), { recursive: true })
    },
  ],
  [
    'pipes in place of the files',
    () => {
      mkdirSync(inWorkspace('.factotum/outputs'), { recursive: true })
      execFileSync('mkfifo', [inWorkspace('.factotum/outputs.json'), inWorkspace(FILE)])
    },
  ],
]

test.each(TRAPS)('with %s there, both files are written, and nothing outside is touched', async (_name, set) => {
  set()
  await saveOutput(workspace, FILE, 'whole')
  expect(readFileSync(inWorkspace(FILE), 'utf8')).toBe('whole')
  await writeOutputs(workspace, { list: '[1]', isFirstOfTurn: false })
  expect(readFileSync(inWorkspace('.factotum/outputs.json'), 'utf8')).toBe('[1]')
  expect(lstatSync(inWorkspace('.factotum/outputs.json')).mode & 0o777).toBe(0o644)
  expect(readdirSync(outside).sort()).toEqual(['outputs.json', 'task_1.txt'])
  expect(readFileSync(join(outside, 'outputs.json'), 'utf8')).toBe('untouched')
  expect(readFileSync(join(outside, 'task_1.txt'), 'utf8')).toBe('untouched')
})

test('the first program of a turn finds nothing of an earlier turn', async () => {
  await writeBoth()
  await writeOutputs(workspace, { list: null, isFirstOfTurn: true })
  expect(readdirSync(workspace)).toEqual([])
})

test('what is removed is the link, not what it leads to', async () => {
  symlinkSync(outside, inWorkspace('.factotum'))
  await writeOutputs(workspace, { list: null, isFirstOfTurn: true })
  expect(readdirSync(workspace)).toEqual([])
  expect(readdirSync(outside)).toHaveLength(2)
})

test('no draft stays behind', async () => {
  await writeBoth()
  chmodSync(workspace, 0o700)
  expect(readdirSync(inWorkspace('.factotum')).sort()).toEqual(['outputs', 'outputs.json'])
})
