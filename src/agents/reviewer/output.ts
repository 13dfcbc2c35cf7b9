/** What the reviewer answers: whether the plan goes on, why not, and what was learned. */
import * as z from 'zod'
import { toStorable } from '../../platform/well-formed.ts'
import type { Review } from '../agent.ts'
import { incomplete, jsonFormat, orNull, usable, withValue, type Parsed } from '../answer-format.ts'
import { oneLine } from '../prompt/one-line.ts'

const reviewSchema = z.strictObject({
  status: z.enum(['ok', 'replan']),
  reason: orNull(z.string()).describe('replan: what went wrong, for the user and the planner. ok: null.'),
  learn: orNull(z.string()).describe('A fact worth keeping that the result shows, in one sentence; mostly null.'),
})

export const REVIEW_FORMAT = withValue(jsonFormat('review', reviewSchema), toReview)

/** A reason is shown to the user as it is. */
const MAX_REASON_CHARS = 2000
/** More than is kept (src/knowledge decides), so that what is too long is seen to be; it must not cost the turn. */
const MAX_LEARN_CHARS = 2000

function toReview({ status, reason, learn }: z.output<typeof reviewSchema>): Parsed<Review> {
  const words = reason === null ? '' : toStorable(reason.trim().slice(0, MAX_REASON_CHARS))
  const learned = learn === null ? '' : oneLine(learn.slice(0, MAX_LEARN_CHARS))
  if (status === 'replan' && words === '')
    return incomplete('The status is "replan", but the reason is missing. Say in a sentence or two what went wrong.')
  return usable({
    verdict: status === 'ok' ? 'OK' : 'REPLAN',
    reason: words === '' ? null : words,
    learn: learned === '' ? null : learned,
  })
}
