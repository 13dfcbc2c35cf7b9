/** What a client can make the server remember: memory stays bounded, whatever it sends. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { envelop } from 'graphql-yoga'
import { useDocuments } from '../../src/graphql/plugins/use-documents.ts'
import { useLimits } from '../../src/graphql/plugins/use-limits.ts'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { CONFIG } from './door-world.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const schema = buildSchema()
const config = parsedConfig()
const MB = 1024 * 1024

function parsedConfig(): Config {
  const parsed = parseConfig(CONFIG, { production: false })
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  return parsed.config
}

/** How much more memory is in use after `count` documents have been sent than after the first hundred. */
function growth(count: number, textOf: (n: number) => string): { readonly bytes: number; readonly ready: number } {
  const getEnveloped = envelop({ plugins: [useLimits(schema), useDocuments({ current: () => config })] })
  const send = (n: number): boolean => {
    const { parse, validate } = getEnveloped({ params: {} })
    try {
      return validate(schema, parse(textOf(n))).length === 0
    } catch {
      return false
    }
  }
  for (let n = 0; n < 100; n += 1) send(n)
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  let ready = 0
  for (let n = 100; n < count; n += 1) ready += send(n) ? 1 : 0
  collectGarbage()
  const bytes = process.memoryUsage().heapUsed - before
  // Still in use: else there would be nothing to measure.
  expect(send(0)).toBe(ready > 0)
  return { bytes, ready }
}

const letters = (n: number): string => n.toString(36).padStart(4, 'a').replace(/^\d/, 'z')

test.each([
  ['that name no field', (n: number) => `{${letters(n)}}`],
  ['that do not parse', (n: number) => `{${letters(n)}:`],
  [
    'that are too complex',
    (n: number) =>
      `{ sessions(first: 100) { edges { node { messages(first: ${n + 100}) { edges { node { id } } } } } } }`,
  ],
])('ten thousand documents %s leave nothing behind', (_name, textOf) => {
  const { bytes, ready } = growth(10_000, textOf)
  expect(ready).toBe(0)
  expect(bytes).toBeLessThan(8 * MB)
})

test.each([
  ['short', 18_000, (n: number) => `{ ${letters(n)}: viewer { role } }`],
  ['long', 1500, (n: number) => `{ viewer { ${letters(n)}: role ${'... { role } '.repeat(60)} } }`],
  ['of comments', 500, (n: number) => `{ ${letters(n)}: viewer { role } }${'#\n'.repeat(8000)}`],
])('valid documents that are %s are forgotten when there are too many', (_name, count, textOf) => {
  const { bytes, ready } = growth(count, textOf)
  expect(ready).toBe(count - 100)
  expect(bytes).toBeLessThan(48 * MB)
})
