/** What the planner answers (spec 4): a goal and tasks. Its rules beyond the shape are in `core/plan-rules.ts`. */
import * as z from 'zod'
import type { ProposedPlan } from '../../core/plan.ts'
import { isStorable, toStorable } from '../../platform/well-formed.ts'
import { jsonFormat, unusable, type Parsed } from '../answer-format.ts'

const planSchema = z.strictObject({
  goal: z.string().describe('What the plan is to reach, in one sentence.'),
  tasks: z.array(
    z.strictObject({
      type: z.enum(['exec', 'msg']),
      detail: z
        .string()
        .describe('exec: the shell command. msg: what the messenger is to tell the user, and in which language.'),
      expect: z.string().nullable().describe('exec: what must hold for the result to be good. msg: null.'),
    }),
  ),
})

export const PLAN_FORMAT = jsonFormat('plan', planSchema, toPlan)

const TYPES = { exec: 'EXEC', msg: 'MSG' } as const

function toPlan({ goal, tasks }: z.output<typeof planSchema>): Parsed<ProposedPlan> {
  // In a text a stray character is replaced; a command would then be another one than the model wrote.
  const broken = tasks.findIndex((task) => task.type === 'exec' && !isStorable(task.detail))
  if (broken !== -1) {
    return unusable(
      `The command of task ${broken + 1} contains a NUL character or a broken Unicode character; it must not.`,
    )
  }
  const value = {
    goal: toStorable(goal),
    secrets: [],
    answers: [],
    tasks: tasks.map(({ type, detail, expect }) => ({
      type: TYPES[type],
      detail: toStorable(detail),
      skill: null,
      args: null,
      expect: expect === null ? null : toStorable(expect),
    })),
  }
  return { kind: 'usable', value }
}
