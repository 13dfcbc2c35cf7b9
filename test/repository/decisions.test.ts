/** docs/decisions and ARCHITECTURE.md stay short enough to be read, and every decision can be found. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const SECTIONS = ['Context', 'Decision', 'Consequences', 'Measured', 'Reconsider when']
const architecture = readFileSync('ARCHITECTURE.md', 'utf8')
const pages = globSync('docs/decisions/[0-9]*.md').toSorted()

test('decisions are numbered without gaps', () => {
  expect(pages.length).toBeGreaterThan(20)
  expect(pages.map((page) => Number(page.slice('docs/decisions/'.length).slice(0, 4)))).toEqual(
    pages.map((_, i) => i + 1),
  )
})

test.each(pages)('%s has every section, and something in each', (page) => {
  const [, ...sections] = readFileSync(page, 'utf8').split(/^## /m)
  expect(sections.map((section) => section.split('\n')[0])).toEqual(SECTIONS)
  expect(sections.filter((section) => section.split('\n').slice(1).join('').trim() === '')).toEqual([])
})

test.each([
  ['docs/decisions/README.md', readFileSync('docs/decisions/README.md', 'utf8'), ''],
  ['ARCHITECTURE.md', architecture, 'docs/decisions/'],
])('%s links to each decision once', (_document, text, folder) => {
  const linked = [...text.matchAll(/\]\(([^)]*\d{4}-[^)]*\.md)\)/g)].map(([, target = '']) => target)
  expect(linked.toSorted()).toEqual(pages.map((page) => folder + page.slice('docs/decisions/'.length)))
})

test('ARCHITECTURE.md has at most 200 lines', () => {
  expect(architecture.trimEnd().split('\n').length).toBeLessThanOrEqual(200)
})
