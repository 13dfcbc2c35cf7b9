/** A turn and what it commits, for a collector. */
import type { TurnWrite } from '../core/turn-write.ts'
import type { OpenTurn } from '../store/turn/begin-turn.ts'
import type { Committed } from '../store/turn/turn-commit.ts'
import { placeOfTurn } from '../telemetry/trace-parent.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { goesOn, type Ending } from '../turn/turn-context.ts'

interface RunningTurn {
  readonly sessionId: string
  readonly turn: Pick<OpenTurn, 'id' | 'trace' | 'startedAt' | 'resumed' | 'mode'>
  /** By the clock by which it started. */
  readonly now: Date
}

/**
 * One span from the start of the turn to its end, whichever processes ran it and however long it waited: the process
 * that ends it tells of it. One that goes on later or elsewhere is left open.
 */
export function inTurnSpan(
  tracing: Tracing,
  { sessionId, turn, now }: RunningTurn,
  run: () => Promise<Ending>,
): Promise<Ending> {
  if (!tracing.isOn) return run()
  const place = placeOfTurn(turn.id, turn.trace)
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'factotum',
    'gen_ai.conversation.id': sessionId,
    'factotum.turn.id': turn.id,
    'factotum.turn.mode': turn.mode,
    'factotum.turn.resumed': turn.resumed,
  }
  const elapsedMs = now.getTime() - turn.startedAt.getTime()
  return tracing.inSpan({ of: 'turn', subject: 'factotum', attributes, turn: { place, elapsedMs } }, async (span) => {
    const ending = await run()
    if (goesOn(ending)) span.leaveOpen()
    span.set({ 'factotum.turn.ending': ending.kind === 'Stopped' ? ending.reason : ending.kind })
    if (ending.kind === 'Failed') span.fail('TURN_FAILED')
    return ending
  })
}

/** Pieces of texts and output come many times a second: commits that hold nothing else have no span. */
const PIECES: ReadonlySet<string> = new Set(['TextDelta', 'TaskOutput', 'TaskProgress', 'Thinking'])

/** Under the turn, whatever step of it the write has come from. */
export function inCommitSpan(
  tracing: Tracing,
  { turn, write }: { readonly turn: RunningTurn['turn']; readonly write: TurnWrite },
  commit: () => Promise<Committed>,
): Promise<Committed> {
  if (!tracing.isOn || isPieces(write)) return commit()
  const attributes = { 'db.system.name': 'postgresql', 'factotum.commit.events': write.events.length }
  const under = placeOfTurn(turn.id, turn.trace)
  return tracing.inSpan({ of: 'commit', attributes, under }, commit)
}

function isPieces({ events }: TurnWrite): boolean {
  return events.length > 0 && events.every(({ body }) => PIECES.has(body.type))
}
