/** The scalars that the API adds to GraphQL's own. */
import { Kind, type ConstValueNode } from 'graphql'
import { builder } from '../builder.ts'
import { readDateTime } from './read-date-time.ts'
import { MAX_JSON_BYTES, MAX_JSON_DEPTH, readJson, readJsonLiteral } from './read-json.ts'

builder.scalarType('DateTime', {
  description:
    'A moment: RFC 3339 in UTC with milliseconds, such as "2026-11-21T15:30:00.000Z". Input may use any time zone.',
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
