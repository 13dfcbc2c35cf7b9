/**
 * The plan rules. Each broken rule is one sentence that names the task by its number, says what is wrong and what would
 * be right: the planner mends its plan by these sentences alone, and the last ones are shown to the user.
 * What must hold: no sentence asks for a shape that another rule refuses, and src/agents/planner/prompt.md says the
 * same.
 */
import type { FoundSecret, ProposedPlan, ProposedTask } from './plan.ts'
import type { JsonObject } from '../tool/json.ts'
import { readArguments } from '../tool/read-arguments.ts'
import { completeArguments, MAX_ARGS_BYTES } from './skill-arguments.ts'
import type { SkillSummary } from './skill.ts'
import type { TaskType } from '../status.ts'

/**
 * One argument of a process may be 128 KiB on Linux; a command written by a model that comes near a quarter of it is a
 * mistake.
 */
export const MAX_DETAIL_BYTES = 32 * 1024
export const MAX_EXPECT_BYTES = 4 * 1024
const MAX_GOAL_BYTES = 4 * 1024
const MAX_SECRETS = 20
/** Shorter ones would redact half of every text. */
const MIN_SECRET_CHARS = 8
const MAX_SECRET_CHARS = 4096
const SECRET_KEY = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
/** A plan with a thousand wrong tasks needs no thousand sentences. */
const MAX_PROBLEMS = 20
const MAX_NAMES = 50
const MAX_NAME_CHARS = 60

export interface PlanLimits {
  readonly maxTasks: number
  /** Those that the user may use. */
  readonly skills: readonly SkillSummary[]
  /** The same of tools. */
  readonly tools: readonly CheckedTool[]
}

/** A tool as a plan may call it. */
export interface CheckedTool {
  readonly name: string
  /** What is wrong with the arguments: clauses; none when they fit. Absent: nothing is checked. */
  readonly problems?: (args: JsonObject) => readonly string[]
}

/** The rules that `plan` breaks, in the order of its tasks; empty when it may run. */
export function validatePlan(plan: ProposedPlan, limits: PlanLimits): string[] {
  const problems = [
    ...goalProblems(plan.goal),
    ...countProblems(plan.tasks.length, limits.maxTasks),
    ...plan.tasks.flatMap((task, index) => taskProblems(task, index + 1, limits)),
    ...lastTaskProblems(plan.tasks),
    ...secretProblems(plan.secrets),
  ]
  if (problems.length <= MAX_PROBLEMS) return problems
  return [
    ...problems.slice(0, MAX_PROBLEMS),
    `${problems.length - MAX_PROBLEMS} more problems of the same kinds are not listed.`,
  ]
}

function goalProblems(goal: string): string[] {
  return lengthProblems({ what: 'The goal', text: goal, maxBytes: MAX_GOAL_BYTES, right: 'One sentence is enough.' })
}

function countProblems(count: number, maxTasks: number): string[] {
  if (count === 0)
    return ['The plan has no tasks. It needs at least one; a plan that only answers has a single msg task.']
  if (count <= maxTasks) return []
  return [
    `The plan has ${count} tasks; at most ${maxTasks} are allowed. Join commands that belong together, or do less.`,
  ]
}

function taskProblems(task: ProposedTask, number: number, { skills, tools }: PlanLimits): string[] {
  const name = `${number} (${task.type.toLowerCase()})`
  const problems = [
    ...detailProblems(task, name),
    ...(task.type === 'MSG' ? noExpect(task, name) : needsExpect(task, name)),
  ]
  if (task.type === 'TOOL') return [...problems, ...toolProblems(task, name, tools)]
  return [...problems, ...(task.type === 'SKILL' ? skillProblems(task, name, skills) : noSkill(task, name))]
}

const DETAIL_IS: Readonly<Record<TaskType, string>> = {
  EXEC: 'is the shell command to run',
  SKILL: 'says what the skill is called for',
  TOOL: 'says what the tool is called for',
  MSG: 'says what to tell the user',
}
const SHORTER_DETAIL: Readonly<Record<TaskType, string>> = {
  EXEC: 'Split the command, or write a long file in several tasks.',
  SKILL: 'One sentence is enough.',
  TOOL: 'One sentence is enough.',
  MSG: 'Say what the messenger needs; the outputs of the tasks before it are shown to it anyway.',
}

/** `name`: the task as sentences name it after the word "task", such as "2 (exec)". */
function detailProblems({ type, detail }: ProposedTask, name: string): string[] {
  if (detail.trim() === '') return [`Task ${name} has a blank detail. Its detail ${DETAIL_IS[type]}.`]
  const what = `The detail of task ${name}`
  return lengthProblems({ what, text: detail, maxBytes: MAX_DETAIL_BYTES, right: SHORTER_DETAIL[type] })
}

function needsExpect({ expect }: ProposedTask, name: string): string[] {
  if (expect === null || expect.trim() === '')
    return [`Task ${name} has no expect. Say in a sentence what must hold for its result to be good.`]
  const what = `The expect of task ${name}`
  return lengthProblems({ what, text: expect, maxBytes: MAX_EXPECT_BYTES, right: 'One sentence is enough.' })
}

