/** A fact with what it said before and what relied on it. */
import type { FactQuery } from '../../../generated/graphql.ts'

export type ShownFact = Extract<NonNullable<FactQuery['node']>, { __typename: 'Fact' }>
