import type { SessionDetailsQuery } from '../../../generated/graphql.ts'

/** A session as its details show it. */
export type Details = NonNullable<SessionDetailsQuery['session']>
