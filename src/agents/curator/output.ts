/** What the curator answers: one evaluation for each learning it was shown, by label. */
import * as z from 'zod'
import type { Evaluation } from '../agent.ts'
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
import { labelItems, readLabel } from '../prompt/labels.ts'
import { oneLine } from '../prompt/one-line.ts'

const evaluationSchema = z.strictObject({
  learningId: z.string().describe('The label of the learning, such as L1.'),
  verdict: z.enum(['promote', 'replace', 'contradicts', 'ask', 'discard']),
  fact: orNull(z.string()).describe('promote, replace: the fact, in one self-contained sentence. Otherwise null.'),
  known: orNull(z.string()).describe('replace, contradicts: the label of the known fact, such as F7. Otherwise null.'),
  question: orNull(z.string()).describe('ask, contradicts: the question to the user. Otherwise null.'),
  reason: z.string().describe('Why, in a sentence.'),
})
const curationSchema = z.strictObject({ evaluations: z.array(evaluationSchema) })
const CURATION_FORMAT = jsonFormat('curation', curationSchema)

/** Of a fact and of a question: they stand in every prompt. */
export const MAX_FACT_CHARS = 500
const MAX_REASON_CHARS = 500

type Items = readonly { readonly id: string }[]

/** `facts`: those that it is shown. */
export function curationFormat(learnings: Items, facts: Items): AnswerFormat<readonly Evaluation[]> {
  return withValue(CURATION_FORMAT, ({ evaluations }) => toEvaluations({ learnings, facts }, evaluations))
}

type EvaluationJson = z.output<typeof evaluationSchema>

interface CuratorItems {
  readonly learnings: Items
  readonly facts: Items
}

function toEvaluations(
  { learnings, facts }: CuratorItems,
  evaluations: readonly EvaluationJson[],
): Parsed<readonly Evaluation[]> {
  const known = labelItems('F', facts)
  const shown = labelItems('L', learnings)
  const byLabel = Map.groupBy(evaluations, ({ learningId }) => readLabel(learningId))
  const read: Evaluation[] = []
  const problems: Rejected[] = []
  for (const [label, { id }] of shown) {
    const [evaluation, ...more] = byLabel.get(label) ?? []
    const parsed =
      evaluation === undefined || more.length > 0
        ? incomplete(`${label} must have exactly one evaluation.`)
        : toEvaluation({ learningId: id, label, known }, evaluation)
    if ('problem' in parsed) problems.push(parsed)
    read.push('problem' in parsed ? { learningId: id, reason: parsed.problem, verdict: 'UNUSABLE' } : parsed)
  }
  // One that cannot be used keeps none of the others.
  const [problem] = problems
  return problem !== undefined && problems.length === read.length ? problem : usable(read)
}

interface Judged {
  readonly learningId: string
  readonly label: string
  readonly known: ReadonlyMap<string, { readonly id: string }>
}

function toEvaluation({ learningId, label, known }: Judged, evaluation: EvaluationJson): Evaluation | Rejected {
  const { verdict } = evaluation
  const reason = oneLine(evaluation.reason).slice(0, MAX_REASON_CHARS).toWellFormed()
  if (reason === '') return incomplete(`The evaluation of ${label} has no reason. Say in a sentence why.`)
  if (verdict === 'discard') return { learningId, reason, verdict: 'DISCARD' }
  const key = verdict === 'promote' || verdict === 'replace' ? 'fact' : 'question'
  const text = oneLine(evaluation[key] ?? '')
  if (text === '') return incomplete(`The verdict on ${label} is "${verdict}", but its ${key} is missing.`)
  if (text.length > MAX_FACT_CHARS)
    return incomplete(`The ${key} of ${label} is ${text.length} characters long; at most ${MAX_FACT_CHARS} are kept.`)
  if (verdict === 'promote') return { learningId, reason, verdict: 'PROMOTE', fact: text }
  if (verdict === 'ask') return { learningId, reason, verdict: 'ASK', question: text }
  const factId = known.get(readLabel(evaluation.known ?? ''))?.id
  if (factId === undefined)
    return incomplete(`The verdict on ${label} is "${verdict}", but "known" is no label of a known fact.`)
  return verdict === 'replace'
    ? { learningId, reason, verdict: 'REPLACE', fact: text, factId }
    : { learningId, reason, verdict: 'CONTRADICTS', question: text, factId }
}
