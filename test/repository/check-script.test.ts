/** `npm run check` runs what CI runs, so that what passes here passes there. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

test('the script "check" has every script of .ci/run', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> }
  const named = (text: string): string[] =>
    [...text.matchAll(/npm (?:run (?:--silent )?([\w:-]+)|(test)\b)/g)].map(([, run, name]) => run ?? name ?? '')
  const inCi = named(await readFile('.ci/run', 'utf8'))
  expect(inCi).toContain('measure')
  expect(new Set(named(scripts['check'] ?? ''))).toEqual(new Set(['generate', ...inCi]))
})
