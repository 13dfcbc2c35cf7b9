/**
 * The documents that clients here are typed by: valid, and small enough for the door with every page at its default.
 */
import { Kind, OperationTypeNode, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { IntrospectionCost } from '../../src/graphql/operation/introspection-cost.ts'
import {
  checkDocument,
  checkSize,
  LIMITS,
  measureOperation,
  WHOLE_SCHEMA_COST,
} from '../../src/graphql/operation/operation-limits.ts'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { must } from '../../src/platform/must.ts'
import * as generated from '../generated/graphql.ts'

const schema = buildSchema()
const introspection = new IntrospectionCost(schema, WHOLE_SCHEMA_COST)
const documents = Object.entries(generated).filter(([name]) => name.endsWith('Document'))

test.each(documents)('%s', (_name, text) => {
  const document = parse(text.toString(), { maxTokens: LIMITS.tokens })
  expect(validate(schema, document)).toEqual([])
  expect(checkDocument(document)).toBeNull()
  const operation = must(
    document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION),
    'an operation',
  )
  const size = measureOperation({ schema, document, operation, variables: {}, introspection })
  expect(checkSize(size, operation.operation === OperationTypeNode.SUBSCRIPTION)).toBeNull()
})
