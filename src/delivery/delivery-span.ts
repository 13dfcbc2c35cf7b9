/** An attempt to post, for a collector: in the trace of the turn that said the text, however long ago that was. */
import type { Database } from '../store/database.ts'
import type { ClaimedDelivery } from '../store/delivery.ts'
import { turnOfTask } from '../store/turn-of-task.ts'
import { placeOfTurn } from '../telemetry/trace-parent.ts'
import { NO_TRACING, type Tracing } from '../telemetry/tracing.ts'
import type { PostResult } from './post.ts'

interface DeliveryTracing {
  readonly tracing?: Tracing
  readonly database: Database
}

/** Without a collector nothing is read for it. */
export async function inDeliverySpan(
  { tracing = NO_TRACING, database }: DeliveryTracing,
  { id, taskId, attempts, url }: ClaimedDelivery,
  attempt: () => Promise<PostResult>,
): Promise<PostResult> {
  if (!tracing.isOn) return attempt()
  const turn = await turnOfTask(database, taskId)
  const attributes = {
    'http.request.method': 'POST',
    'server.address': URL.parse(url ?? '')?.hostname,
    'factotum.delivery.id': id,
    'factotum.delivery.attempt': attempts,
  }
  const under = turn === null ? {} : { under: placeOfTurn(turn.id, turn.trace) }
  return tracing.inSpan({ of: 'delivery', attributes, ...under }, async (span) => {
    const result = await attempt()
    if (result.kind === 'Failed') span.fail(result.silent ? 'timeout' : 'NOT_DELIVERED')
    else {
      span.set({ 'http.response.status_code': result.statusCode })
      if (result.statusCode >= 300) span.fail(String(result.statusCode))
    }
    return result
  })
}
