/** What the reviewer answers (spec 4): whether the plan goes on, and why not. */
import * as z from 'zod'
import { toStorable } from '../../platform/well-formed.ts'
import type { Review } from '../agent.ts'
import { jsonFormat, type Parsed } from '../answer-format.ts'

const reviewSchema = z.strictObject({
  status: z.enum(['ok', 'replan']),
  reason: z.string().nullable().describe('replan: what went wrong, for the user and the planner. ok: null.'),
})

export const REVIEW_FORMAT = jsonFormat('review', reviewSchema, toReview)

/** A reason is shown to the user as it is. */
const MAX_REASON_CHARS = 2000

function toReview({ status, reason }: z.output<typeof reviewSchema>): Parsed<Review> {
  const words = reason === null ? '' : toStorable(reason.trim().slice(0, MAX_REASON_CHARS))
  if (status === 'ok') return { kind: 'usable', value: { verdict: 'OK', reason: words === '' ? null : words } }
  if (words === '')
    return {
      kind: 'incomplete',
      problem: 'The status is "replan", but the reason is missing. Say in a sentence or two what went wrong.',
    }
  return { kind: 'usable', value: { verdict: 'REPLAN', reason: words } }
}
