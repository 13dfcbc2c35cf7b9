/** Compares what was promised with what came of it. Each finding is one broken promise, in words. */
import type { FinalEvent, FinalMessage, FinalState } from './final-state.ts'
import type { Follower } from './follower.ts'
import type { SessionLoad } from './session-load.ts'

/** What a subscriber saw. */
type FollowerRecord = Pick<Follower, 'seen' | 'complaints'> & {
  readonly options: Pick<Follower['options'], 'transport'>
}

/** What was sent and seen of a session. */
export interface SessionRecord extends Pick<SessionLoad, 'accepted' | 'complaints'> {
  readonly options: Pick<SessionLoad['options'], 'sessionId'>
  readonly followers: readonly FollowerRecord[]
}

/** The promises, each with the findings against it; all must be empty. */
export interface Verdict {
  readonly lost: readonly string[]
  readonly twice: readonly string[]
  readonly unended: readonly string[]
  readonly disorder: readonly string[]
  readonly gaps: readonly string[]
  readonly complaints: readonly string[]
}

export function judge(loads: readonly SessionRecord[], state: FinalState, marks: readonly string[]): Verdict {
  const sessions = loads.map((load) => {
    const { sessionId } = load.options
    const messages = state.messages.filter((message) => message.session_id === sessionId)
    return { load, messages, events: state.events.get(sessionId) ?? [] }
  })
  return {
    lost: sessions.flatMap(({ load, messages }) => findLost(load, messages)),
    twice: [...findRunTwice(state, marks), ...sessions.flatMap(({ events }) => findStartedTwice(events))],
    unended: [...state.messages.flatMap(findUnended), ...state.restless.map((id) => `${id} is not at rest`)],
    disorder: sessions.flatMap(({ messages, events }) => findDisorder(messages, events)),
    gaps: sessions.flatMap(({ load, events }) =>
      load.followers.flatMap((follower) => findGaps(load, follower, events)),
    ),
    complaints: loads.flatMap((load) => [
      ...load.complaints,
      ...load.followers.flatMap((follower) => follower.complaints),
    ]),
  }
}

/** Each accepted message is there, once, as it was sent, and nothing else is. */
function findLost(load: SessionRecord, messages: readonly FinalMessage[]): string[] {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const lost = load.accepted.flatMap(({ id, content }) => {
    const found = byId.get(id)
    return found === undefined || found.content !== content ? [`${load.options.sessionId}: message ${id}`] : []
  })
  const surplus = messages.length - load.accepted.length
  return surplus <= 0 ? lost : [...lost, `${load.options.sessionId}: ${surplus} messages that nobody was told of`]
}

/**
 * A mark is left once by a command that ended, at most once by one that was interrupted, never by one that did not
 * start or was not approved.
 */
function findRunTwice(state: FinalState, marks: readonly string[]): string[] {
  const runs = new Map<string, number>()
  for (const mark of marks) runs.set(mark, (runs.get(mark) ?? 0) + 1)
  const expected = new Map<string, string[]>()
  const endings = new Map<string, string>()
  for (const { detail, status, approval, ending } of state.commands) {
    const mark = /^echo (\S+) (?:>>|\| tee)/.exec(detail)?.[1] ?? detail
    const mayRun = approval === null || approval === 'APPROVED'
    expected.set(mark, [...(expected.get(mark) ?? []), mayRun ? status : approval])
    endings.set(mark, ending)
  }
  return [...new Set([...runs.keys(), ...expected.keys()])].flatMap((mark) => {
    const count = runs.get(mark) ?? 0
    const statuses = expected.get(mark) ?? []
    const must = statuses.filter((status) => status === 'DONE' || status === 'FAILED').length
    const may = statuses.filter((status) => status === 'INTERRUPTED').length
    if (count <= 1 && count >= must && count <= must + may) return []
    return [`${mark} ran ${count} times: ${statuses.join()}, ${endings.get(mark) ?? 'which no task holds'}`]
  })
}

function findStartedTwice(events: readonly FinalEvent[]): string[] {
  const interrupted = events.filter(({ type, status }) => type === 'TaskUpdate' && status === 'INTERRUPTED')
  return repeated(interrupted.map(({ task_id: id }) => id ?? '')).map((id) => `${id} was interrupted twice`)
}

function findUnended({ id, status, turn_id: turn, turn_status: turnStatus, failure }: FinalMessage): string[] {
  if (status === 'DONE' && turnStatus === 'DONE') return []
  return [`message ${id} is ${status}, its turn ${turn} is ${turnStatus}${failure === null ? '' : `: ${failure}`}`]
}

/** Turns follow one another, whole, in the order of their messages; each begins once and ends once. */
function findDisorder(messages: readonly FinalMessage[], events: readonly FinalEvent[]): string[] {
  // A message that comes, and a session that is opened, are told in between.
  const ofTurns = events.filter(({ type, turn_id: turn }) => type !== 'MessageReceived' && turn !== null)
  const order = ofTurns.map(({ turn_id: turn }) => turn).filter((turn, index, all) => turn !== all[index - 1])
  const wanted = messages.map(({ turn_id: turn }) => turn)
  const sessionId = messages[0]?.session_id ?? ''
  const disorder =
    JSON.stringify(order) === JSON.stringify(wanted) ? [] : [`${sessionId}: turns ran as ${order.join()}`]
  const stepsOf = (step: string): string[] =>
    repeated(events.filter((event) => event.step === step).map(({ turn_id: turn }) => turn ?? ''))
  const twice = [...stepsOf('RECEIVED'), ...stepsOf('COMPLETE')].map((turn) => `${turn} began or ended twice`)
  const seqs = events.map(({ seq }) => seq)
  return [...disorder, ...twice, ...repeated(seqs.map(String)).map((seq) => `${sessionId}: seq ${seq} twice`)]
}

/**
 * The follower saw every event of the log once, in order; and besides only pieces of texts. It leaves after the last
 * turn: what a checkpoint adds then, it need not have seen.
 */
function findGaps(load: SessionRecord, follower: FollowerRecord, events: readonly FinalEvent[]): string[] {
  const who = `${load.options.sessionId} by ${follower.options.transport}`
  const inLog = new Map(events.map(({ seq, type }) => [seq, `${type}Event`]))
  const kept = new Set(follower.seen.filter(({ seq, type }) => inLog.get(seq) === type).map(({ seq }) => seq))
  const lastOfTurns = events.findLast(({ turn_id: turn }) => turn !== null)?.seq ?? 0
  const missing = events.filter(({ seq }) => !kept.has(seq) && seq <= lastOfTurns).map(({ seq }) => seq)
  const foreign = follower.seen.filter(({ seq, type, isPiece }) => !isPiece && inLog.get(seq) !== type)
  const disorder = follower.seen.filter(({ seq }, index, all) => index > 0 && seq <= (all[index - 1]?.seq ?? 0))
  return [
    ...(missing.length === 0 ? [] : [`${who} missed ${missing.join()}`]),
    ...foreign.map(({ seq, type }) => `${who} saw ${type} ${seq}, which is not in the log`),
    ...disorder.map(({ seq }) => `${who} saw ${seq} after a later one, or twice`),
  ]
}

function repeated(values: readonly string[]): string[] {
  const counts = Map.groupBy(values, (value) => value)
  return [...counts].filter(([, all]) => all.length > 1).map(([value]) => value)
}
