/**
 * Documents: parsed, within limits and valid, or the reasons why not. Clients send the same few again and again, so the verdict
 * is kept, for bad ones too; the cache is bounded by the length of its texts.
 */
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

const MAX_CACHED_TEXT = 4 * 1024 * 1024
/** More would only help somebody who probes the schema. */
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

interface ParsedDocument {
  readonly text: string
  readonly document: DocumentNode
  /** Sizes of its operations, where they do not depend on variables. */
  readonly sizes: Map<OperationDefinitionNode, OperationSize>
  /** Validation is put off until an operation of the document is known to be within limits. */
  validationErrors: readonly GraphQLError[] | null
}

export class Documents {
  readonly #schema: GraphQLSchema
  readonly #introspectionCost: IntrospectionCost
  /** In order of use, oldest first. */
  readonly #cache = new Map<string, ParsedDocument | GraphQLError>()
  #cachedText = 0
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
    this.#cachedText = 0
  }

  prepare(params: OperationParams): PreparedOperation {
    const parsed = this.#parsed(params.query)
    if (parsed instanceof GraphQLError) return refused(parsed)
    const { document } = parsed
    const operation = getOperationAST(document, params.operationName)
    // Measured before validation; so a document without the named operation is refused before it is validated.
    if (operation === null || operation === undefined) return refused(unknownOperation(params.operationName))
    const size = parsed.sizes.get(operation) ?? this.#measure(parsed, operation, params)
    const tooMuch = checkSize(size)
    if (tooMuch !== null) return refused(tooMuch)
    parsed.validationErrors ??= this.#validate(document)
    if (parsed.validationErrors.length > 0) return { kind: 'refused', errors: parsed.validationErrors }
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

  #parsed(text: string): ParsedDocument | GraphQLError {
    const known = this.#cache.get(text)
    if (known !== undefined) {
      this.#cache.delete(text)
      this.#cache.set(text, known)
      return known
    }
    // Too long to parse is too long to keep.
    if (Buffer.byteLength(text) > LIMITS.documentBytes) {
      return tooComplex(`a document of ${Buffer.byteLength(text)} bytes`, `${LIMITS.documentBytes} bytes`)
    }
    const parsed = parseWithinLimits(text)
    this.#keep(text, parsed)
    return parsed
  }

  #keep(text: string, parsed: ParsedDocument | GraphQLError): void {
    this.#cache.set(text, parsed)
    this.#cachedText += text.length
    for (const oldest of this.#cache.keys()) {
      if (this.#cachedText <= MAX_CACHED_TEXT) break
      this.#cache.delete(oldest)
      this.#cachedText -= oldest.length
    }
  }
}

function parseWithinLimits(text: string): ParsedDocument | GraphQLError {
  try {
    const document = parse(new Source(text), { maxTokens: LIMITS.tokens })
    return checkDocument(document) ?? { text, document, sizes: new Map(), validationErrors: null }
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
