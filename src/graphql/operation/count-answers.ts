/**
 * Has every field that may hold a long value (texts, JSON) count it against the operation's budget while it is
 * resolved. Numbers, dates and ids are not worth it: how many there are is bounded by the operation's cost, and the
 * finished result is measured.
 */
import {
  defaultFieldResolver,
  getNamedType,
  isObjectType,
  isScalarType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
} from 'graphql'
import type { AnswerBudget } from './answer-budget.ts'

const SHORT: ReadonlySet<string> = new Set(['Int', 'Float', 'Boolean', 'ID', 'DateTime'])

/** What an operation's context carries; null or nothing: it is not counted. */
export interface Counted {
  readonly answer?: AnswerBudget | null
}

/** Once per schema. */
export function countAnswers(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      if (mayBeLong(field)) field.resolve = counting(field.resolve ?? defaultFieldResolver)
    }
  }
  return schema
}

function mayBeLong({ type }: GraphQLField<unknown, Counted>): boolean {
  const named = getNamedType(type)
  return isScalarType(named) && !SHORT.has(named.name)
}

function counting(resolve: GraphQLFieldResolver<unknown, Counted>): GraphQLFieldResolver<unknown, Counted> {
  return (...call) => {
    const [, , { answer }] = call
    if (answer === null || answer === undefined) return resolve(...call)
    answer.throwIfExceeded()
    const value: unknown = resolve(...call)
    return value instanceof Promise ? value.then((settled: unknown) => answer.count(settled)) : answer.count(value)
  }
}
