/**
 * A row of a session refers to others of it, which exist as long as it does. An operation reads them in several
 * statements, and a session may be deleted between two of them: then a field that is never null finds nothing. That is
 * no bug, so it is answered as what it is.
 */
import {
  defaultFieldResolver,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  type GraphQLFieldResolver,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql'
import { goneError } from './still-there.ts'

/** Once per schema: fields from row to row that are never null fail with NOT_FOUND when the other row is gone. */
export function refuseGoneRows(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isRow(type)) continue
    for (const field of Object.values(type.getFields())) {
      if (leadsToRow(field.type)) field.resolve = orGone(field.resolve ?? defaultFieldResolver)
    }
  }
  return schema
}

function isRow(type: GraphQLNamedType): type is GraphQLObjectType {
  return isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node')
}

function leadsToRow(type: GraphQLOutputType): boolean {
  if (!isNonNullType(type)) return false
  const { ofType } = type
  return isInterfaceType(ofType) ? ofType.name === 'Node' : isObjectType(ofType) && isRow(ofType)
}

function orGone<Context>(resolve: GraphQLFieldResolver<unknown, Context>): GraphQLFieldResolver<unknown, Context> {
  const check = (value: unknown): unknown => {
    if (value == null) throw goneError()
    return value
  }
  return (...call) => {
    const value: unknown = resolve(...call)
    return value instanceof Promise ? value.then(check) : check(value)
  }
}
