/**
 * What the raw log holds, and what becomes of it. Bounded, without a gap: of what is beyond, the oldest go. While it is
 * paused, what comes is held back, and older ones can be read nevertheless.
 */
import type { SessionEvent } from '@factotum/client'

export interface LogState {
  readonly events: readonly SessionEvent[]
  /** What has come since it was paused; null: it is not. */
  readonly held: readonly SessionEvent[] | null
  /** There are older ones, and there is place for them. */
  readonly hasOlder: boolean
  readonly problem: string | null
}

/** So many are shown, and held back, at most. */
export const MOST_EVENTS = 3000

/** Before it is read. */
export const EMPTY_LOG: LogState = { events: [], held: null, hasOlder: false, problem: null }

/** With a page of those before the oldest; `hasMore`: there are others before these. */
export function withOlder(state: LogState, older: readonly SessionEvent[], hasMore: boolean): LogState {
  const events = newestOf([...older, ...state.events])
  return { ...state, events, hasOlder: hasMore && events.length < MOST_EVENTS }
}

/** With what has come, shown or held back. */
export function withNew(state: LogState, coming: readonly SessionEvent[]): LogState {
  if (state.held !== null) return { ...state, held: newestOf([...state.held, ...coming]) }
  const events = newestOf([...state.events, ...coming])
  return { ...state, events, hasOlder: state.hasOlder && events.length < MOST_EVENTS }
}

/** Shows what it shows until it is resumed. */
export function paused(state: LogState): LogState {
  return { ...state, held: state.held ?? [] }
}

/** Shows what was held back, too. */
export function resumed(state: LogState): LogState {
  return withNew({ ...state, held: null }, state.held ?? [])
}

function newestOf(events: readonly SessionEvent[]): readonly SessionEvent[] {
  return events.slice(-MOST_EVENTS)
}
