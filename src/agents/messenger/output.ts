/**
 * What the messenger answers: free text. It is the message to the user exactly as it streamed, without the mark that
 * says which facts it relies on.
 */
import { takeFactMarks } from '../../core/text/fact-marks.ts'
import type { KnownFact, WrittenMessage } from '../agent.ts'
import { usable, type AnswerFormat } from '../answer-format.ts'
import { idsNamed } from '../prompt/labels.ts'

/** `facts`: those that the messenger was shown. */
export function messageFormat(facts: readonly KnownFact[]): AnswerFormat<WrittenMessage> {
  return { schema: null, parse: (text) => usable(writtenOf(text, facts)) }
}

/** What was written without marks, and the facts that they name. */
export function writtenOf(written: string, facts: readonly KnownFact[]): WrittenMessage {
  const { text, labels } = takeFactMarks(written)
  return { text, factsUsed: idsNamed('F', facts, labels) }
}
