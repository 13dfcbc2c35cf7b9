/**
 * The walk of ARCHITECTURE.md: the files that a reader opens who follows one message from `sendMessage` to the socket.
 * It leaves out none: each is reached from one that was opened before, by an import or through a port.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

/** What a layer reaches without an import: `name` is declared in the port, and app.ts puts the file behind it. */
const PORTS: Readonly<Record<string, { readonly port: string; readonly name: string }>> = {
  'src/worker/worker.ts': { port: 'src/intake/intake-context.ts', name: 'takeWith' },
  'src/events/feed.ts': { port: 'src/intake/intake-context.ts', name: 'published' },
}

const walk = /^## A walk\n([\s\S]*?)^One fact:/m.exec(readFileSync('ARCHITECTURE.md', 'utf8'))?.[1] ?? ''
const files = [...new Set(walk.match(/src\/[\w/.-]+\.ts/g))]

test('the walk passes at most 40 files, and says how many', () => {
  expect(files.length).toBeGreaterThan(20)
  expect(files.length).toBeLessThanOrEqual(40)
  expect(walk).toContain(` ${files.length} files,`)
})

test('it begins with the mutation and ends with the socket', () => {
  expect(files.at(0)).toBe('src/graphql/schema/message/mutations-of-messages.ts')
  expect(files.at(-1)).toBe('src/graphql/socket/socket-operation.ts')
})

test.each(files)('%s is there', (file) => {
  expect(existsSync(file)).toBe(true)
})

test.each(files.slice(1).filter((file) => PORTS[file] === undefined))('%s is reached from a file before it', (file) => {
  expect(before(file).filter((other) => isLinked(other, file))).not.toEqual([])
})

test.each(Object.entries(PORTS))(
  '%s is reached through a port that a file before it imports',
  (file, { port, name }) => {
    expect(before(file).filter((other) => importsOf(other).has(port))).not.toEqual([])
    for (const one of [port, file])
      expect(readFileSync(one, 'utf8')).toMatch(new RegExp(`\\b${name}\\b.*\\(|\\b${name}<`))
  },
)

/** And the one that stands in parentheses behind it, which leads to it. */
function before(file: string): string[] {
  return files.slice(0, files.indexOf(file) + 2).filter((other) => other !== file)
}

function isLinked(one: string, other: string): boolean {
  return importsOf(one).has(other) || importsOf(other).has(one)
}

function importsOf(file: string): ReadonlySet<string> {
  const text = readFileSync(file, 'utf8')
  return new Set([...text.matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) => normalize(join(dirname(file), path))))
}
