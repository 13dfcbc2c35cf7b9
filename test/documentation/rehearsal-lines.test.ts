/** docs/models.md has all lines that the rehearsal model understands, as README.md promises. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { REHEARSAL_GRAMMAR } from '../../src/model/rehearsal/rehearsal-grammar.ts'
import { packageFile } from '../../src/platform/package-file.ts'

test('each line of the grammar is on the page', () => {
  const page = readFileSync(packageFile('docs/models.md'), 'utf8')
  const words = [...REHEARSAL_GRAMMAR.matchAll(/^(?<word>[a-z]+[:?])/gm)].map((match) => match[0])
  expect(words).toContain('tool:')
  expect(words.filter((word) => !page.includes(`\`${word}`))).toEqual([])
})
