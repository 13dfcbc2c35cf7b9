/**
 * What it means for the turn that an agent gave no answer. A budget that is used up pauses it: its session is given
 * back at once, without a worker, and it goes on from its rows when there is budget again (src/worker/paused-turns.ts).
 * A provider that is away pauses it for a while. Anything else fails it.
 */
import type { AppError } from '../../core/errors.ts'
import { describeOperatorFailure } from '../../core/operator-failure.ts'
import type { TurnWrite } from '../../core/turn-write.ts'
import { entryOf } from '../task/audit-task.ts'
import type { Ending, TurnContext } from '../turn-context.ts'
import { outageSince } from '../../store/turn/outage-since.ts'

type UnansweredContext = Pick<
  TurnContext,
  'sessionId' | 'turn' | 'journal' | 'clock' | 'logger' | 'database' | 'config'
>

/** `failure`: what could not be done, for admins. `changes` are recorded when the turn waits. */
export async function unanswered(
  context: UnansweredContext,
  error: AppError,
  { failure, changes = {} }: { readonly failure: string; readonly changes?: Omit<TurnWrite, 'events' | 'audit'> },
): Promise<Ending> {
  const at = context.clock.now()
  const wait =
    error.code === 'BUDGET_USED_UP'
      ? { reason: error.message, ms: error.retryAfterMs ?? 0 }
      : await outageWait(context, error)
  if (wait === null) {
    const detail = `${failure} ${error.message}`
    return { kind: 'Failed', failure: describeOperatorFailure(error.code, context.turn.id), detail }
  }
  const { reason } = wait
  const until = new Date(at.getTime() + wait.ms)
  context.logger.info({ until, code: error.code }, `the turn waits: ${error.message}`)
  context.journal.record([{ type: 'TurnPaused', reason, until: until.toISOString() }], {
    ...changes,
    audit: [entryOf(context, { kind: 'SESSION', change: 'TURN_PAUSED', detail: reason })],
    pause: { reason, at, until },
  })
  return { kind: 'Paused' }
}

const FIRST_WAIT_MS = 15_000
const MAX_WAIT_MS = 300_000
const OUTAGES: ReadonlySet<AppError['code']> = new Set(['MODEL_UNREACHABLE', 'MODEL_OVERLOADED', 'MODEL_SILENT'])

interface Wait {
  /** For people. */
  readonly reason: string
  readonly ms: number
}

type OutageContext = Pick<TurnContext, 'sessionId' | 'turn' | 'clock' | 'database' | 'config'>

/**
 * For how long the turn is to wait before the model is called again; null: this is no outage, or has lasted for
 * `provider_outage_wait`. As long as it has lasted already, from 15 s to 5 min, or as the provider asks.
 */
async function outageWait(
  { sessionId, turn, clock, database, config }: OutageContext,
  error: AppError,
): Promise<Wait | null> {
  const longestMs = config.current().settings.providerOutageWaitMs
  if (longestMs === 0 || error.retry === 'never' || !OUTAGES.has(error.code)) return null
  const asking = { sessionId, turnId: turn.id, startedAt: turn.startedAt }
  const nowMs = clock.now().getTime()
  const lastedMs = nowMs - ((await outageSince(database, asking))?.getTime() ?? nowMs)
  if (lastedMs >= longestMs) return null
  const asked = error.retryAfterMs ?? Math.min(Math.max(lastedMs, FIRST_WAIT_MS), MAX_WAIT_MS)
  const ms = Math.min(Math.max(asked, FIRST_WAIT_MS), Math.max(longestMs - lastedMs, FIRST_WAIT_MS))
  const gone = describeOperatorFailure(error.code, turn.id)
  return { reason: `${gone} The turn goes on by itself as soon as it can.`, ms }
}
