/**
 * Compares what turns were to leave behind with what is there: posted texts, knowledge, the audit. One finding, one
 * broken promise.
 */
import type { AcceptedMessage } from './session-load.ts'
import type { FinalRecords } from './final-records.ts'
import type { ReceivedPost } from './storm-receiver.ts'

export interface RecordsVerdict {
  readonly deliveries: readonly string[]
  readonly knowledge: readonly string[]
  readonly files: readonly string[]
  readonly audit: readonly string[]
}

export interface Posted {
  /** In the order of arrival. */
  readonly posts: readonly ReceivedPost[]
  /** Ids of those that were answered with success. */
  readonly taken: ReadonlySet<string>
}

export function judgeRecords(
  accepted: readonly AcceptedMessage[],
  posted: Posted,
  records: FinalRecords,
): RecordsVerdict {
  return {
    deliveries: [
      ...findUndelivered(posted, records),
      ...findUnstable(posted, records),
      ...findPostedOutOfOrder(posted, records),
    ],
    knowledge: [...findUnlearned(accepted, records), ...records.learnings.flatMap(findUncurated)],
    files: records.publications.flatMap(findUnpublished),
    audit: [...records.unaudited, ...(records.auditProblem === null ? [] : [records.auditProblem])],
  }
}

/** Each text of a session with a webhook has one delivery, which the receiver has taken or which was given up. */
function findUndelivered({ taken }: Posted, { deliveries, texts }: FinalRecords): string[] {
  const byTask = Map.groupBy(deliveries, ({ task_id: taskId }) => taskId)
  const missing = texts.flatMap((taskId) => {
    const count = byTask.get(taskId)?.length ?? 0
    return count === 1 ? [] : [`the text of ${taskId} has ${count} deliveries`]
  })
  const unended = deliveries.flatMap(({ id, status }) => {
    if (status === 'PENDING') return [`${id} is still pending`]
    return status === 'DEAD' || taken.has(id) ? [] : [`${id} is ${status}, but was never taken`]
  })
  return [...missing, ...unended]
}

/** Whatever is posted is a delivery that is there, and every attempt of it carries the same. */
function findUnstable({ posts }: Posted, { deliveries }: FinalRecords): string[] {
  const known = new Map(deliveries.map((delivery) => [delivery.id, delivery]))
  return posts.flatMap(({ id, sessionId, taskId, content }) => {
    const of = known.get(id)
    if (of === undefined) return [`${id} was posted, but is not there`]
    return of.session_id === sessionId && of.task_id === taskId && of.content === content
      ? []
      : [`${id} was posted with what is not its own`]
  })
}

/** A delivery is first posted after those of its session before it. */
function findPostedOutOfOrder({ posts }: Posted, { deliveries }: FinalRecords): string[] {
  const place = new Map(deliveries.map(({ id }, index) => [id, index]))
  return [...Map.groupBy(posts, ({ sessionId }) => sessionId)].flatMap(([sessionId, ofSession]) => {
    const order = [...new Set(ofSession.map(({ id }) => id))]
    const isInOrder = order.every(
      (id, index) => index === 0 || (place.get(id) ?? 0) > (place.get(order[index - 1] ?? '') ?? 0),
    )
    return isInOrder ? [] : [`${sessionId}: first posts came as ${order.join()}`]
  })
}

/**
 * Where a turn ran through as planned, it has learned what its message said. Whatever was told to be learned is there.
 */
function findUnlearned(
  accepted: readonly AcceptedMessage[],
  { turns, learnings, lostLearnings }: FinalRecords,
): string[] {
  const byMessage = new Map(turns.map((turn) => [turn.message_id, turn]))
  const unlearned = accepted.flatMap(({ id, content }) => {
    const turn = byMessage.get(id)
    if (turn === undefined || !turn.ran_through) return []
    const expected = content.split('\n').flatMap((line) => /^learn: (.*)$/.exec(line)?.[1] ?? [])
    const learned = learnings.filter((learning) => learning.turn_id === turn.id).map((learning) => learning.content)
    const isSame = JSON.stringify(expected.toSorted()) === JSON.stringify(learned.toSorted())
    return isSame ? [] : [`${turn.id} learned ${JSON.stringify(learned)} of ${JSON.stringify(expected)}`]
  })
  return [...unlearned, ...lostLearnings.map((id) => `the learning ${id} was expected, but is not there`)]
}

/** A file that a command wrote is published once, and all of it is there. */
function findUnpublished({ task_id: taskId, files, whole }: FinalRecords['publications'][number]): string[] {
  return files === 1 && whole === 1 ? [] : [`${taskId} has published ${files} files, of which ${whole} are there`]
}

/** Decided, and what the decision gave rise to is there once. */
function findUncurated({ id, status, facts, questions }: FinalRecords['learnings'][number]): string[] {
  if (status === 'PENDING') return [`the learning ${id} was not curated`]
  const wanted = { facts: status === 'PROMOTED' ? 1 : 0, questions: status === 'ASKED' ? 1 : 0 }
  if (facts === wanted.facts && questions === wanted.questions) return []
  return [`the learning ${id} is ${status}, with ${facts} facts and ${questions} questions`]
}
