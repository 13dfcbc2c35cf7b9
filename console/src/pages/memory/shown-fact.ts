/** A fact with what it said before and who was shown it. */
import type { FactQuery } from '../../generated/graphql.ts'

export type ShownFact = Extract<NonNullable<FactQuery['node']>, { __typename: 'Fact' }>
