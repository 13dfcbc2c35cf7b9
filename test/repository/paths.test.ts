/** Paths that comments and documents name exist: a reader who follows one must not end nowhere. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/** A file of the project as prose names it: from the root, or from the file's own folder. */
const NAMED = /(?<![\w/.:*$}<>"'=-])(?:[\w.@-]+\/)*[\w.-]+\.(?:ts|md|graphql|sql|mjs|js|prisma)(?![\w/*(])/g

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n').filter(existsSync)
const baseNames = new Set(tracked.map((path) => path.replace(/^.*\//, '')))

/** Named in prose without being here: made by others, by a command, or by the reader. */
const ELSEWHERE = new Set([
  'modelcontextprotocol/server-filesystem/dist/index.js',
  'ipaddr.js',
  'run.js',
  'notes.md',
  'schema-of-last-release.graphql',
])
/** What an operator writes into FACTOTUM_HOME/roles. */
const ROLE_PROMPT =
  /^(?:\.factotum\/roles\/)?[a-z]+er\.md$|^curator\.md$|^assistant\.md$|^introspector\.md$|^consolidator\.md$/

test('the pattern finds what prose names, and no URL', () => {
  const prose = 'See src/turn/journal.ts, answer-gauge.ts (https://example.org/a.ts) and README.md.'
  expect(prose.match(NAMED)).toEqual(['src/turn/journal.ts', 'answer-gauge.ts', 'README.md'])
})

test.each([
  ['comments', tracked.filter((path) => /^(?:src|test|bench|scripts|examples)\/.*\.(?:ts|js)$/.test(path)), commentsOf],
  ['documents', tracked.filter((path) => /^(?:docs\/.*|[A-Z]+|bench\/README|examples\/.*)\.md$/.test(path)), whole],
] as const)('paths in %s exist', (_kind, files, proseOf) => {
  const missing = files.flatMap((file) =>
    namesIn(proseOf(readFileSync(file, 'utf8')))
      .filter((name) => !isThere(file, name))
      .map((name) => `${file}: ${name}`),
  )
  expect(missing).toEqual([])
})

function isThere(file: string, name: string): boolean {
  if (ELSEWHERE.has(name) || ROLE_PROMPT.test(name)) return true
  if (existsSync(name) || existsSync(join('src', name)) || existsSync(join(dirname(file), name))) return true
  return !name.includes('/') && baseNames.has(name)
}

function namesIn(prose: string): string[] {
  return [...prose.matchAll(NAMED)].map(([name]) => name)
}

function whole(text: string): string {
  return text
}

/** Without strings and code: lines of block comments and what stands behind `//`. */
function commentsOf(text: string): string {
  return [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<![:'"`\w])\/\/ .*$/gm)].map(([comment]) => comment).join('\n')
}
