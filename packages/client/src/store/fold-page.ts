/** A page, read once: where events go on. */
import { entryIdOf, indexOfKey, placeOf, toEntry, written, type Entries } from './entries.ts'
import { foldThinking } from './fold-thinking.ts'
import { foldView } from './fold-view.ts'
import { NOTHING_YET, type SessionState, type StorePage } from './session-state.ts'
import { withTask, withTurn } from './turns.ts'

/** `keyOf`: as which key this page has shown a message, by the idempotency key with which it was sent. */
export type KeyOf = (idempotencyKey: string | null) => string | undefined

/** Events up to its `version` are in it, and perhaps some entries of later ones, which are the same there. */
export function foldPage(page: StorePage, keyOf: KeyOf): SessionState {
  const { view, conversation } = page
  const read = foldView({ ...NOTHING_YET, status: 'ready' }, page)
  let entries: Entries = conversation.edges.map(({ node }) => toEntry(node, keyOfNode(node, keyOf)))
  const [oldest] = entries
  for (const { node } of page.thoughts.edges) {
    const isShown = !conversation.pageInfo.hasPreviousPage || node.seq > (oldest?.seq ?? 0)
    if (node.__typename !== 'ThinkingEvent' || !isShown || node.seq > view.version) continue
    // Of a turn that has ended, pieces never became a whole.
    if (node.isWhole || node.turnId === view.activeTurn?.turn.id) entries = foldThinking(entries, node)
  }
  const state = { ...read, hasOlder: conversation.pageInfo.hasPreviousPage, entries }
  return page.activeTurn === null ? state : withWork(state, page)
}

/** The key of an entry of the log: that under which this page has shown it while it was being sent, or else its id. */
export function keyOfNode(node: StorePage['conversation']['edges'][number]['node'], keyOf: KeyOf): string {
  return (node.__typename === 'PersonMessage' ? keyOf(node.message.idempotencyKey) : undefined) ?? node.id
}

/** What the plans of the running turn have put out, and what is being written. */
function withWork(state: SessionState, { view, activeTurn }: StorePage): SessionState {
  const turn = state.turns[activeTurn?.id ?? '']
  const running = view.activeTurn
  if (turn === undefined || activeTurn === null || running === null) return state
  let turns = withTurn(state.turns, turn, activeTurn.plans)
  let { entries } = state
  const { task, output } = running.progress
  if (task !== null && output !== null) {
    if (task.type === 'MSG') {
      const key = entryIdOf(task.id)
      const writing = { key, at: turn.startedAt ?? '', turnId: turn.id, taskId: task.id }
      if (indexOfKey(entries, key) < 0) entries = written(entries, writing, output)
    } else turns = withTask(turns, { turnId: turn.id, taskId: task.id }, (known) => ({ ...known, output }))
  }
  return { ...state, entries, turns, turn: turns[turn.id] ?? turn }
}

/** Older entries, before those that are there. What was changed meanwhile is there already. */
export function foldOlder(state: SessionState, older: Entries, hasOlder: boolean): SessionState {
  const shown = new Set(state.entries.map(({ key }) => key))
  const entries = [...older.filter(({ key }) => !shown.has(key)), ...state.entries]
  return { ...state, entries: entries.sort((a, b) => placeOf(a.seq) - placeOf(b.seq)), hasOlder }
}
