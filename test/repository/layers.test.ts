/** What oxlint.config.ts takes for granted where it forbids imports across layers. */
import { globSync } from 'node:fs'
import { expect, test } from 'vitest'

test('no file of src lies deeper than the rules of its layer reach', () => {
  const files = globSync('src/**/*.ts', { exclude: ['src/generated/**', 'src/client/generated/**'] })
  expect(files.length).toBeGreaterThan(500)
  expect(files.filter((file) => file.split('/').length > 'src/layer/1/2/file.ts'.split('/').length)).toEqual([])
})
