import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../platform/logger.ts'
import { addSkill } from '../../../test/harness/skills.ts'
import { SkillCatalog } from './skill-catalog.ts'

let home: string
let lines: { folder?: string; msg?: string }[]
let catalog: SkillCatalog

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'factotum-skills-'))
  lines = []
  const logger = createLogger({ level: 'silent', pretty: false })
  logger.warn = (fields: unknown, msg?: string) =>
    void lines.push({ ...(fields as { folder: string }), msg: msg ?? '' })
  catalog = new SkillCatalog({ home, logger })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const names = (): string[] => [...catalog.scan().skills.keys()]
const problemOf = (folder: string): string | undefined =>
  catalog.scan().problems.find((problem) => problem.folder === folder)?.message

test('without a folder of skills there are none, and nothing is wrong', () => {
  expect(catalog.scan()).toEqual({ skills: new Map(), problems: [] })
})

describe('how a skill starts', () => {
  test.each([
    ['run.py', { 'run.py': '' }, '', { kind: 'PYTHON', file: 'run.py', hasVenv: false }],
    [
      'run.py with .venv',
      { 'run.py': '', '.venv/bin/python': '' },
      '',
      { kind: 'PYTHON', file: 'run.py', hasVenv: true },
    ],
    ['run.js', { 'run.js': '' }, '', { kind: 'NODE', file: 'run.js' }],
    ['a named script', { 'src/main.mjs': '' }, 'run = "src/main.mjs"', { kind: 'NODE', file: 'src/main.mjs' }],
    ['a named program', { 'bin/tool': '' }, 'run = "bin/tool"', { kind: 'PROGRAM', file: 'bin/tool' }],
  ])('%s', (...[, files, manifest, start]) => {
    addSkill(home, 'x', { files, manifest })
    expect(catalog.scan().skills.get('x')?.start).toEqual(start)
  })
})

test('skill.toml is read as kiso.toml is; where both are, kiso.toml holds', () => {
  const folder = addSkill(home, 'x', { files: { 'run.py': '' } })
  renameSync(join(folder, 'kiso.toml'), join(folder, 'skill.toml'))
  expect(names()).toEqual(['x'])
  writeFileSync(join(folder, 'kiso.toml'), '[kiso]\ntype = "skill"\nname = "y"\n[kiso.skill]\nsummary = "Y."')
  expect(names()).toEqual(['y'])
})

test('files beside the folders, hidden folders and those being installed are passed over', () => {
  mkdirSync(join(home, 'skills'))
  writeFileSync(join(home, 'skills/README.md'), '')
  addSkill(home, '.git', { files: { 'run.py': '' } })
  addSkill(home, 'coming', { files: { 'run.py': '', '.installing': '' } })
  expect(catalog.scan()).toEqual({ skills: new Map(), problems: [] })
})

test('of two skills with one name the first folder wins, and the other is reported', () => {
  const second = addSkill(home, 'b-folder', { files: { 'run.py': '' } })
  addSkill(home, 'a-folder', { files: { 'run.js': '' } })
  for (const folder of ['a-folder', 'b-folder']) {
    writeFileSync(
      join(home, 'skills', folder, 'kiso.toml'),
      '[kiso]\ntype = "skill"\nname = "same"\n[kiso.skill]\nsummary = "S."',
    )
  }
  expect(catalog.scan().skills.get('same')?.folder).toBe(join(home, 'skills/a-folder'))
  expect(problemOf('b-folder')).toContain('the one in a-folder is used')
  rmSync(second, { recursive: true })
  expect(catalog.scan().problems).toEqual([])
})

test('skills that would be given the secret of each other are not used until one is renamed', () => {
  const env = (key: string): string => `[kiso.skill.env]\n${key} = { required = true }`
  addSkill(home, 'web-search', { manifest: env('api-key'), files: { 'run.py': '' } })
  addSkill(home, 'web', { manifest: env('api_key'), files: { 'run.py': '' } })
  expect(names()).toEqual(['web', 'web-search'])
  const other = addSkill(home, 'web', { manifest: env('search_api_key'), files: {} })
  expect(names()).toEqual([])
  const both = 'both read FACTOTUM_SKILL_WEB_SEARCH_API_KEY'
  expect(problemOf('web')).toContain(`a secret of the skill "web-search": ${both}`)
  expect(problemOf('web-search')).toContain(`a secret of the skill "web": ${both}`)
  rmSync(other, { recursive: true })
  expect(names()).toEqual(['web-search'])
})

