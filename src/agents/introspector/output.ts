/**
 * What the introspector answers: its notes, perhaps a description, and what it learned; all of bounded length.
 */
import * as z from 'zod'
import { toStorable } from '../../platform/well-formed.ts'
import type { Introspection } from '../agent.ts'
import { incomplete, jsonFormat, orNull, usable, withValue, type AnswerFormat, type Parsed } from '../answer-format.ts'
import { oneLine } from '../prompt/one-line.ts'

const introspectionSchema = z.strictObject({
  workingMemory: z.string().describe('The notes for the rest of this conversation, whole; empty for none.'),
  description: orNull(z.string()).describe('A new label of at most 80 characters; null: the one there is stays.'),
  learnings: z.array(z.string()).describe('Sentences that matter in other conversations; mostly none.'),
})

/** What the prompt asks for. */
const WANTED_MEMORY_CHARS = 2_000
/**
 * What is stored at most: it stands in every prompt of the session. Models count badly, so it is more than they are
 * asked for.
 */
export const MAX_MEMORY_CHARS = 2 * WANTED_MEMORY_CHARS
export const MAX_LABEL_CHARS = 200
/** Of those that it wants to keep; more are let go without a word. */
export const MAX_LEARNINGS = 5

export const INTROSPECTION_FORMAT: AnswerFormat<Introspection> = withValue(
  jsonFormat('introspection', introspectionSchema),
  toIntrospection,
)

function toIntrospection(answer: z.output<typeof introspectionSchema>): Parsed<Introspection> {
  const workingMemory = toStorable(answer.workingMemory.trim())
  if (workingMemory.length > MAX_MEMORY_CHARS)
    return incomplete(
      `The workingMemory is ${workingMemory.length} characters long; write at most ${WANTED_MEMORY_CHARS}. Drop what is settled.`,
    )
  const description = oneLine(answer.description ?? '')
  if (description.length > MAX_LABEL_CHARS)
    return incomplete(`The description is ${description.length} characters long; write at most 80.`)
  const learnings = answer.learnings.map(oneLine).filter((text) => text !== '')
  return usable({
    workingMemory,
    description: description === '' ? null : description,
    learnings: learnings.slice(0, MAX_LEARNINGS),
  })
}
