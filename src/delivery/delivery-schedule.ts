/**
 * What becomes of a delivery after an attempt: the rule alone, without doing it.
 *
 *   2xx                 DELIVERED
 *   410                 DEAD at once: the receiver says that it is gone for good
 *   429, 503            another attempt, after the pause that the receiver asks for where that is longer
 *                       (a minute at most)
 *   all else            another attempt after the pause of the schedule, DEAD when there are none left
 *
 * Nine attempts by default: 1, 3 and 9 s for a receiver that restarts, then 1, 5 and 30 min, 2 and 8 h for one that is
 * mended. After the last the delivery is given up at once: a pause then would only keep the session's next delivery
 * waiting.
 *
 * Where the session's last text was given up at the same webhook, the next one is tried every two hours until it is
 * three days old: a webhook that is gone for good would hold each text for all of its attempts in turn, and more would
 * wait behind it for ever.
 */
import { asSentence } from '../core/text/as-sentence.ts'
import type { ClaimedDelivery, DeliveryOutcome } from '../store/delivery.ts'
import type { PostResult } from './post.ts'

export interface DeliverySchedule {
  /** The pause after each attempt but the last. */
  readonly pausesMs: readonly number[]
  /** The longest pause that a receiver can ask for. */
  readonly maxRetryAfterMs: number
  /** At a webhook that was given up: the pause after each attempt, and how old a text becomes that waits for it. */
  readonly givenUp: { readonly pauseMs: number; readonly maxAgeMs: number }
}

export const DELIVERY_SCHEDULE: DeliverySchedule = {
  pausesMs: [1000, 3000, 9000, 60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 8 * 3_600_000],
  maxRetryAfterMs: 60_000,
  givenUp: { pauseMs: 2 * 3_600_000, maxAgeMs: 3 * 86_400_000 },
}

/** What the rule needs of a delivery: its attempts, this one included, and how it stands with its webhook. */
export type Attempted = Pick<ClaimedDelivery, 'attempts' | 'ageMs' | 'isAfterDead'>

export function outcomeOf(
  schedule: DeliverySchedule,
  { attempts, ageMs, isAfterDead }: Attempted,
  result: PostResult,
): Omit<DeliveryOutcome, 'shownUrl'> {
  const statusCode = result.kind === 'Answered' ? result.statusCode : null
  if (isDelivered(statusCode)) return { status: 'DELIVERED', statusCode, error: null, waitMs: 0 }
  const error = result.kind === 'Answered' ? describeStatus(result.statusCode) : result.error
  if (isAfterDead && statusCode !== 410) return outcomeAfterDead(schedule.givenUp, ageMs, { statusCode, error })
  const pauseMs = schedule.pausesMs[attempts - 1]
  if (pauseMs === undefined || statusCode === 410) return { status: 'DEAD', statusCode, error, waitMs: 0 }
  const waitMs = Math.max(pauseMs, Math.min(askedMs(result), schedule.maxRetryAfterMs))
  return { status: 'PENDING', statusCode, error, waitMs }
}

function outcomeAfterDead(
  { pauseMs, maxAgeMs }: DeliverySchedule['givenUp'],
  ageMs: number,
  failed: Pick<DeliveryOutcome, 'statusCode' | 'error'>,
): Omit<DeliveryOutcome, 'shownUrl'> {
  const isTooOld = ageMs >= maxAgeMs
  const error = `${asSentence(failed.error ?? '')} It had been given up with the text before.`
  return { ...failed, error, status: isTooOld ? 'DEAD' : 'PENDING', waitMs: isTooOld ? 0 : pauseMs }
}

function isDelivered(statusCode: number | null): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300
}

function askedMs(result: PostResult): number {
  if (result.kind !== 'Answered' || (result.statusCode !== 429 && result.statusCode !== 503)) return 0
  return result.retryAfterMs ?? 0
}

function describeStatus(statusCode: number): string {
  if (statusCode >= 300 && statusCode < 400)
    return `The webhook answered with a redirect (${statusCode}), which is not followed.`
  if (statusCode === 410) return 'The webhook is gone for good (410).'
  return `The webhook answered ${statusCode}.`
}
