/** What a page pays for the client: its bytes, minified and compressed, made of what frontends install. */
import { gzipSync } from 'node:zlib'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { CLIENT_VERSION } from '../../packages/client/src/client-version.ts'
import clientPackage from '../../packages/client/package.json' with { type: 'json' }
import serverPackage from '../../package.json' with { type: 'json' }

const dist = fileURLToPath(new URL('../../packages/client/dist', import.meta.url))

async function sizeOf(code: string): Promise<number> {
  const page = { name: 'page', resolveId: (id: string) => (id === 'page' ? `${dist}/page.js` : undefined) }
  const load = (id: string): string | undefined => (id === `${dist}/page.js` ? code : undefined)
  const made = await rolldown({ input: 'page', plugins: [{ ...page, load }], external: ['react'], platform: 'browser' })
  const { output } = await made.generate({ minify: true })
  const [entry] = output
  const first = output.filter(({ fileName }) => fileName === entry.fileName || entry.imports.includes(fileName))
  return first.reduce((bytes, chunk) => bytes + (chunk.type === 'chunk' ? gzipSync(chunk.code).length : 0), 0)
}

test.each([
  [
    'sessions, sending, views and events',
    "import { connect } from './connect.js'; globalThis.connect = connect",
    9_950,
  ],
  ['everything, with the session store and the lists', "export * from './connect.js'", 14_300],
  ['the hooks for React, without React', "export * from './react/react.js'", 7_700],
  ['an error alone', "import { ClientError } from './connect.js'; globalThis.error = ClientError", 1_000],
])('%s: %s', async (_what, code, limit) => {
  expect(await sizeOf(code)).toBeLessThan(limit)
})

test('it is of the version of its server', () => {
  expect([CLIENT_VERSION, clientPackage.version]).toEqual([serverPackage.version, serverPackage.version])
})
