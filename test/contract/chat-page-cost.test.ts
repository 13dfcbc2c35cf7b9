/** The natural page of a chat costs well under the limit, at any size that a page may have. */
import { readFileSync } from 'node:fs'
import { getOperationAST, parse } from 'graphql'
import { expect, test } from 'vitest'
import { IntrospectionCost } from '../../src/graphql/operation/introspection-cost.ts'
import { LIMITS, measureOperation, WHOLE_SCHEMA_COST } from '../../src/graphql/operation/operation-limits.ts'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { must } from '../../src/platform/must.ts'

const document = parse(readFileSync(new URL('../documents/conversation.graphql', import.meta.url), 'utf8'))
const schema = buildSchema()
const introspection = new IntrospectionCost(schema, WHOLE_SCHEMA_COST)

function costOf(last: number): number {
  const operation = must(getOperationAST(document, 'ChatPage'), 'the page')
  return measureOperation({ schema, document, operation, variables: { last }, introspection }).cost
}

test('20 entries with turn, plans, tasks, reviews and files cost less than half of the limit', () => {
  expect(costOf(20)).toBeLessThan(LIMITS.cost / 2)
})

test('50 entries are still allowed', () => {
  expect(costOf(50)).toBeLessThan(LIMITS.cost)
})
