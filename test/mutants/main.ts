/**
 * `npm run test:mutants`: see `usage`. Exit codes: 0 every mutant was noticed, 1 one survived or the run failed, 2
 * wrong usage.
 */
import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, styleText } from 'node:util'
import { systemClock } from '../../src/platform/clock.ts'
import { exitCodeOf, progressPrinter } from '../harness/long-run.ts'
import { mutate, type Mutant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

const usage = `npm run test:mutants -- [options]

Changes the product in one place at a time, in a copy, so that it breaks one of its promises, and runs the tests that must notice.
Prints the mutants that survive: none, or a promise has no proof.

  --only <text>   only mutants whose name holds the text; may be given several times
  --list          prints the mutants and the promises that they break
  --help          this`

const root = fileURLToPath(new URL('../..', import.meta.url))
/** What a copy needs to run tests. Everything else of the root is left out. */
const COPIED = [
  'src',
  'packages',
  'console',
  'test',
  'prisma',
  'scripts',
  'examples',
  'bench',
  'docs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vitest.config.ts',
  'schema.graphql',
]
/** A run of a mutant's tests that takes longer has noticed it: something waits for what will not come. */
const LIMIT_MS = 300_000
/** All tests that mutants name, once. */
const UNCHANGED_LIMIT_MS = 1_800_000

type Verdict = 'noticed' | 'survived' | 'broken'

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true }, list: { type: 'boolean' }, help: { type: 'boolean' } },
  })
  if (values.help === true) console.log(usage)
  const chosen = MUTANTS.filter(({ name }) => (values.only ?? ['']).some((text) => name.includes(text)))
  if (chosen.length === 0) throw new TypeError('--only names no mutant')
  if (values.list === true) for (const { name, promise } of chosen) console.log(`${name.padEnd(36)} ${promise}`)
  if (values.help === true || values.list === true) return 0

  const copy = await mkdtemp(join(tmpdir(), 'factotum-mutants-'))
  try {
    const isOurs = (path: string): boolean => basename(path) !== 'node_modules'
    for (const path of COPIED) await cp(join(root, path), join(copy, path), { recursive: true, filter: isOurs })
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    return (await passUnchanged(copy, chosen)) ? await runAll(copy, chosen) : 1
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** A test that fails anyway notices nothing. */
async function passUnchanged(copy: string, mutants: readonly Mutant[]): Promise<boolean> {
  const { code, output } = await vitest(copy, [...new Set(mutants.flatMap(({ tests }) => tests))], UNCHANGED_LIMIT_MS)
  if (code !== 0) console.log(`${output}\nThe tests fail without a change: no mutant was tried.`)
  return code === 0
}

async function runAll(copy: string, mutants: readonly Mutant[]): Promise<number> {
  const print = progressPrinter()
  const failed: Mutant[] = []
  for (const mutant of mutants) {
    const verdict = await run(copy, mutant)
    if (verdict !== 'noticed') failed.push(mutant)
    print(`${verdict === 'noticed' ? verdict : styleText('red', verdict)}  ${mutant.name}`)
  }
  for (const { name, promise, tests } of failed)
    console.log(`${styleText('red', name)}: ${promise} (${tests.join(', ')})`)
  console.log(`${mutants.length - failed.length} of ${mutants.length} mutants noticed, ${failed.length} survived`)
  return failed.length === 0 ? 0 : 1
}

/** `broken`: the tests did not run, so they prove nothing; a mutant must start, and fail an assertion or a wait. */
async function run(copy: string, mutant: Mutant): Promise<Verdict> {
  const path = join(copy, mutant.file)
  const text = await readFile(path, 'utf8')
  await writeFile(path, mutate(text, mutant))
  try {
    const { code, output } = await vitest(copy, mutant.tests, LIMIT_MS)
    if (code === 0) return 'survived'
    return code === null || /Tests\s.*\d+ failed/.test(output) ? 'noticed' : 'broken'
  } finally {
    await writeFile(path, text)
  }
}

interface Run {
  /** Null: it took longer than its limit, and was ended with all that it started. */
  readonly code: number | null
  readonly output: string
}

async function vitest(cwd: string, tests: readonly string[], limitMs: number): Promise<Run> {
  const child = spawn(join(root, 'node_modules/.bin/vitest'), ['run', '--bail=1', ...tests], {
    cwd,
    env: { ...process.env, NO_COLOR: '1', PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const cancelLimit = systemClock.after(limitMs, () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  cancelLimit()
  return { code, output }
}

process.exitCode = await exitCodeOf(main, usage)
