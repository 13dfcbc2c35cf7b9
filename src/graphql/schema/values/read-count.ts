/** `Count`: a number that GraphQL's Int, which ends at 2^31, may be too small for. */
import { GraphQLError, Kind, type ConstValueNode } from 'graphql'
import { BugError } from '../../../platform/must.ts'

export function readCount(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new GraphQLError('A Count is a whole number from 0 to 9007199254740991.')
}

export function readCountLiteral(node: ConstValueNode): number {
  return readCount(node.kind === Kind.INT ? Number(node.value) : null)
}

/** As clients get it. Throws BugError for what no count is. */
export function writeCount(value: unknown): number {
  const count = typeof value === 'bigint' ? Number(value) : value
  if (typeof count !== 'number' || !Number.isSafeInteger(count)) throw new BugError(`no count: ${String(value)}`)
  return count
}
