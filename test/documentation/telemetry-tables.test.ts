/** docs/operations.md names the spans and metrics that a collector is sent, with all of their attributes. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MEASURES, SPANS } from '../../src/telemetry/spans.ts'
import { codes, tableRows } from '../repository/markdown-table.ts'

const page = readFileSync('docs/operations.md', 'utf8')

test('the spans', () => {
  const documented = tableRows(page, 'span').map(([name = '', , attributes = '']) => [codes(name), codes(attributes)])
  expect(documented).toEqual(Object.values(SPANS).map(({ name, attributes }) => [[name], [...attributes]]))
})

test('the metrics of the conventions', () => {
  const documented = tableRows(page, 'metric').map((cells) => cells.map(codes))
  expect(documented).toEqual(
    Object.values(MEASURES).map(({ name, unit, attributes }) => [[name], [unit], [...attributes]]),
  )
})
