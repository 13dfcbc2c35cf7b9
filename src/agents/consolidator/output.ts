/** What the summarizer answers when it consolidates facts: what becomes of each, by label, each named exactly once. */
import * as z from 'zod'
import { must } from '../../platform/must.ts'
import type { Consolidation, KnownFact } from '../agent.ts'
import {
  incomplete,
  jsonFormat,
  orNull,
  usable,
  withValue,
  type AnswerFormat,
  type Parsed,
  type Rejected,
} from '../answer-format.ts'
import { MAX_FACT_CHARS } from '../curator/output.ts'
import { labelItems, missedLabels, readLabel } from '../prompt/labels.ts'
import { oneLine } from '../prompt/one-line.ts'

const operationSchema = z.strictObject({
  operation: z.enum(['keep', 'edit', 'merge', 'drop']),
  facts: z.array(z.string()).describe('The labels, such as F1: one, or for merge two or more.'),
  content: orNull(z.string()).describe('edit, merge: the new text. Otherwise null.'),
  reason: orNull(z.string()).describe('drop: why. Otherwise null.'),
})
const consolidationSchema = z.strictObject({ operations: z.array(operationSchema) })
const CONSOLIDATION_FORMAT = jsonFormat('consolidation', consolidationSchema)

const MAX_REASON_CHARS = 500

export function consolidationFormat(facts: readonly KnownFact[]): AnswerFormat<readonly Consolidation[]> {
  return withValue(CONSOLIDATION_FORMAT, ({ operations }) => toConsolidations(facts, operations))
}

type OperationJson = z.output<typeof operationSchema>

function toConsolidations(
  facts: readonly KnownFact[],
  operations: readonly OperationJson[],
): Parsed<readonly Consolidation[]> {
  const shown = labelItems('F', facts)
  const labels = operations.flatMap((operation) => operation.facts.map(readLabel))
  const missed = missedLabels(shown.keys(), labels)
  if (missed !== null) return incomplete(`Each fact must be named exactly once; ${missed}.`)
  const read: Consolidation[] = []
  for (const operation of operations) {
    const ids = operation.facts.map((text) => must(shown.get(readLabel(text)), 'labels were checked').id)
    const parsed = toConsolidation(operation, ids)
    if ('problem' in parsed) return parsed
    read.push(parsed)
  }
  return usable(read)
}

function toConsolidation(json: OperationJson, factIds: readonly string[]): Consolidation | Rejected {
  const { operation } = json
  const name = `"${operation}" of ${json.facts.map(readLabel).join(', ') || 'no fact'}`
  const [factId, ...others] = factIds
  if (factId === undefined) return incomplete(`The ${name} names no fact; leave it out.`)
  if (operation === 'merge' && others.length === 0)
    return incomplete(`The ${name} names one fact; to merge takes two or more. Use "keep" or "edit".`)
  if (operation !== 'merge' && others.length > 0)
    return incomplete(`The ${name} names ${factIds.length} facts; only "merge" takes more than one.`)
  if (operation === 'keep') return { operation: 'KEEP', factId }
  if (operation === 'drop') {
    const reason = oneLine(json.reason ?? '')
      .slice(0, MAX_REASON_CHARS)
      .toWellFormed()
    return reason === '' ? incomplete(`The ${name} has no reason.`) : { operation: 'DROP', factId, reason }
  }
  const content = oneLine(json.content ?? '')
  if (content === '') return incomplete(`The ${name} has no content.`)
  if (content.length > MAX_FACT_CHARS)
    return incomplete(`The content of the ${name} is ${content.length} characters long; at most ${MAX_FACT_CHARS}.`)
  return operation === 'edit' ? { operation: 'EDIT', factId, content } : { operation: 'MERGE', factIds, content }
}
