/** Every operation counts against the rate of its token, before anything is parsed (rate-limit.ts). */
import { GraphQLError } from 'graphql'
import type { DoorPlugin } from '../operation/caller.ts'
import type { RateLimit } from '../operation/rate-limit.ts'

export function useRateLimit(rateLimit: Pick<RateLimit, 'take'>): DoorPlugin {
  return {
    onParse({ context: { caller } }) {
      const waitMs = rateLimit.take(caller.viewer.tokenName)
      if (waitMs > 0) throw rateLimited(waitMs)
    },
  }
}

function rateLimited(retryAfterMs: number): GraphQLError {
  const message = `Too many operations with this token; try again in ${Math.ceil(retryAfterMs / 1000)} s.`
  return new GraphQLError(message, { extensions: { code: 'RATE_LIMITED', retryAfterMs } })
}
