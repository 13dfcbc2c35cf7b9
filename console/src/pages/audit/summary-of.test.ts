import { expect, test } from 'vitest'
import type { AuditRowFragment } from '../../generated/graphql.ts'
import { fieldsOf, summaryOf } from './summary-of.ts'

const CALL: Extract<AuditRowFragment, { __typename: 'ModelCallAudit' }> = {
  __typename: 'ModelCallAudit',
  id: 'audit_1',
  at: '2026-11-30T06:00:00.000Z',
  kind: 'MODEL_CALL',
  sessionId: null,
  turnId: null,
  actor: { __typename: 'ServerPart', name: 'worker' },
  tokenName: null,
  role: 'planner',
  provider: 'openrouter',
  model: 'some/model',
  outcome: 'OK',
  inputTokens: 1_234_567,
  outputTokens: 8901,
  cachedTokens: 0,
  callMs: 4200,
  cost: null,
}

test('tokens are written with separators of thousands, in the line of an entry and below it', () => {
  const [read, written] = [(1_234_567).toLocaleString(), (8901).toLocaleString()]
  expect(read).not.toBe('1234567')
  expect(summaryOf(CALL)).toContain(`${read} + ${written} tokens`)
  expect(Object.fromEntries(fieldsOf(CALL))).toMatchObject({ 'input tokens': read, 'output tokens': written })
})
