import type { ApprovalCardQuery } from '../../../generated/graphql.ts'

/** An approval as its card shows it. */
export type Asked = Extract<NonNullable<ApprovalCardQuery['node']>, { readonly kind: unknown }>
