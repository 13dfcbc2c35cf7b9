/** What oxlint.config.ts relies on where it forbids imports across layers, and what ARCHITECTURE.md says of it. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { layers } from '../../oxlint.config.ts'
import { codes, tableRows } from './markdown-table.ts'

const BASE = ['platform', 'core', 'config', 'store', 'events', 'telemetry']

test('no file of src lies deeper than the rules of its layer reach', () => {
  const files = globSync('src/**/*.ts', { exclude: ['src/generated/**', 'packages/client/src/generated/**'] })
  expect(files.length).toBeGreaterThan(500)
  expect(files.filter((file) => file.split('/').length > 'src/layer/1/2/file.ts'.split('/').length)).toEqual([])
})

test('the layer table of ARCHITECTURE.md is the one that oxlint holds', () => {
  expect(documentedLayers()).toEqual(sorted(layers))
})

test('the layer table has a row for every folder of src', () => {
  const folders = globSync('src/*/').map((folder) => folder.replace(/^src\/|\/$/g, ''))
  expect(folders.filter((folder) => folder !== 'generated').toSorted()).toEqual(
    Object.keys(documentedLayers()).toSorted(),
  )
})

/** `base` stands for six layers, `x+` for x and all that its row allows. */
function documentedLayers(): Record<string, string[]> {
  const documented: Record<string, string[]> = {}
  for (const [folder = '', mayImport = ''] of tableRows(readFileSync('ARCHITECTURE.md', 'utf8'), 'folder')) {
    const [name = ''] = codes(folder)
    if (name.endsWith('.ts')) continue
    const words = mayImport.startsWith('–') ? [] : mayImport.split(', ')
    documented[name] = words.flatMap((word) => {
      if (word === 'base') return BASE
      const below = word.endsWith('+') ? word.slice(0, -1) : null
      return below === null ? [word] : [below, ...(documented[below] ?? [`an unknown row "${below}"`])]
    })
  }
  return sorted(documented)
}

function sorted(table: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(table).map(([name, allowed]) => [name, [...new Set(allowed)].toSorted()]))
}
