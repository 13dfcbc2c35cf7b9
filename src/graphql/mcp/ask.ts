/**
 * The tool `ask`: sends a message and waits for what its turn answers. The log says when to read; what is answered is
 * read, so a turn that was over before, or was taken along by another, is no special case.
 */
import { WAITS_FOR_CHILDREN } from '../../core/tool/delegated.ts'
import type { Clock } from '../../platform/clock.ts'
import { EVENTS, TURN_OF_MESSAGE, type EventData, type SentData, type TurnData } from './documents.ts'
import type { Operations } from '../protocols/operations.ts'
import { Refused } from '../protocols/refused.ts'
import { isAsked, OVER } from '../protocols/follow-turn.ts'

export interface AskOptions {
  readonly operations: Operations
  readonly sessionId: string
  readonly sent: SentData
  readonly timeoutMs: number
  /** Aborts when the client waits for the answer no more, or this server stops. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** What the turn does now, for people. */
  readonly onProgress: (message: string) => void
}

/** `isOver`: the turn has ended. `waits`: what it waits for, for people. Otherwise it goes on. */
export interface AwaitedTurn {
  readonly turn: TurnData
  readonly isOver: boolean
  readonly waits: string | null
}

/** Null: the message starts no turn. Rejects with Refused. Resolves at the latest when the time is over. */
export async function awaitAnswer(options: AskOptions): Promise<AwaitedTurn | null> {
  const { operations, sent, sessionId, timeoutMs, signal, clock, onProgress } = options
  if (sent.turn === null) return null
  const over = new AbortController()
  const until = AbortSignal.any([signal, over.signal])
  const cancelTimer = clock.after(timeoutMs, () => over.abort())
  let changed = Promise.withResolvers<void>()
  const onEvent = ({ sessionEvents: event }: { readonly sessionEvents: EventData }): void => {
    const progress = describe(event)
    if (progress !== null) onProgress(progress)
    if (event.__typename === 'TurnCompletedEvent' || event.__typename === 'TurnPausedEvent') changed.resolve()
  }
  until.addEventListener('abort', () => changed.resolve(), { once: true })
  try {
    const variables = { sessionId, after: sent.turn.firstSeq }
    const { ended } = await operations.follow(EVENTS, variables, { signal: until, onEvent })
    const broken = ended.then(() => {
      if (!until.aborted) throw new Refused('The session was lost from sight; read_session shows how it stands.')
    })
    broken.catch(() => undefined) // when the client waits no more
    for (;;) {
      const turn = await readTurn(operations, sent.id)
      const isOver = OVER.has(turn.status)
      const waits = waitsOf(turn, until.aborted)
      if (isOver || waits !== null || until.aborted) return { turn, isOver, waits }
      await Promise.race([changed.promise, broken])
      changed = Promise.withResolvers()
    }
  } finally {
    over.abort()
    cancelTimer()
  }
}

async function readTurn(operations: Operations, id: string): Promise<TurnData> {
  const { message } = await operations.run(TURN_OF_MESSAGE, { id })
  if (message?.turn == null) throw new Refused('The message is gone.', { code: 'NOT_FOUND' })
  return message.turn
}

/**
 * What the turn that runs waits for, itself or before this one; null: all goes on by itself, as when it is decided
 * about, or, as far as is known before the deadline, has delegated what needs no person. One that ran when its own
 * status was read, and waits by now, is read again at the event of that.
 */
function waitsOf({ status, session }: TurnData, isLate: boolean): string | null {
  const { activeTurn } = session
  const reason = activeTurn?.pausedReason ?? null
  if (reason === null) return null
  if (!isLate && reason.startsWith(WAITS_FOR_CHILDREN) && session.approvals.length === 0) return null
  if (activeTurn?.status === 'AWAITING_APPROVAL' && (status === 'RUNNING' || !isAsked(session))) return null
  return status === 'QUEUED' ? `An earlier turn comes first. ${reason}` : reason
}

/** Tasks are counted from 1, as in what people are told of approvals. */
function describe({ __typename, step, detail, taskStatus, task }: EventData): string | null {
  if (__typename === 'PipelineStepEvent') return detail == null ? `${step}` : `${step}: ${detail}`
  if (__typename === 'TaskUpdateEvent' && task !== undefined)
    return `task ${task.index + 1} (${task.type}): ${taskStatus}`
  return null
}
