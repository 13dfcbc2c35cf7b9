/** What people read is in the field's words: comments, log lines, titles of tests, descriptions and docs. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { parseSync, type CallExpression, type Node } from 'oxc-parser'
import { expect, test } from 'vitest'

const CONTRIBUTING = readFileSync('CONTRIBUTING.md', 'utf8')
const FOLDERS = ['src', 'console/src', 'packages/client/src', 'scripts', 'test', 'bench']

/** The words in quotes behind the name of this test. */
function ruledOut(): readonly string[] {
  const [, list = ''] = /test\/repository\/words\.test\.ts` holds:([^.]*)\./.exec(CONTRIBUTING) ?? []
  return [...list.matchAll(/"([^"]+)"/g)].map(([, word = '']) => word)
}

interface Text {
  readonly start: number
  readonly end: number
}

/** The words of one name each in quotes, which none of our own names has as a part. */
function ruledOutOfNames(): readonly string[] {
  const [, list = ''] = /Nor is a name in code,[^"]* made of\s([^.;]*)[.;]/.exec(CONTRIBUTING) ?? []
  return [...list.matchAll(/"([^"]+)"/g)].map(([, word = '']) => word)
}

/** Without generators: a yield passes through each level of the tree. */
function callsIn(value: unknown, into: CallExpression[]): CallExpression[] {
  if (typeof value !== 'object' || value === null) return into
  if ('type' in value && value.type === 'CallExpression') into.push(value as CallExpression)
  for (const item of Object.values(value)) callsIn(item, into)
  return into
}

const LEVELS = new Set(['debug', 'info', 'warn', 'error', 'fatal'])
const TESTS = new Set(['test', 'describe'])

/** `test(…)`, `test.each(…)(…)`, `logger.warn(…)`. */
function saysSomething(callee: Node): boolean {
  switch (callee.type) {
    case 'Identifier':
      return TESTS.has(callee.name)
    case 'CallExpression':
      return saysSomething(callee.callee)
    case 'TaggedTemplateExpression':
      return saysSomething(callee.tag)
    case 'MemberExpression':
      return (callee.property.type === 'Identifier' && LEVELS.has(callee.property.name)) || saysSomething(callee.object)
    default:
      return false
  }
}

/** Names in camelCase, in CAPITALS_LIKE_THESE, and paths. */
function wordsOf(name: string): string[] {
  return name.split(/[_./-]|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase())
}

function namesIn(value: unknown, into: Set<string>): Set<string> {
  if (typeof value !== 'object' || value === null) return into
  if ('type' in value && (value.type === 'Identifier' || value.type === 'PrivateIdentifier'))
    into.add((value as unknown as { name: string }).name)
  for (const item of Object.values(value)) namesIn(item, into)
  return into
}

function* textsOf(path: string): Generator<Text & { readonly text: string }> {
  const text = readFileSync(path, 'utf8')
  const { program, comments } = parseSync(path, text)
  const said = callsIn(program, [])
    .filter(({ callee }) => saysSomething(callee))
    .flatMap((call) => call.arguments.filter(({ type }) => type === 'Literal' || type === 'TemplateLiteral'))
  for (const { start, end } of [...comments, ...said]) yield { start, end, text: text.slice(start, end) }
}

function filesOf(...patterns: readonly string[]): string[] {
  const files = execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
  return files.trim().split('\n').filter(existsSync)
}

function forbiddenWords(): RegExp {
  const words = ruledOut()
  expect(words).toContain('somebody')
  return new RegExp(String.raw`\b(${words.join('|')})\b`, 'i')
}

test('no comment, log line or title of a test has a word that is ruled out', () => {
  const forbidden = forbiddenWords()
  const found = filesOf(...FOLDERS.map((folder) => `${folder}/*.ts*`))
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => [...textsOf(path)].map(({ text }) => ({ path, word: forbidden.exec(text)?.[0] })))
    .filter(({ word }) => word !== undefined)
  expect(found).toEqual([])
})

test('nor has a description of the schema, a comment of the tables, or a page', () => {
  const forbidden = forbiddenWords()
  const pages = ['docs/*.md', 'docs/**/*.md', 'README.md', 'bench/*.md']
  const found = filesOf('schema.graphql', 'prisma/schema.prisma', ...pages).flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .map((line, index) => ({ path, line: index + 1, word: forbidden.exec(line)?.[0] }))
      .filter(({ word }) => word !== undefined),
  )
  expect(found).toEqual([])
})

test('no name in code, and no path of the product, is made of a word that says another thing in this field', () => {
  const forbidden = ruledOutOfNames()
  expect(forbidden).toContain('keeper')
  const paths = filesOf(...FOLDERS.map((folder) => `${folder}/*.ts*`)).filter(
    (path) => /\.tsx?$/.test(path) && !path.includes('/generated/'),
  )
  const found = paths
    .flatMap((path) => [
      ...namesIn(parseSync(path, readFileSync(path, 'utf8')).program, new Set()),
      ...(/^(?:test|bench)\//.test(path) ? [] : [path]),
    ])
    .filter((name) => wordsOf(name).some((word) => forbidden.includes(word)))
  expect(found).toEqual([])
})
