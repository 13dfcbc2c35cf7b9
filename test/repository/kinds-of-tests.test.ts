/** Every test is run by CI once, and `npm test` stays quick: but for one, what starts servers is elsewhere. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import config from '../../vitest.config.ts'

const NOT_OURS = ['**/node_modules/**', 'bench/**', 'examples/**', 'packages/**']
/** What starts processes of servers and databases. */
const STARTS_PROCESSES = /(?:harness\/(?:cluster|server-process|small-disk-postgres|pg-bouncer)|storm-in-tests)\.ts'/
/** Every run kills servers, a few times. */
const KILLS = 'test/worker/killed-servers.pg.test.ts'

interface Kind {
  readonly name: string
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

const kinds: readonly Kind[] = (config.test?.projects ?? []).flatMap((project) => {
  if (typeof project !== 'object' || !('test' in project)) return []
  const { name, include = [], exclude = [] } = project.test ?? {}
  return typeof name === 'string' ? [{ name, include, exclude }] : []
})
const files = execFileSync('git', ['ls-files', '*.test.ts'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => !matchesAny(path, NOT_OURS))

function matchesAny(path: string, globs: readonly string[]): boolean {
  return globs.some((glob) => matchesGlob(path, glob))
}

function kindsOf(path: string): readonly string[] {
  const holding = kinds.filter(({ include, exclude }) => matchesAny(path, include) && !matchesAny(path, exclude))
  return holding.map(({ name }) => name)
}

function projectsIn(script: string): readonly string[] {
  return [...script.matchAll(/--project (\w+)/g)].flatMap(([, name = '']) => name)
}

test('every test file is of one kind', () => {
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((path) => kindsOf(path).length !== 1)).toEqual([])
})

test('CI runs every kind once', () => {
  const { test: quick, 'test:rest': rest } = packageJson.scripts
  expect([...projectsIn(quick), ...projectsIn(rest)].toSorted()).toEqual(kinds.map(({ name }) => name).toSorted())
  expect(readFileSync('.ci/run', 'utf8')).toMatch(/npm test\n(?:.*\n)*.*npm run test:rest\n/)
})

test('of what starts processes of servers, npm test has the kills alone', () => {
  const quick = new Set(projectsIn(packageJson.scripts.test))
  const slow = files.filter((path) => kindsOf(path).some((name) => quick.has(name)))
  expect(slow.filter((path) => STARTS_PROCESSES.test(readFileSync(path, 'utf8')))).toEqual([KILLS])
})