function noExpect({ expect }: ProposedTask, name: string): string[] {
  return expect === null ? [] : [`Task ${name} has an expect. Messages are not reviewed: its expect must be null.`]
}

function noSkill({ skill, args }: ProposedTask, name: string): string[] {
  const extra = [...(skill === null ? [] : ['skill']), ...(args === null ? [] : ['args'])].join(' and ')
  return extra === ''
    ? []
    : [`Task ${name} has ${extra}, which only skill and tool tasks have. Here they must be null.`]
}

function skillProblems({ skill: wanted, args }: ProposedTask, name: string, skills: readonly SkillSummary[]): string[] {
  const skill = skills.find((one) => one.name === wanted)
  if (skill !== undefined) {
    const completed = completeArguments(skill, args)
    return completed.kind === 'complete' ? [] : completed.problems.map((problem) => `Task ${name}: ${problem}.`)
  }
  const named =
    wanted === null || wanted.trim() === ''
      ? 'names no skill'
      : `names the skill ${JSON.stringify(wanted.slice(0, MAX_NAME_CHARS))}, which is not among those that may be used here`
  return [`Task ${name} ${named}. ${waysOut(skills)}`]
}

function toolProblems(
  { tool: wanted = null, args }: ProposedTask,
  name: string,
  tools: readonly CheckedTool[],
): string[] {
  const tool = tools.find((one) => one.name === wanted)
  if (tool !== undefined) {
    const given = readToolArguments(args)
    if (given === null) return [`Task ${name}: its args are no JSON object, written as a string.`]
    return (tool.problems?.(given) ?? []).map((problem) => `Task ${name}: ${problem}.`)
  }
  const named =
    wanted === null || wanted.trim() === ''
      ? 'names no tool in skill'
      : `names the tool ${JSON.stringify(wanted.slice(0, MAX_NAME_CHARS))}, which is not among those that may be called here`
  return [`Task ${name} ${named}. ${waysOut(tools)}`]
}

/** Null: they are too long, or no JSON object. None at all stand for {}. */
export function readToolArguments(text: string | null): JsonObject | null {
  return Buffer.byteLength(text ?? '') > MAX_ARGS_BYTES ? null : readArguments(text ?? '')
}

/** What there is instead: feedback that names no way out is repeated for ever. */
function waysOut(skills: readonly { readonly name: string }[]): string {
  const otherwise = 'exec tasks, or say in a single msg task what is missing'
  if (skills.length === 0) return `There are none: use ${otherwise}.`
  const names = skills.slice(0, MAX_NAMES).map((skill) => skill.name)
  const more = skills.length > MAX_NAMES ? ` and ${skills.length - MAX_NAMES} more, which the prompt lists` : ''
  return `These may be used: ${names.join(', ')}${more}. If none of them does it, use ${otherwise}.`
}

function lastTaskProblems(tasks: readonly ProposedTask[]): string[] {
  const last = tasks.at(-1)
  if (last === undefined || last.type === 'MSG') return []
  const type = last.type.toLowerCase()
  return [
    `Task ${tasks.length}, the last one, is ${type}. The last task must be msg: it is how the user gets the answer.`,
  ]
}

/** Whether a secret can be kept under this name. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key)
}

/** Never with the key or the value: a model that mixes them up must not bring a secret into an event. */
function secretProblems(secrets: readonly FoundSecret[]): string[] {
  const tooMany =
    secrets.length <= MAX_SECRETS
      ? []
      : [
          `The plan has ${secrets.length} secrets; at most ${MAX_SECRETS} are kept. Leave out those that are not needed.`,
        ]
  const keys = secrets.map((secret) => secret.key)
  return [
    ...tooMany,
    ...secrets.flatMap(({ key, value }, index) => [
      ...(isSecretKey(key)
        ? []
        : [
            `The key of secret ${index + 1} is no name. It must have 1 to 64 letters, digits and _, and not begin with a digit, such as GITHUB_TOKEN.`,
          ]),
      ...(keys.indexOf(key) === index
        ? []
        : [`Secret ${index + 1} has the same key as an earlier one. Give each another key.`]),
      ...(value.length >= MIN_SECRET_CHARS && value.length <= MAX_SECRET_CHARS
        ? []
        : [
            `The value of secret ${index + 1} has ${value.length} characters; ${MIN_SECRET_CHARS} to ${MAX_SECRET_CHARS} can be kept. Leave it out of the secrets.`,
          ]),
    ]),
  ]
}

interface Length {
  readonly what: string
  readonly text: string
  readonly maxBytes: number
  readonly right: string
}

function lengthProblems({ what, text, maxBytes, right }: Length): string[] {
  const bytes = Buffer.byteLength(text)
  return bytes <= maxBytes ? [] : [`${what} is ${bytes} bytes long; at most ${maxBytes} are allowed. ${right}`]
}
