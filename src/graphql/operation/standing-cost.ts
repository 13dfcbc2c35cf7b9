/**
 * What the open subscriptions of one user may cost together, in one process. Each runs anew with each event, without
 * being counted or admitted again: enough of them would take the database from everybody with a single message.
 */
import { GraphQLError } from 'graphql'
import type { Viewer } from '../../core/identity.ts'
import { limitOf, type Holdings } from './holdings.ts'
import { LIMITS } from './operation-limits.ts'

/** Counts a subscription until what is returned is called, which is repeatable; or says why it is too much. */
export function takeStanding(standing: Holdings, viewer: Viewer, cost: number): (() => void) | GraphQLError {
  const limit = limitOf(viewer, LIMITS.standingCost)
  return standing.of(viewer) + cost > limit ? tooMuch(limit) : standing.take(viewer, cost)
}

function tooMuch(limit: number): GraphQLError {
  const message = `Your open subscriptions may have a cost of ${limit} together: end some, or ask for less in each.`
  return new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED' } })
}
