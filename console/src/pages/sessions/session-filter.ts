/** What the list of sessions shows, as it stands in the address. */
import type { SessionFilter, SessionStatus } from '../../generated/graphql.ts'

export const SHOWN = {
  all: 'All active',
  RUNNING: 'Running',
  AWAITING_APPROVAL: 'Needs approval',
  IDLE: 'Idle',
  INACTIVE: 'Put aside',
} as const

export type Shown = keyof typeof SHOWN

export function shownOf(search: URLSearchParams): Shown {
  const value = search.get('status') ?? 'all'
  return value in SHOWN ? (value as Shown) : 'all'
}

/** Equal filters are written equally: they are a key of the cache. */
export function filterOf(search: URLSearchParams): SessionFilter {
  const shown = shownOf(search)
  const text = (search.get('search') ?? '').trim()
  return {
    ...(shown === 'all' ? {} : { status: [shown satisfies SessionStatus] }),
    ...(text === '' ? {} : { search: text }),
  }
}
