import { format } from 'prettier'
import { expect, test } from 'vitest'
import { configurationReference } from './configuration-reference.ts'
import { performancePage } from './performance-page.ts'

test('docs/configuration.md is what the schemas say', async () => {
  const page = await format(configurationReference(), { parser: 'markdown', printWidth: 120 })
  expect(page).toContain('max_concurrent_turns')
  expect(page).not.toMatch(/\|\s+\|$/m)
  await expect(page).toMatchFileSnapshot('../../docs/configuration.md')
})

test('docs/performance.md has the figures of bench/README.md', async () => {
  const page = await format(performancePage(), { parser: 'markdown', printWidth: 120 })
  expect(page).not.toMatch(/undefined|\|\s+\|$/m)
  await expect(page).toMatchFileSnapshot('../../docs/performance.md')
})
