/**
 * SKILL: runs an installed skill with the arguments of the plan. Whether it is still there and the user may still use
 * it is asked at this moment: between planning and now an admin may have changed either.
 */
import { AppError } from '../../core/errors.ts'
import type { CurrentUser } from '../../config/access/current-user.ts'
import { mayUseSkill } from '../../config/access/may-use-skill.ts'
import type { CommandOutcome, SkillInput } from '../../execution/command.ts'
import { deployEnvironment, describeMissing } from '../../execution/skills/deploy-environment.ts'
import type { SkillArguments } from '../../core/plan/skill.ts'
import type { InstalledSkill } from '../../execution/skills/skill-folder.ts'
import { outputsBefore } from './outputs-before.ts'
import type { PlanState, TaskState } from '../task/plan-state.ts'
import { refuseTask } from '../task/refuse-task.ts'
import { runProgram, type RunFrame } from './run-program.ts'
import type { TaskOutcome } from '../task/task-outcome.ts'
import type { TaskContext, TurnContext } from '../turn-context.ts'

/** A task of type SKILL with its plan. */
export interface SkillTask {
  readonly plan: PlanState
  readonly task: TaskState
  /** As configured now. */
  readonly user: CurrentUser
}

type RunSkillContext = TaskContext &
  Pick<TurnContext, 'signal' | 'commands' | 'skills' | 'config' | 'home' | 'publicUrl' | 'database' | 'logger'>

/** A skill that may not be used any more fails its task and ends the turn. */
export async function runSkill(context: RunSkillContext, { plan, task, user }: SkillTask): Promise<TaskOutcome> {
  const name = task.skill ?? ''
  const skill = context.skills.scan().skills.get(name)
  if (skill === undefined) return refuseTask(context, task, `the skill "${name}" is no longer installed`)
  if (!mayUseSkill(user, name)) {
    return refuseTask(context, task, `the user ${user.name} may no longer use the skill "${name}"`)
  }
  const call = {
    skill,
    args: (task.args ?? {}) as SkillArguments,
    role: user.role,
    outputs: outputsBefore(context, plan, task),
  }
  const { role } = user
  const mayHoldSecrets = role === 'ADMIN' || skill.env.length > 0 || skill.secrets.length > 0
  return runProgram(context, task, {
    word: 'skill',
    role,
    mayHoldSecrets,
    start: (frame) => start(context, call, frame),
  })
}

type Call = Pick<SkillInput, 'skill' | 'args' | 'role' | 'outputs'>

/** Secrets are looked up last, and nothing but the skill's input and environment holds them. */
async function start(
  { secrets, commands }: Pick<TurnContext, 'secrets' | 'commands'>,
  call: Call,
  frame: RunFrame,
): Promise<CommandOutcome> {
  const { skill } = call
  const { variables, missing } = deployEnvironment(skill, (variable) => secrets.deploy(variable))
  if (missing.length > 0) throw new AppError('SKILL_REFUSED', describeMissing(skill.name, missing))
  const sessionSecrets = declaredSecrets(skill, secrets.ephemeral())
  return commands.runSkill({ ...frame, ...call, environment: variables, sessionSecrets })
}

/** Only the keys that the manifest names; one whose value no message has brought yet is left out. */
function declaredSecrets(skill: InstalledSkill, known: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([...known].filter(([key]) => skill.secrets.includes(key)))
}
