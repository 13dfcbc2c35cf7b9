/** What the planner answers: a goal and tasks. Its rules beyond the shape are in `core/plan/plan-rules.ts`. */
import * as z from 'zod'
import type { AnswerOutcome, ProposedAnswer, ProposedPlan, ProposedTask } from '../../core/plan/plan.ts'
import { isStorable, toStorable } from '../../platform/well-formed.ts'
import type { PlannerContext } from '../agent.ts'
import { jsonFormat, orNull, unusable, usable, withValue, type AnswerFormat, type Parsed } from '../answer-format.ts'
import { idsNamed, labelItems, readLabel } from '../prompt/labels.ts'
import { labelFacts } from './questions-section.ts'

/** Where no schema is enforced, models write the object itself. */
const argsSchema = z.preprocess(
  (value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value),
  z.string(),
)
const taskSchema = z.strictObject({
  type: z.enum(['exec', 'skill', 'tool', 'msg']),
  detail: z
    .string()
    .describe(
      'exec: the shell command. skill, tool: what it is called for. msg: what the messenger is to tell the user, and in which language.',
    ),
  skill: orNull(z.string()).describe('skill, tool: its name. Otherwise null.'),
  args: orNull(argsSchema).describe('skill, tool: its arguments, a JSON object as a string. Otherwise null.'),
  expect: orNull(z.string()).describe('exec, skill, tool: what must hold for the result to be good. msg: null.'),
})
const answerSchema = z.strictObject({
  question: z.string().describe('The label of an open question, such as Q1.'),
  answer: z.string(),
})
const outcomeSchema = z.strictObject({
  verdict: z.enum(['replace', 'keep']),
  fact: z.string().describe('The label of a fact that the question is about.'),
  text: orNull(z.string()).describe('replace: what holds in its place. keep: null.'),
})
const settlingSchema = answerSchema.extend({
  // One that is malformed counts for nothing: no plan is refused for it.
  outcome: orNull(outcomeSchema).catch(null).describe('What follows for a fact that the question is about.'),
})
const planFields = {
  goal: z.string().describe('What the plan is to reach, in one sentence.'),
  secrets: orNull(z.array(z.strictObject({ key: z.string(), value: z.string() }))).describe(
    'Credentials that the message holds. Mostly null.',
  ),
  tasks: z.array(taskSchema),
}
const ANSWERS = 'Open questions that the message answers. Mostly null.'
const factsField = orNull(z.array(z.string())).describe(
  'The labels of the known facts that the plan relies on, such as F1. Null when on none.',
)
const planSchema = z.strictObject({
  ...planFields,
  answers: orNull(z.array(answerSchema)).describe(ANSWERS),
  facts: factsField,
})
const settlingPlanSchema = z.strictObject({
  ...planFields,
  answers: orNull(z.array(settlingSchema)).describe(ANSWERS),
  facts: factsField,
})
/** Where a question is about facts. Elsewhere no outcome is asked for, and one that is given counts for nothing. */
const SETTLING_FORMAT = jsonFormat('plan', settlingPlanSchema)
const PLAN_FORMAT = { ...SETTLING_FORMAT, schema: jsonFormat('plan', planSchema).schema }

type PlannerItems = Pick<PlannerContext, 'questions' | 'questionFacts' | 'facts'>

/** `shown`: to the planner. */
export function planFormat(shown: PlannerItems): AnswerFormat<ProposedPlan> {
  return withValue(shown.questionFacts.length === 0 ? PLAN_FORMAT : SETTLING_FORMAT, (plan) => toPlan(plan, shown))
}

const TYPES = { exec: 'EXEC', skill: 'SKILL', tool: 'TOOL', msg: 'MSG' } as const
const MAX_QUESTION_ANSWER_CHARS = 2000

type PlanJson = z.output<typeof settlingPlanSchema>

function toPlan(plan: PlanJson, shown: PlannerItems): Parsed<ProposedPlan> {
  // In a text a stray character is replaced; a command would then be another one than the model wrote.
  const broken = plan.tasks.findIndex((task) => task.type === 'exec' && !isStorable(task.detail))
  if (broken !== -1) {
    return unusable(
      `The command of task ${broken + 1} contains a NUL character or a broken Unicode character; it must not.`,
    )
  }
  return usable({
    goal: toStorable(plan.goal),
    secrets: plan.secrets ?? [],
    tasks: plan.tasks.map(toTask),
    answers: toAnswers(plan.answers ?? [], shown),
    factsUsed: idsNamed('F', [...labelFacts(shown).values()], plan.facts ?? []),
  })
}

function toTask({ type, detail, skill, args, expect }: PlanJson['tasks'][number]): ProposedTask {
  return {
    type: TYPES[type],
    detail: toStorable(detail),
    skill: skill === null || type === 'tool' ? null : toStorable(skill),
    ...(type === 'tool' ? { tool: skill === null ? null : toStorable(skill) } : {}),
    args: args === null ? null : toStorable(args),
    expect: expect === null ? null : toStorable(expect),
  }
}

/**
 * An answer to a question that was not shown means nothing, and the plan is as good without it; of two, the first
 * counts.
 */
function toAnswers(answers: NonNullable<PlanJson['answers']>, shown: PlannerItems): ProposedPlan['answers'] {
  const questions = labelItems('Q', shown.questions)
  const byId = new Map<string, ProposedAnswer>()
  for (const { question, answer, outcome } of answers) {
    const questionId = questions.get(readLabel(question))?.id
    const text = toStorable(answer.trim().slice(0, MAX_QUESTION_ANSWER_CHARS))
    if (questionId === undefined || text === '' || byId.has(questionId)) continue
    byId.set(questionId, { questionId, answer: text, outcome: toOutcome(outcome, questionId, shown) })
  }
  return [...byId.values()]
}

/** Null: of no use, as of a fact that the question is not about; the answer is as good without it. */
function toOutcome(
  outcome: z.output<typeof outcomeSchema> | null,
  questionId: string,
  shown: PlannerItems,
): AnswerOutcome | null {
  if (outcome === null) return null
  const factId = labelFacts(shown).get(readLabel(outcome.fact))?.id
  const isAbout = shown.questionFacts.some((fact) => fact.id === factId && fact.questionId === questionId)
  if (factId === undefined || !isAbout) return null
  if (outcome.verdict === 'keep') return { verdict: 'KEEP', factId, text: null }
  const text = outcome.text?.trim() ?? ''
  if (text === '' || text.length > MAX_QUESTION_ANSWER_CHARS) return null
  return { verdict: 'REPLACE', factId, text: toStorable(text) }
}
