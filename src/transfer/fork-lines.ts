/** Lines of an exported session → those of its copy, as fork-plan.ts has it; they are imported under another id. */
import { messagePreview } from '../core/text/message-preview.ts'
import type { SessionSource } from '../store/intake/intake-session.ts'
import type { ForkPlan } from './fork-plan.ts'
import type { RowLine } from './line-schemas.ts'
import type { RowName } from './row-kinds.ts'

/**
 * Kinds of rows that a copy has. Learnings and questions are dealt with where they came up, and become facts of all
 * sessions; approvals were given there; texts were delivered from there.
 */
export const FORKED_ROWS: readonly RowName[] = ['session', 'message', 'turn', 'plan', 'task', 'event']

export interface ForkTarget {
  readonly source: Pick<SessionSource, 'kind'>
  /** The token that opens it. */
  readonly connector: string
  /** Who takes part; null: nobody, a connector opens it. */
  readonly participant: string | null
  readonly at: Date
}

/** What was spent was spent there. */
const NO_COST = { modelCalls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: null }

export async function* forkLines(
  lines: AsyncIterable<string>,
  plan: ForkPlan,
  target: ForkTarget,
): AsyncGenerator<string> {
  const at = target.at.toISOString()
  let count = 0
  let seq = 0
  for await (const line of lines) {
    const row = JSON.parse(line) as RowLine
    const isEnd = row['type'] === 'end'
    const opened = { type: 'event', seq: plan.lastSeq + 1, at, turnId: null, event: 'SessionUpdated', data: {} }
    const copies = isEnd ? [opened] : copiesOf(row, plan, target)
    for (const copy of copies) {
      count += 1
      yield JSON.stringify(copy['type'] === 'event' ? { ...copy, seq: (seq += 1) } : copy)
    }
    if (isEnd) yield JSON.stringify({ type: 'end', lines: count })
  }
}

/** None: it is left out. */
function copiesOf(row: RowLine, plan: ForkPlan, target: ForkTarget): readonly RowLine[] {
  const hasTurn = plan.turnIds.has(String(row['turnId']))
  switch (row['type']) {
    case 'session': {
      const { participant, at } = target
      const joined = { type: 'participant', userName: participant, joinedAt: at.toISOString() }
      return [sessionOf(row, plan, target), ...(participant === null ? [] : [joined])]
    }
    case 'message':
      return messageOf(row, plan)
    case 'turn':
      return turnOf(row, plan)
    case 'plan':
    case 'task':
      return hasTurn ? [row] : []
    case 'event':
      return eventOf(row, plan)
    default:
      return [row]
  }
}

function sessionOf(row: RowLine, plan: ForkPlan, { source, connector, at }: ForkTarget): RowLine {
  const { seqOf, keeps, turnCount, lastSeq, lastSaid } = plan
  const isPeoples = row['descriptionSource'] === 'CLIENT'
  /** Of the newest message that is copied, of those up to `seq` there. */
  const upTo = (seq: unknown): number =>
    Math.max(0, ...[...seqOf].flatMap(([old, n]) => (old <= Number(seq) ? [n] : [])))
  return {
    ...row,
    ...NO_COST,
    sourceKind: source.kind,
    sourcePlatform: null,
    sourceTriggerId: null,
    connector,
    // By it clients find their session: this one is another.
    metadata: {},
    description: isPeoples ? row['description'] : null,
    descriptionSource: isPeoples ? 'CLIENT' : null,
    summary: keeps.summary ? row['summary'] : '',
    summarySeq: keeps.summary ? upTo(row['summarySeq']) : 0,
    workingMemory: keeps.workingMemory ? row['workingMemory'] : '',
    checkpointSeq: upTo(row['checkpointSeq']),
    checkpointTurns: Math.min(Number(row['checkpointTurns']), turnCount),
    status: 'IDLE',
    messageCount: seqOf.size,
    turnCount,
    lastMessagePreview: lastSaid === null ? null : messagePreview(lastSaid),
    lastSeq: lastSeq + 1,
    removedSeq: 0,
    createdAt: at.toISOString(),
    lastActivityAt: at.toISOString(),
  }
}

/** One whose turn is left out is on record alone. Its client's key names the message there. */
function messageOf(row: RowLine, { seqOf, turnSeqs }: ForkPlan): readonly RowLine[] {
  const seq = seqOf.get(Number(row['seq']))
  if (seq === undefined) return []
  return [{ ...row, seq, idempotencyKey: null, status: turnSeqs.has(Number(row['seq'])) ? row['status'] : 'STORED' }]
}

function turnOf(row: RowLine, { turnIds, seqOf }: ForkPlan): readonly RowLine[] {
  if (!turnIds.has(String(row['id']))) return []
  const { retryOfId } = row
  const retried = turnIds.has(String(retryOfId)) ? retryOfId : null
  return [{ ...row, ...NO_COST, seq: seqOf.get(Number(row['seq'])), retryOfId: retried }]
}

function eventOf(row: RowLine, { copiesEvent, turnIds }: ForkPlan): readonly RowLine[] {
  const turnId = typeof row['turnId'] === 'string' ? row['turnId'] : null
  if (!copiesEvent({ seq: Number(row['seq']), type: String(row['event']), turnId })) return []
  const data = row['event'] === 'Review' ? { ...(row['data'] as object), learningId: null } : row['data']
  return [{ ...row, data, turnId: turnId !== null && turnIds.has(turnId) ? turnId : null }]
}
