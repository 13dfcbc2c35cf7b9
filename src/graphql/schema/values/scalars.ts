/** The scalars that the API adds to GraphQL's own. */
import { Kind, type ConstValueNode } from 'graphql'
import { builder } from '../builder.ts'
import { readCount, readCountLiteral, writeCount } from './read-count.ts'
import { readDateTime } from './read-date-time.ts'
import { MAX_JSON_BYTES, MAX_JSON_DEPTH, readJson, readJsonLiteral } from './read-json.ts'

builder.scalarType('DateTime', {
  description:
    'A moment: RFC 3339 in UTC with milliseconds, such as "2026-11-21T15:30:00.000Z". Input may use any time zone.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  coerceOutputValue: (date) => date.toISOString(),
  coerceInputValue: readDateTime,
  coerceInputLiteral: (node: ConstValueNode) => readDateTime(node.kind === Kind.STRING ? node.value : null),
})

builder.scalarType('JSON', {
  description: `Any JSON value. As input at most ${MAX_JSON_DEPTH} levels deep and ${MAX_JSON_BYTES} bytes long.`,
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  coerceOutputValue: (value) => value,
  coerceInputValue: readJson,
  coerceInputLiteral: readJsonLiteral,
})

builder.scalarType('Count', {
  description: 'A whole number from 0 to 9007199254740991 (2^53 - 1): counts and sizes that may exceed an Int.',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#nonNegativeInteger',
  coerceOutputValue: writeCount,
  coerceInputValue: readCount,
  coerceInputLiteral: readCountLiteral,
})

builder.scalarType('Decimal', {
  description: 'A decimal number as text, such as "0.0042", without an exponent: reading it as a double may round it.',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  coerceOutputValue: (text) => text,
})
