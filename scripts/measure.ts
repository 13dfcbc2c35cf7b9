/**
 * `npm run measure`: the house in figures. Fails on what the house rules forbid and lint cannot see: cycles of imports
 * with types, a seam without a comment, a folder with too many files, a line that is too long.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { findCycles } from './measure/find-cycles.ts'
import { LAST_RUNS } from '../test/harness/slowest-files.ts'
import { MAX_COLUMNS, readModule, type ModuleFacts } from './measure/read-module.ts'

const MAX_FILES_PER_FOLDER = 20
const SOURCE = /^(src|console\/src|packages\/client\/src)\//
/** Folders whose exports others build upon, and `turn`, which is read most. */
const SEAMS = ['src/store', 'src/events', 'src/intake', 'src/execution', 'src/model', 'src/tools', 'src/plugins']
  .concat('src/turn', 'packages/client/src')
  .map((folder) => `${folder}/`)

const tracked = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter(existsSync)
const modules = tracked.map((path) => readModule(path, readFileSync(path, 'utf8')))
const isTestFile = ({ path }: ModuleFacts): boolean => path.startsWith('test/') || /\.test\.tsx?$/.test(path)
const source = modules.filter((module) => SOURCE.test(module.path) && !isTestFile(module))

const cycles = findCycles(new Map(source.map(({ path, imports }) => [path, imports])))
const folders = Map.groupBy(source, ({ path }) => dirname(path))
const crowded = [...folders].filter(([, files]) => files.length > MAX_FILES_PER_FOLDER)
const seams = source.filter(({ path }) => SEAMS.some((seam) => path.startsWith(seam)))
const missing = SEAMS.filter((seam) => !source.some(({ path }) => path.startsWith(seam)))
const exported = seams.flatMap(({ path, exported: names }) => names.map((name) => ({ path, ...name })))
const undocumented = exported.filter(({ documented }) => !documented)
const long = modules.filter(({ longLines }) => longLines > 0)

function sum(of: readonly ModuleFacts[], what: (module: ModuleFacts) => number): number {
  return of.reduce((total, module) => total + what(module), 0)
}

/** The value below which `share` of the numbers lie. */
function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Of the last runs here, as the tests' reporter left them. */
function secondsOfTests(): string {
  const runs = existsSync(LAST_RUNS) ? readdirSync(LAST_RUNS) : []
  const read = (name: string): string => {
    const { seconds, files } = JSON.parse(readFileSync(`${LAST_RUNS}/${name}`, 'utf8')) as Record<string, number>
    return `${name.replace('.json', '').replaceAll('-', ' + ')}: ${seconds} (${files} files)`
  }
  return runs.length === 0 ? 'not run here' : runs.map(read).join('; ')
}

const lengths = source.flatMap(({ functionLengths }) => functionLengths)
const fileLengths = source.map(({ lines }) => lines)
const duplicates = execFileSync('jscpd', ['--silent'], { encoding: 'utf8' })

const rows: readonly (readonly [string, string])[] = [
  ['files', `${source.length} of source, ${modules.length - source.length} of tests and scripts`],
  ['lines of source', `${sum(source, ({ lines }) => lines)}`],
  [
    'lines per file',
    `${quantile(fileLengths, 0.5)} median, ${quantile(fileLengths, 0.9)} p90, ${Math.max(...fileLengths)} max`,
  ],
  [
    'lines per function',
    [0.5, 0.9, 0.99, 1].map((share) => quantile(lengths, share)).join(' / ') +
      ` (median, p90, p99, max of ${lengths.length})`,
  ],
  [
    'casts, any, !',
    [sum(source, (m) => m.casts), sum(source, (m) => m.anys), sum(source, (m) => m.assertions)].join(', '),
  ],
  ['cycles of imports, with types', `${cycles.length}`],
  ['documented exports of seams', `${exported.length - undocumented.length} of ${exported.length}`],
  [
    'files per folder',
    `${Math.max(...[...folders.values()].map(({ length }) => length))} at most, in ${folders.size} folders`,
  ],
  ['duplicates', duplicates.trim().split('\n').at(-1) ?? ''],
  [
    'tests',
    `${sum(modules.filter(isTestFile), ({ tests }) => tests)} calls of test in ${modules.filter(isTestFile).length} files`,
  ],
  ['seconds of the tests', secondsOfTests()],
  [`lines over ${MAX_COLUMNS} columns`, `${sum(long, ({ longLines }) => longLines)} in ${long.length} files`],
]
const width = Math.max(...rows.map(([name]) => name.length))
for (const [name, value] of rows) process.stdout.write(`${name.padEnd(width)}  ${value}\n`)

const problems = [
  ...cycles.map((files) => `cycle: ${files.join(' → ')}`),
  ...missing.map((seam) => `${seam} is a seam, and has no file of source: it has moved`),
  ...crowded.map(([folder, files]) => `${folder} has ${files.length} files, at most ${MAX_FILES_PER_FOLDER}`),
  ...undocumented.map(({ path, name }) => `${path}: ${name} says nothing of what it does`),
  ...long.map(({ path, longLines }) => `${path}: ${longLines} lines over ${MAX_COLUMNS} columns`),
]
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
