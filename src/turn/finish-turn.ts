/**
 * COMPLETE: ends the turn, its message, those that it has taken along and perhaps the session's work, and records the
 * events of that; always the last events of a turn. One that goes on elsewhere or later (handed over, lease lost,
 * paused) is left as it stands.
 */
import type { FinalTurnStatus } from '../core/status.ts'
import { NO_PLUGIN_WORK } from '../core/tool/plugin-work.ts'
import type { TurnWrite, JoinedEnd } from '../core/turn-write.ts'
import { goesOn, type Ending, type TurnContext } from './turn-context.ts'
import { NO_USAGE } from '../core/usage.ts'
import type { JoinedMessage } from '../store/turn/join-turns.ts'

/** Resolves once the end is durable; rejects as `Journal.flushed` does, and then the turn is claimed again. */
export async function finishTurn(
  context: Pick<TurnContext, 'turn' | 'messages' | 'journal' | 'plugins' | 'clock'>,
  ending: Ending,
): Promise<Ending> {
  if (goesOn(ending)) return ending
  const status = statusOf(ending)
  const failure = ending.kind === 'Failed' ? ending.failure : null
  const failureDetail = ending.kind === 'Failed' ? (ending.detail ?? null) : null
  const at = context.clock.now()
  const { commandsHandled, ...plugins } = endOfPlugins(context)
  const activity = await endOfActivity(context)
  // From here on one commit: who reads a turn because it has ended must find that it has.
  const joined = endJoined(context, { status, failure, at })
  context.journal.record(
    [
      { type: 'PipelineStep', step: 'COMPLETE', detail: status },
      {
        type: 'TurnCompleted',
        status,
        commandsHandled,
        durationMs: Math.max(0, at.getTime() - context.turn.startedAt.getTime()),
        usage: context.journal.usage,
        failure,
      },
    ],
    { finish: { status, failure, failureDetail, at, joined, ...plugins.finish, ...activity }, ...plugins.changes },
  )
  await context.journal.flushed()
  return ending
}

/** Committed before: a statement does not delete what it inserts. */
async function endOfActivity({
  turn,
  journal,
}: Pick<TurnContext, 'turn' | 'journal'>): Promise<Pick<NonNullable<TurnWrite['finish']>, 'endsActivity'>> {
  if (!journal.hasActivity && !turn.resumed) return {}
  await journal.flushed()
  return { endsActivity: true }
}

/** Of a turn that no plugin took part in, nothing. */
function endOfPlugins({ plugins }: Pick<TurnContext, 'plugins'>): {
  readonly commandsHandled: readonly string[]
  readonly finish: Pick<NonNullable<TurnWrite['finish']>, 'commandsHandled' | 'hooksDue'>
  readonly changes: Pick<TurnWrite, 'pluginWork'>
} {
  const { work, hooks } = plugins
  const commandsHandled = work.commands.filter(({ outcome }) => outcome === 'HANDLED').map(({ name }) => name)
  const hooksDue = hooks.dueAtEnd()
  return {
    commandsHandled,
    finish: {
      ...(commandsHandled.length > 0 && { commandsHandled }),
      ...(hooksDue.length > 0 && { hooksDue }),
    },
    changes: work === NO_PLUGIN_WORK ? {} : { pluginWork: NO_PLUGIN_WORK },
  }
}

function statusOf(ending: Ending): FinalTurnStatus {
  if (ending.kind === 'Done') return 'DONE'
  return ending.kind === 'Failed' ? 'FAILED' : 'CANCELLED'
}

/** How the turn ends that they joined. */
interface TurnEnd {
  readonly status: FinalTurnStatus
  readonly failure: string | null
  readonly at: Date
}

/**
 * How messages end that a turn has taken along. They end as the turn does, each with events of its own; but what its
 * user said while a plan ran is not lost when the turn fails: it waits again, and gets a turn of its own.
 * Nothing may be awaited between this and the record of the turn's own end, which changes their rows.
 */
function endJoined(context: Pick<TurnContext, 'messages' | 'journal'>, end: TurnEnd): JoinedEnd[] {
  return context.messages.joined.map((message) => {
    const waitsAgain = end.status === 'FAILED' && message.attempt > 0
    if (waitsAgain)
      context.journal.recordFor(message.turnId, [{ type: 'MessageUpdated', messageId: message.messageId }])
    else recordEnd(context, message, end)
    return { turnId: message.turnId, messageId: message.messageId, status: waitsAgain ? 'QUEUED' : end.status }
  })
}

/** What it cost is counted with the turn that it joined. */
function recordEnd(
  { journal }: Pick<TurnContext, 'journal'>,
  { turnId, joinedAt }: JoinedMessage,
  { status, failure, at }: TurnEnd,
): void {
  journal.recordFor(turnId, [
    { type: 'PipelineStep', step: 'COMPLETE', detail: status },
    {
      type: 'TurnCompleted',
      status,
      commandsHandled: [],
      durationMs: Math.max(0, at.getTime() - joinedAt.getTime()),
      usage: NO_USAGE,
      failure,
    },
  ])
}