describe('a broken folder is reported and hurts no other', () => {
  beforeEach(() => void addSkill(home, 'good', { files: { 'run.py': '' } }))

  test.each<[name: string, breakIt: (folder: string) => void, problem: string]>([
    [
      'no manifest',
      (folder) => rmSync(join(folder, 'kiso.toml')),
      'It has no manifest: kiso.toml or skill.toml is missing.',
    ],
    ['no program', (folder) => rmSync(join(folder, 'run.py')), 'It has no program: it needs run.py or run.js'],
    ['a bad manifest', (folder) => writeFileSync(join(folder, 'kiso.toml'), '[kiso'), 'kiso.toml: is not valid TOML'],
    [
      'an endless manifest',
      (folder) => truncateSync(join(folder, 'kiso.toml'), 1e9),
      'must not be larger than 65536 bytes',
    ],
    [
      'a link as manifest',
      (folder) => {
        rmSync(join(folder, 'kiso.toml'))
        symlinkSync('/etc/passwd', join(folder, 'kiso.toml'))
      },
      'ELOOP',
    ],
    [
      'a pipe as manifest',
      (folder) => {
        rmSync(join(folder, 'kiso.toml'))
        execFileSync('mkfifo', [join(folder, 'kiso.toml')])
      },
      'must be a plain file',
    ],
    [
      'a link as program',
      (folder) => {
        rmSync(join(folder, 'run.py'))
        symlinkSync('/usr/bin/env', join(folder, 'run.py'))
      },
      'Its program, run.py, must be a plain file.',
    ],
    [
      'a program that is not executable',
      (folder) => {
        writeFileSync(join(folder, 'tool'), '')
        chmodSync(join(folder, 'tool'), 0o644)
        writeFileSync(
          join(folder, 'kiso.toml'),
          '[kiso]\ntype = "skill"\nname = "bad"\n[kiso.skill]\nsummary = "S."\nrun = "tool"',
        )
      },
      'chmod +x tool',
    ],
  ])('%s', (_name, breakIt, problem) => {
    breakIt(addSkill(home, 'bad', { files: { 'run.py': '' } }))
    expect(problemOf('bad')).toContain(problem)
    expect(names()).toEqual(['good'])
  })

  test('a link to a folder elsewhere', () => {
    const elsewhere = join(home, 'elsewhere')
    renameSync(addSkill(home, 'linked', { files: { 'run.py': '' } }), elsewhere)
    symlinkSync(elsewhere, join(home, 'skills/linked'))
    expect(problemOf('linked')).toContain('symbolic link')
    expect(names()).toEqual(['good'])
  })

  test('it is logged once, and again when it is another problem', () => {
    const folder = addSkill(home, 'bad', { files: { 'run.py': '' } })
    rmSync(join(folder, 'run.py'))
    for (let round = 0; round < 3; round += 1) catalog.scan()
    expect(lines).toEqual([expect.objectContaining({ folder: 'bad', msg: 'a skill cannot be used' })])
    rmSync(join(folder, 'kiso.toml'))
    catalog.scan()
    expect(lines).toHaveLength(2)
  })
})

test('a manifest that has changed is read again, also when its size has not', () => {
  const folder = addSkill(home, 'x', { manifest: 'args.a = { type = "int", default = 1 }', files: { 'run.py': '' } })
  expect(catalog.scan().skills.get('x')?.args[0]?.default).toBe(1)
  addSkill(home, 'x', { manifest: 'args.a = { type = "int", default = 2 }', files: {} })
  expect(catalog.scan().skills.get('x')?.args[0]?.default).toBe(2)
  rmSync(folder, { recursive: true })
  expect(names()).toEqual([])
})
