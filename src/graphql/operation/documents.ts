/** Documents: parsed, within limits and valid, or the reasons why not. What is valid is kept. */
import {
  getOperationAST,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  parse,
  Source,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql'
import { DocumentCache, type ParsedDocument } from './document-cache.ts'
import { IntrospectionCost } from './introspection-cost.ts'
import {
  checkDocument,
  checkSize,
  LIMITS,
  measureOperation,
  tooComplex,
  WHOLE_SCHEMA_COST,
  type OperationSize,
} from './operation-limits.ts'

/** More errors would only help a client that probes the schema. */
const MAX_ERRORS = 5

/** An operation that may be executed; variables are still as the client sent them. */
export interface ReadyOperation {
  readonly kind: 'ready'
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
}

export type PreparedOperation = ReadyOperation | { readonly kind: 'refused'; readonly errors: readonly GraphQLError[] }

export interface OperationParams {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
}

export class Documents {
  readonly #schema: GraphQLSchema
  readonly #introspectionCost: IntrospectionCost
  readonly #cache = new DocumentCache()
  #introspection: boolean

  constructor(schema: GraphQLSchema, introspection: boolean) {
    this.#schema = schema
    this.#introspectionCost = new IntrospectionCost(schema, WHOLE_SCHEMA_COST)
    this.#introspection = introspection
  }

  /** Whether clients may ask for the schema; forgets earlier verdicts when that changes. */
  set introspection(allowed: boolean) {
    if (allowed === this.#introspection) return
    this.#introspection = allowed
    this.#cache.clear()
  }

  prepare(params: OperationParams): PreparedOperation {
    const kept = this.#cache.get(params.query)
    const parsed = kept ?? parseWithinLimits(params.query)
    if (parsed instanceof GraphQLError) return refused(parsed)
    const { document } = parsed
    const operation = getOperationAST(document, params.operationName)
    // Measured before validation; so a document without the named operation is refused before it is validated.
    if (operation === null || operation === undefined) return refused(unknownOperation(params.operationName))
    const size = parsed.sizes.get(operation) ?? this.#measure(parsed, operation, params)
    const tooMuch = checkSize(size)
    if (tooMuch !== null) return refused(tooMuch)
    if (kept === null) {
      const errors = this.#validate(document)
      if (errors.length > 0) return { kind: 'refused', errors }
      this.#cache.keep(params.query, parsed)
    }
    return { kind: 'ready', document, operation }
  }

  #measure(parsed: ParsedDocument, operation: OperationDefinitionNode, { variables }: OperationParams): OperationSize {
    const { document } = parsed
    const introspection = this.#introspectionCost
    const size = measureOperation({ schema: this.#schema, document, operation, variables, introspection })
    if (!size.variableCost) parsed.sizes.set(operation, size)
    return size
  }

  #validate(document: DocumentNode): readonly GraphQLError[] {
    const rules = this.#introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule]
    const options = { maxErrors: MAX_ERRORS, hideSuggestions: !this.#introspection }
    return validate(this.#schema, document, rules, options).map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED'))
  }
}

/** Not validated yet. */
function parseWithinLimits(text: string): ParsedDocument | GraphQLError {
  if (Buffer.byteLength(text) > LIMITS.documentBytes) {
    return tooComplex(`a document of ${Buffer.byteLength(text)} bytes`, `${LIMITS.documentBytes} bytes`)
  }
  try {
    const document = parse(new Source(text), { maxTokens: LIMITS.tokens })
    return checkDocument(document) ?? { document, sizes: new Map() }
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    const tooLong = /more than \d+ tokens/.test(error.message)
    return withCode(error, tooLong ? 'QUERY_TOO_COMPLEX' : 'GRAPHQL_PARSE_FAILED')
  }
}

function unknownOperation(name: string | null): GraphQLError {
  const message =
    name === null
      ? 'The document holds no operation, or several: then name the one to run in "operationName".'
      : `The document holds no operation named "${name}".`
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })
}

function refused(error: GraphQLError): PreparedOperation {
  return { kind: 'refused', errors: [error] }
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
