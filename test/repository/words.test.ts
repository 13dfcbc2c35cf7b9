/** Comments, log lines and titles of tests are in the field's words: none has one that CONTRIBUTING.md rules out. */
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

function* textsOf(path: string): Generator<Text & { readonly text: string }> {
  const text = readFileSync(path, 'utf8')
  const { program, comments } = parseSync(path, text)
  const said = callsIn(program, [])
    .filter(({ callee }) => saysSomething(callee))
    .flatMap((call) => call.arguments.filter(({ type }) => type === 'Literal' || type === 'TemplateLiteral'))
  for (const { start, end } of [...comments, ...said]) yield { start, end, text: text.slice(start, end) }
}

test('none of them has a word that is ruled out', () => {
  const words = ruledOut()
  expect(words).toContain('somebody')
  const forbidden = new RegExp(String.raw`\b(${words.join('|')})\b`, 'i')
  const files = execFileSync('git', ['ls-files', ...FOLDERS.map((folder) => `${folder}/*.ts*`)], { encoding: 'utf8' })
  const found = files
    .trim()
    .split('\n')
    .filter((path) => /\.tsx?$/.test(path) && existsSync(path))
    .flatMap((path) => [...textsOf(path)].map(({ text }) => ({ path, word: forbidden.exec(text)?.[0] })))
    .filter(({ word }) => word !== undefined)
  expect(found).toEqual([])
})
