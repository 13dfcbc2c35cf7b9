/** Session.view, as a page or an event shows it: the newest wins, in whatever order answers come. */
import type { StoreSessionFragment, StoreViewFragment } from '../generated/graphql.ts'
import type { SessionState } from './session-state.ts'
import { share } from './share.ts'
import { withTurn } from './turns.ts'

/** A session with its view, as a page and events of it carry them. */
export interface Standing extends StoreSessionFragment {
  readonly view: StoreViewFragment
}

/** The state with the view, or the same one when it has a newer view already. */
export function foldView(state: SessionState, standing: Standing): SessionState {
  const { view, id, title, description, mode, model, busyPolicy, messageCount, turnCount, lastActivityAt } = standing
  if (view.version < state.version) return state
  const { status, queue, queueLength, approvals, questions, usage, activeTurn, version } = view
  const session = { id, title, description, mode, model, busyPolicy, messageCount, turnCount, lastActivityAt, status }
  const shown = share(
    {
      session: state.session,
      queue: state.queue,
      approvals: state.approvals,
      questions: state.questions,
      usage: state.usage,
    },
    { session, queue, approvals, questions, usage },
  )
  const read = { ...state, ...shown, queueLength, version, isBusy: activeTurn !== null }
  if (activeTurn === null) return read
  const { turn, step, plan } = activeTurn
  const turns = withTurn(state.turns, { ...turn, step }, plan === null ? [] : [plan])
  return { ...read, turns, turn: turns[turn.id] ?? null }
}
