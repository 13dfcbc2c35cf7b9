/** What the summarizer answers: the new summary, as free text of bounded length. */
import { toStorable } from '../../platform/well-formed.ts'
import { incomplete, usable, type AnswerFormat } from '../answer-format.ts'

/** What the prompt asks for. */
const WANTED_SUMMARY_CHARS = 4_000
/** What is stored at most: it stands in every prompt. Models count badly, so it is more than they are asked for. */
const MAX_SUMMARY_CHARS = 2 * WANTED_SUMMARY_CHARS

export const SUMMARY_FORMAT: AnswerFormat<string> = {
  schema: null,
  parse: (text) => {
    const summary = toStorable(text.trim())
    if (summary === '') return incomplete('The summary is empty.')
    if (summary.length <= MAX_SUMMARY_CHARS) return usable(summary)
    return incomplete(
      `The summary is ${summary.length} characters long; write at most ${WANTED_SUMMARY_CHARS}. Keep decisions, facts and open ends, and drop what is over.`,
    )
  },
}
