/**
 * What the assistant may call in this turn: commands, the skills and tools that its user may use, and what the server
 * itself offers. Each call becomes a task of the type that does the same in a plan.
 */
import type { CurrentUser } from '../../config/access/current-user.ts'
import { mayUseTool } from '../../config/access/may-use-skill.ts'
import { mayCall } from '../../core/tool/delegated.ts'
import { argumentsSchema } from '../../core/plan/arguments-schema.ts'
import { completeArguments } from '../../core/plan/skill-arguments.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { TaskType } from '../../core/status.ts'
import { SKILLS_SOURCE, toolName } from '../../core/tool/tool-name.ts'
import { usableSkills } from '../../execution/skills/usable-skills.ts'
import type { InstalledSkill } from '../../execution/skills/skill-folder.ts'
import type { OfferedTool, RequestedCall } from '../../model/conversation/conversation.ts'
import { OWN_TOOLS } from '../../tools/own-tools.ts'
import { argumentProblems } from '../../tools/check-arguments.ts'
import { skillCall as skillName } from '../delegation/may-be-called.ts'
import type { TurnContext } from '../turn-context.ts'

/** The name by which a model calls a command. */
export const EXEC = 'exec'

/** What a call comes to; with a problem it is not made, and the model is given that. */
export interface ReadCall {
  readonly type: Exclude<TaskType, 'MSG'>
  readonly detail: string
  readonly skill: string | null
  readonly tool: string | null
  readonly args: JsonObject | null
  readonly problem: string | null
}

interface Callable {
  readonly offer: OfferedTool
  readonly read: (args: JsonObject) => Omit<ReadCall, 'problem'> & { readonly problem?: string | null }
}

/** By the name that the model is given. */
export type Callables = ReadonlyMap<string, Callable>

/** By name. Whether the user may still use them is asked again at each call. */
export function callablesOf(
  { skills, tools, delegated }: Pick<TurnContext, 'skills' | 'tools' | 'delegated'>,
  user: CurrentUser,
): Callables {
  const ofTools = [...tools.tools.values()].filter(({ name }) => mayUseTool(user, name))
  const all = [
    ...(mayCall(delegated, EXEC) ? [COMMAND] : []),
    ...usableSkills(skills, user)
      .filter(({ name }) => mayCall(delegated, skillName(name)))
      .flatMap((skill) => skillCall(skill)),
    ...[...ofTools, ...OWN_TOOLS].map((tool): Callable => {
      const { name, description, parameters } = tool
      const read: Callable['read'] = (args) => ({
        type: 'TOOL',
        detail: `Calls ${name}.`,
        skill: null,
        tool: name,
        args,
        problem: argumentProblems(parameters, args).join('; ') || null,
      })
      return { offer: { name, description, parameters }, read }
    }),
  ]
  return new Map(all.map((one) => [one.offer.name, one]))
}

const COMMAND: Callable = {
  offer: {
    name: EXEC,
    description: "Runs a command with bash in the session's workspace; gives its output and exit code.",
    parameters: {
      type: 'object',
      properties: { command: { type: 'string', description: 'Exactly as bash is to run it.' } },
      required: ['command'],
      additionalProperties: false,
    },
  },
  read: ({ command }) => {
    const detail = typeof command === 'string' ? command : ''
    const problem = detail.trim() === '' ? '"command" must be a text that is not blank' : null
    return { type: 'EXEC', detail, skill: null, tool: null, args: null, problem }
  },
}

/** None for a skill whose name providers would not take. */
function skillCall(skill: InstalledSkill): Callable[] {
  const name = toolName(SKILLS_SOURCE, skill.name)
  if (name === null) return []
  const offer = { name, description: skill.summary, parameters: argumentsSchema(skill.args) }
  return [
    {
      offer,
      read: (given) => {
        const completed = completeArguments(skill, JSON.stringify(given))
        const isComplete = completed.kind === 'complete'
        return {
          type: 'SKILL',
          detail: `Calls the skill ${skill.name}.`,
          skill: skill.name,
          tool: null,
          // The model is shown its own call beside what was wrong with it.
          args: isComplete ? completed.args : given,
          problem: isComplete ? null : completed.problems.join('; '),
        }
      },
    },
  ]
}

/**
 * Whatever a model asks for becomes a task, so that it is seen. `whyGone`: why a tool is not there now, as far
 * as the user may read it.
 */
export function readCall(
  callables: Callables,
  { name, args, written }: RequestedCall,
  whyGone: (name: string) => string | null,
): ReadCall {
  const callable = callables.get(name)
  const unread = { type: 'TOOL', detail: `Calls ${name}.`, skill: null, tool: name, args } as const
  if (callable === undefined) {
    const gone = whyGone(name)
    const problem = name === '' ? 'The call names no tool' : `There is no tool "${name}" that may be called here`
    const why = gone === null ? '' : ` (${gone})`
    return { ...unread, problem: `${problem}${why}. These may be called: ${[...callables.keys()].join(', ')}.` }
  }
  if (args === null) {
    const cut = written.length > 0 ? ' Perhaps they were cut off because they are too long.' : ''
    return { ...unread, problem: `The arguments are no JSON object.${cut}` }
  }
  const read = callable.read(args)
  const problem = read.problem == null ? null : `The call was not made: ${read.problem}.`
  return { ...read, problem }
}
