import { expect, test } from 'vitest'
import type { SketchIndexState } from '../../store/embeddings/sketch-index.ts'
import { describeSketchIndex } from './check-sketch-index.ts'

const NEW: SketchIndexState = {
  created: null,
  available: '0.8.6',
  mayCreate: true,
  index: 'NONE',
  isWorthwhile: true,
}

test.each<[Partial<SketchIndexState>, RegExp, RegExp]>([
  [{ created: '0.8.6', index: 'READY' }, /^OK .* an index of pgvector 0\.8\.6\./, /^none$/],
  [
    { available: null, isWorthwhile: false },
    /^OK .*comparing all in reach; the server has no pgvector, and needs/,
    /^none$/,
  ],
  [
    { available: null },
    /^WARN .*takes long with so many; the server has no pgvector/,
    /Install pgvector 0\.7 or later/,
  ],
  [{ created: '0.6.2' }, /^WARN .*pgvector 0\.6\.2 is too old/, /ALTER EXTENSION vector UPDATE/],
  [{ mayCreate: false }, /^WARN .*this role may not create pgvector/, /CREATE EXTENSION vector/],
  [{ isWorthwhile: false }, /^OK .*from 10000 vectors on, pgvector 0\.8\.6 makes an index/, /^none$/],
  [{}, /^WARN .*pgvector 0\.8\.6 is not made yet/, /within minutes/],
  [{ created: '1.0', index: 'NOT_WHOLE' }, /^WARN .*pgvector 1\.0 is being made, or was cut off/, /within minutes/],
])('what a database has is said with what to do: %o', (state, says, fix) => {
  const found = describeSketchIndex({ ...NEW, ...state })
  expect(`${found.verdict} ${found.says}`).toMatch(says)
  expect(found.fix ?? 'none').toMatch(fix)
})
