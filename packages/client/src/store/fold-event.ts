/**
 * What an event changes. Events come in the order of the log; one that is in the state already changes nothing more. An
 * event shows the session as it is when the event is shown, which may be further: then later events find it so.
 */
import { entryIdOf, placed, toEntry, withdrawn, withStatus, written, indexOfKey, type Entries } from './entries.ts'
import { keyOfNode, type KeyOf } from './fold-page.ts'
import { foldThinking } from './fold-thinking.ts'
import { foldView } from './fold-view.ts'
import type { SessionState, StoreEvent } from './session-state.ts'
import { appended, withTask, withTurn, withTurnRead, type TurnRead } from './turns.ts'

/** The state after the event, in which all that it does not concern keeps its identity. `keyOf`: see `KeyOf`. */
export function foldEvent(state: SessionState, event: StoreEvent, keyOf: KeyOf): SessionState {
  const changed = foldOwn(state, event, keyOf)
  return withCurrentTurn('session' in event ? foldView(changed, event.session) : changed)
}

/** The state after a turn was read on demand: see `withTurnRead`. */
export function foldTurn(state: SessionState, turn: TurnRead): SessionState {
  return withCurrentTurn(withTurns(state, withTurnRead(state.turns, turn)))
}

/** `turn` is what `turns` has of it. */
function withCurrentTurn(state: SessionState): SessionState {
  const { turn, turns } = state
  const current = turn === null ? null : (turns[turn.id] ?? turn)
  return current === turn ? state : { ...state, turn: current }
}

/** What only this type of event tells. */
function foldOwn(state: SessionState, event: StoreEvent, keyOf: KeyOf): SessionState {
  switch (event.__typename) {
    case 'MessageReceivedEvent':
    case 'MessageUpdatedEvent':
    case 'TextCompletedEvent':
      return withEntries(state, entered(state, event.entry, keyOf))
    case 'TextDeltaEvent': {
      const { taskId, delta, at, turnId } = event
      return withEntries(state, written(state.entries, { key: entryIdOf(taskId), at, turnId, taskId }, delta))
    }
    case 'ThinkingEvent':
      return withEntries(state, foldThinking(state.entries, event))
    case 'TaskUpdateEvent':
      return foldTask(state, event)
    case 'TaskOutputEvent': {
      const field = event.stream === 'STDERR' ? 'stderr' : 'output'
      return withTurns(
        state,
        withTask(state.turns, event, (task) => ({ ...task, [field]: appended(task[field], event.text) })),
      )
    }
    case 'TaskProgressEvent': {
      const { done, total, progressMessage: message } = event
      return withTurns(
        state,
        withTask(state.turns, event, (task) => ({ ...task, progress: { done, total, message } })),
      )
    }
    case 'TurnCompletedEvent':
      return foldEnd(state, event)
    default:
      return state
  }
}

/** One that is older than all that is shown is not shown either: it comes with its page. */
function entered(state: SessionState, node: Parameters<typeof toEntry>[0], keyOf: KeyOf): Entries {
  const entry = toEntry(node, keyOfNode(node, keyOf))
  const oldest = state.entries[0]?.seq ?? 0
  if (state.hasOlder && node.seq < oldest && indexOfKey(state.entries, entry.key) < 0) return state.entries
  return placed(state.entries, entry)
}

/**
 * A task that begins, perhaps anew after a takeover, has written nothing; one that has ended has written its output.
 */
function foldTask(state: SessionState, event: StoreEvent & { readonly __typename: 'TaskUpdateEvent' }): SessionState {
  const { taskId, taskStatus, task } = event
  const isBegun = taskStatus === 'RUNNING'
  const entries = isBegun ? withdrawn(state.entries, entryIdOf(taskId)) : state.entries
  const turns = withTask(state.turns, event, (known) => ({
    ...known,
    status: taskStatus,
    output: task.output ?? (isBegun ? '' : known.output),
    stderr: task.stderr ?? (isBegun ? '' : known.stderr),
    progress: null,
  }))
  return withTurns(withEntries(state, entries), turns)
}

/** Of what was being written in the turn nothing more comes. */
function foldEnd(state: SessionState, event: StoreEvent & { readonly __typename: 'TurnCompletedEvent' }): SessionState {
  const { message, turn, turnId } = event
  const kept = state.entries.filter((entry) => entry.seq !== null || entry.kind === 'person' || entry.turnId !== turnId)
  const entries = withStatus(kept.length === state.entries.length ? state.entries : kept, message)
  const turns = turn === null ? state.turns : withTurn(state.turns, turn, turn.plans)
  return withTurns(withEntries(state, entries), turns)
}

function withEntries(state: SessionState, entries: Entries): SessionState {
  return entries === state.entries ? state : { ...state, entries }
}

function withTurns(state: SessionState, turns: SessionState['turns']): SessionState {
  return turns === state.turns ? state : { ...state, turns }
}
