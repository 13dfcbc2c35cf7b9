/** Every package of package.json has a row in ARCHITECTURE.md that says what it is for, and every row has a package. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { codes, tableRows } from './markdown-table.ts'

type Manifest = Readonly<Partial<Record<string, Readonly<Record<string, string>>>>>

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
const packages = ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
  Object.keys(manifest[kind] ?? {}),
)
const rows = tableRows(readFileSync('ARCHITECTURE.md', 'utf8'), 'package').flatMap(([cell = '']) => codes(cell))

test('each package has a row', () => {
  expect(packages.length).toBeGreaterThan(40)
  expect(packages.filter((name) => !rows.some((row) => names(row, name)))).toEqual([])
})

test('each row is of a package', () => {
  expect(rows.filter((row) => !packages.some((name) => names(row, name)))).toEqual([])
  expect(rows.length).toBe(new Set(rows).size)
})

/** A row may be of a whole scope: `@types/*`. */
function names(row: string, name: string): boolean {
  return row.endsWith('/*') ? name.startsWith(row.slice(0, -1)) : row === name
}
