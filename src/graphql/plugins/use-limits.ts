/** What one operation may ask for: depth, cost and the rest of operation-limits.ts, before it is validated. */
import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import type { DoorPlugin } from '../operation/caller.ts'
import { IntrospectionCost } from '../operation/introspection-cost.ts'
import {
  checkSize,
  isTooDeep,
  LIMITS,
  measureOperation,
  shownName,
  WHOLE_SCHEMA_COST,
  type OperationSize,
} from '../operation/operation-limits.ts'

export function useLimits(schema: GraphQLSchema): DoorPlugin {
  const introspection = new IntrospectionCost(schema, WHOLE_SCHEMA_COST)
  /** Where they do not depend on variables: a document that comes again is not measured again. */
  const sizes = new WeakMap<OperationDefinitionNode, OperationSize>()

  function sizeOf(document: DocumentNode, operation: OperationDefinitionNode, params: GraphQLParams): OperationSize {
    const known = sizes.get(operation)
    if (known !== undefined) return known
    const size = measureOperation({ schema, document, operation, variables: params.variables ?? {}, introspection })
    if (!size.variableCost) sizes.set(operation, size)
    return size
  }

  return {
    onParse({ context: { params }, extendContext }) {
      if (isTooDeep(params.variables)) throw tooDeep()
      return ({ result }) => {
        if (!isDocument(result)) return
        // Measured before validation; so a document without the named operation is refused before it is validated.
        const operation = getOperationAST(result, params.operationName)
        if (operation === null || operation === undefined) throw unknownOperation(params.operationName)
        const size = sizeOf(result, operation, params)
        const tooMuch = checkSize(size, operation.operation === OperationTypeNode.SUBSCRIPTION)
        if (tooMuch !== null) throw tooMuch
        extendContext({ cost: size.cost })
      }
    },
  }
}

/** Else it is why it could not be parsed. */
function isDocument(parsed: DocumentNode | Error | null): parsed is DocumentNode {
  return parsed !== null && !(parsed instanceof Error)
}

function tooDeep(): GraphQLError {
  const message = `The variables are nested deeper than ${LIMITS.jsonDepth} levels.`
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })
}

function unknownOperation(name: string | undefined): GraphQLError {
  const message =
    name === undefined
      ? 'The document holds no operation, or several: then name the one to run in "operationName".'
      : `The document holds no operation named "${shownName(name)}".`
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })
}
