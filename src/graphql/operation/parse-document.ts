/** Parses a document within the limits of its text, and gives errors of graphql-js a code. */
import { GraphQLError, parse, Source, type DocumentNode } from 'graphql'
import { checkDocument, LIMITS, tooComplex } from './operation-limits.ts'

/** Throws a GraphQLError with a code. The document is not validated yet. */
export function parseDocument(text: string): DocumentNode {
  if (Buffer.byteLength(text) > LIMITS.documentBytes) {
    throw tooComplex(`a document of ${Buffer.byteLength(text)} bytes`, `${LIMITS.documentBytes} bytes`)
  }
  const document = parsed(text)
  const tooMuch = checkDocument(document)
  if (tooMuch !== null) throw tooMuch
  return document
}

function parsed(text: string): DocumentNode {
  try {
    return parse(new Source(text), { maxTokens: LIMITS.tokens })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    const tooLong = /more than \d+ tokens/.test(error.message)
    throw withCode(error, tooLong ? 'QUERY_TOO_COMPLEX' : 'GRAPHQL_PARSE_FAILED')
  }
}

/** The same error with a code, if it has none. */
export function withCode(error: GraphQLError, code: string): GraphQLError {
  if (error.extensions['code'] !== undefined) return error
  const { message, nodes, source, positions, path, extensions } = error
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    path,
    extensions: { ...extensions, code },
    cause: error.cause,
  })
}
