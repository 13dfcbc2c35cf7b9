/** The codes that the client's types know are those that the server's errors have. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const CODE = /extensions: \{[^}]*code: '([A-Z_]+)'/g
/** Of event streams, and of persisted queries, which this client does not use. */
const OF_OTHER_CLIENTS = ['PERSISTED_QUERY_NOT_FOUND', 'RIGHTS_CHANGED', 'SLOW_CONSUMER']

test('an error of the server has a code that a page can compare with', () => {
  const known = readFileSync('packages/client/src/client-error.ts', 'utf8')
  const files = globSync('src/graphql/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  const codes = files.flatMap((file) => Array.from(readFileSync(file, 'utf8').matchAll(CODE), ([, code = '']) => code))
  expect(codes).toContain('UNAUTHENTICATED')
  const unknown = new Set(codes.filter((code) => !known.includes(`  | '${code}'\n`)))
  expect([...unknown].sort()).toEqual(OF_OTHER_CLIENTS)
})
