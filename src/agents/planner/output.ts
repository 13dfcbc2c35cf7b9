/** What the planner answers (spec 4): a goal and tasks. Its rules beyond the shape are in `core/plan/plan-rules.ts`. */
import * as z from 'zod'
import type { ProposedPlan, ProposedTask } from '../../core/plan/plan.ts'
import { isStorable, toStorable } from '../../platform/well-formed.ts'
import type { OpenQuestion, PlannerContext } from '../agent.ts'
import { jsonFormat, orNull, unusable, usable, withValue, type AnswerFormat, type Parsed } from '../answer-format.ts'
import { idsNamed, labelItems, readLabel } from '../prompt/labels.ts'

const taskSchema = z.strictObject({
  type: z.enum(['exec', 'skill', 'tool', 'msg']),
  detail: z
    .string()
    .describe(
      'exec: the shell command. skill, tool: what it is called for. msg: what the messenger is to tell the user, and in which language.',
    ),
  skill: orNull(z.string()).describe('skill, tool: its name. Otherwise null.'),
  args: orNull(z.string()).describe('skill, tool: its arguments, a JSON object as a string. Otherwise null.'),
  expect: orNull(z.string()).describe('exec, skill, tool: what must hold for the result to be good. msg: null.'),
})
const planSchema = z.strictObject({
  goal: z.string().describe('What the plan is to reach, in one sentence.'),
  secrets: orNull(z.array(z.strictObject({ key: z.string(), value: z.string() }))).describe(
    'Credentials that the message holds. Mostly null.',
  ),
  tasks: z.array(taskSchema),
  answers: orNull(
    z.array(
      z.strictObject({
        question: z.string().describe('The label of an open question, such as Q1.'),
        answer: z.string(),
      }),
    ),
  ).describe('Open questions that the message answers. Mostly null.'),
  facts: orNull(z.array(z.string())).describe(
    'The labels of the known facts that the plan relies on, such as F1. Null when on none.',
  ),
})
const PLAN_FORMAT = jsonFormat('plan', planSchema)

type PlannerItems = Pick<PlannerContext, 'questions' | 'facts'>

/** `shown`: to the planner. */
export function planFormat(shown: PlannerItems): AnswerFormat<ProposedPlan> {
  return withValue(PLAN_FORMAT, (plan) => toPlan(plan, shown))
}

const TYPES = { exec: 'EXEC', skill: 'SKILL', tool: 'TOOL', msg: 'MSG' } as const
const MAX_QUESTION_ANSWER_CHARS = 2000

type PlanJson = z.output<typeof planSchema>

function toPlan(plan: PlanJson, { questions, facts }: PlannerItems): Parsed<ProposedPlan> {
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
    answers: toAnswers(plan.answers ?? [], questions),
    factsUsed: idsNamed('F', facts, plan.facts ?? []),
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
function toAnswers(
  answers: NonNullable<PlanJson['answers']>,
  questions: readonly OpenQuestion[],
): ProposedPlan['answers'] {
  const shown = labelItems('Q', questions)
  const byId = new Map<string, string>()
  for (const { question, answer } of answers) {
    const id = shown.get(readLabel(question))?.id
    const text = toStorable(answer.trim().slice(0, MAX_QUESTION_ANSWER_CHARS))
    if (id !== undefined && text !== '' && !byId.has(id)) byId.set(id, text)
  }
  return [...byId].map(([questionId, answer]) => ({ questionId, answer }))
}
