/** The code in docs/clients.md is the code that the clients' tests run. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** A block whose first line names the file that it is from. */
const BLOCK = /^```(?:ts|graphql)\n(?:\/\/|#) (\S+)\n([^]*?)^```$/gm

const blocks = [...readFileSync('docs/clients.md', 'utf8').matchAll(BLOCK)].map(([, path = '', code = '']) => ({
  path,
  code,
}))

test('every block names its file', () => {
  expect(blocks.length).toBeGreaterThan(5)
  expect(blocks).toHaveLength(readFileSync('docs/clients.md', 'utf8').match(/^```\w/gm)?.length ?? 0)
})

test.each(blocks)('$path', ({ path, code }) => {
  expect(readFileSync(path, 'utf8')).toContain(code)
})
