/** What the reviewer answers (spec 4): whether the plan goes on, why not, and what was learned. */
import * as z from 'zod'
import { toStorable } from '../../platform/well-formed.ts'
import type { Review } from '../agent.ts'
import { incomplete, jsonFormat, orNull, usable, withValue, type Parsed } from '../answer-format.ts'
import { oneLine } from '../one-line.ts'

const reviewSchema = z.strictObject({
  status: z.enum(['ok', 'replan']),
  reason: orNull(z.string()).describe('replan: what went wrong, for the user and the planner. ok: null.'),
  learn: orNull(z.string()).describe('A fact worth keeping that the result shows, in one sentence; mostly null.'),
})

export const REVIEW_FORMAT = withValue(jsonFormat('review', reviewSchema), toReview)

/** A reason is shown to the user as it is. */
const MAX_REASON_CHARS = 2000
export const MAX_LEARN_CHARS = 500

function toReview({ status, reason, learn }: z.output<typeof reviewSchema>): Parsed<Review> {
  const words = reason === null ? '' : toStorable(reason.trim().slice(0, MAX_REASON_CHARS))
  const learned = learn === null ? '' : oneLine(learn)
  if (status === 'replan' && words === '')
    return incomplete('The status is "replan", but the reason is missing. Say in a sentence or two what went wrong.')
  if (learned.length > MAX_LEARN_CHARS)
    return incomplete(
      `What "learn" says is ${learned.length} characters long; at most ${MAX_LEARN_CHARS} are kept. Say it in one sentence, or null.`,
    )
  return usable({
    verdict: status === 'ok' ? 'OK' : 'REPLAN',
    reason: words === '' ? null : words,
    learn: learned === '' ? null : learned,
  })
}
