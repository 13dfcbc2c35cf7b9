/**
 * What the open subscriptions of one user may cost together, in one process. Each runs anew with each event, without
 * being counted or admitted again: enough of them would take the database from everybody with a single message.
 */
import { GraphQLError } from 'graphql'
import type { Viewer } from '../../core/identity.ts'
import { holderOf } from '../socket/connections.ts'
import { LIMITS } from './operation-limits.ts'

/** A connector follows the sessions of many people. */
const OF_A_CONNECTOR = 5

export class StandingCost {
  readonly #costs = new Map<string, number>()

  /** Counts a subscription until what is returned is called, which is repeatable; or says why it is too much. */
  take(viewer: Viewer, cost: number): (() => void) | GraphQLError {
    const holder = holderOf(viewer)
    const limit = LIMITS.standingCost * (viewer.tokenKind === 'CONNECTOR' ? OF_A_CONNECTOR : 1)
    if (this.#of(holder) + cost > limit) return tooMuch(limit)
    this.#costs.set(holder, this.#of(holder) + cost)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const left = this.#of(holder) - cost
      // What is left of sums of tenths is nothing.
      if (left < 0.01) this.#costs.delete(holder)
      else this.#costs.set(holder, left)
    }
  }

  #of(holder: string): number {
    return this.#costs.get(holder) ?? 0
  }
}

function tooMuch(limit: number): GraphQLError {
  const message = `Your open subscriptions may have a cost of ${limit} together: end some, or ask for less in each.`
  return new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED' } })
}
