/**
 * `[approvals]`: the rules by which a task runs, needs a user's approval, or may not run
 * (src/core/approval-policy.ts).
 */
import * as z from 'zod'
import type { ApprovalEffect, ApprovalPolicy, ApprovalRule } from '../../core/approval-policy.ts'
import type { FoundProblem } from '../config-problem.ts'
import { says, text, trueOrFalse } from '../field.ts'

const EFFECTS = { allow: 'ALLOW', require: 'REQUIRE', deny: 'DENY' } as const satisfies Record<string, ApprovalEffect>
const EFFECT_NAMES = ['allow', 'require', 'deny'] as const
const EFFECT_RULE = says('must be "allow", "require" (an approval) or "deny"')

/** What a shell would read otherwise could never be found in a command. */
const COMMAND_RULE =
  'must be the first words of a command, such as "git push": 1 to 200 characters without quotes, $ and other special characters'

export const approvalRuleSchema = z.strictObject(
  {
    effect: z.enum(EFFECT_NAMES, EFFECT_RULE).meta({ description: '"allow", "require" (an approval) or "deny".' }),
    task: z.enum(['exec', 'skill', 'tool'], says('must be "exec", "skill" or "tool"')).optional().meta({
      description:
        'Only commands ("exec"), only calls of skills ("skill") or only calls of other tools ("tool"). Left out: all.',
    }),
    command: text(COMMAND_RULE, isCommandPrefix)
      .optional()
      .meta({
        description:
          'Only commands that begin with these words. Every command of a line counts, also behind ";", "&&", "sudo" and in "$( )". ' +
          'What cannot be read before it runs counts as such a command when the effect is "require" or "deny".',
      }),
    skill: text('must be the name of a skill', (value) => value !== '')
      .optional()
      .meta({ description: 'Only calls of this skill.' }),
    tool: text('must be the name of a tool, "<source>__<tool>", or a pattern such as "gmail__*"', isToolPattern)
      .optional()
      .meta({ description: 'Only calls of this tool, or of tools that the pattern names: "gmail__send", "gmail__*".' }),
    tool_effect: z
      .enum(['read', 'write'], says('must be "read" or "write"'))
      .optional()
      .meta({ description: 'Only calls of tools that change nothing ("read"), or of those that may ("write").' }),
    role: z
      .enum(['admin', 'user'], says('must be "admin" or "user"'))
      .optional()
      .meta({ description: 'Only for users of this role. Left out: for all.' }),
  },
  says('must be sections [[approvals.rules]]'),
)

export const approvalsSchema = z.strictObject(
  {
    default: z
      .enum(EFFECT_NAMES, EFFECT_RULE)
      .default('allow')
      .meta({ description: 'What happens to a command or skill that no rule names: "allow", "require" or "deny".' }),
    own_user_may_decide: trueOrFalse().default(false).meta({
      description: 'Whether the user whose message it is may decide about an approval, too. Admins always may.',
    }),
    plans_with_strangers: trueOrFalse().default(true).meta({
      description:
        "Whether an admin's plan with commands or skills needs an approval in a session in which people have written whom nobody knows.",
    }),
    rules: z.array(approvalRuleSchema, says('must be sections [[approvals.rules]]')).default([]).meta({
      description:
        '[[approvals.rules]]: "deny" beats all others; otherwise the rule with the longest command decides, and among equals "require".',
    }),
  },
  says('must be a section [approvals]'),
)

type ApprovalsSection = z.output<typeof approvalsSchema>

export function toApprovalPolicy(section: ApprovalsSection): ApprovalPolicy {
  return {
    fallback: EFFECTS[section.default],
    ownUserMayDecide: section.own_user_may_decide,
    plansWithStrangers: section.plans_with_strangers,
    rules: section.rules.map(toRule),
  }
}

function toRule(rule: ApprovalsSection['rules'][number]): ApprovalRule {
  const { effect, command, skill, tool, tool_effect: toolEffect, role } = rule
  return {
    effect: EFFECTS[effect],
    task: taskOf(rule),
    command: command === undefined ? null : command.trim().split(/\s+/),
    skill: skill ?? null,
    ...(tool === undefined ? {} : { tool }),
    ...(toolEffect === undefined ? {} : { toolEffect: TOOL_EFFECTS[toolEffect] }),
    role: role === undefined ? null : ROLES[role],
  }
}

function taskOf({ task, command, skill, tool, tool_effect: toolEffect }: ApprovalsSection['rules'][number]) {
  if (command !== undefined) return 'EXEC'
  if (skill !== undefined) return 'SKILL'
  if (tool !== undefined || toolEffect !== undefined) return 'TOOL'
  return task === undefined ? null : TASKS[task]
}

const TASKS = { exec: 'EXEC', skill: 'SKILL', tool: 'TOOL' } as const
const TOOL_EFFECTS = { read: 'READ', write: 'WRITE' } as const
const ROLES = { admin: 'ADMIN', user: 'USER' } as const

/** Rules that fit nothing are mistakes, and dangerous ones. Reported as errors by parseConfig. */
export function findContradictoryRules(section: unknown): readonly FoundProblem[] {
  const rules = (section as { rules?: unknown } | undefined)?.rules
  if (!Array.isArray(rules)) return []
  return rules.flatMap((rule: unknown, index): FoundProblem[] => {
    const { task, command, skill, tool, tool_effect: toolEffect } = (rule ?? {}) as Readonly<Record<string, unknown>>
    const path = ['approvals', 'rules', String(index)]
    const taskName = typeof task === 'string' ? task : '?'
    if (command !== undefined && skill !== undefined)
      return [{ path, text: 'has both command and skill, so nothing fits it; make two rules of it' }]
    if (command !== undefined && task !== undefined && task !== 'exec')
      return [{ path, text: `has a command but task = "${taskName}", so nothing fits it; leave task out` }]
    if (skill !== undefined && task !== undefined && task !== 'skill')
      return [{ path, text: `has a skill but task = "${taskName}", so nothing fits it; leave task out` }]
    const isOfTools = tool !== undefined || toolEffect !== undefined
    if (isOfTools && (command !== undefined || skill !== undefined))
      return [{ path, text: 'has a tool and a command or skill, so nothing fits it; make two rules of it' }]
    if (isOfTools && task !== undefined && task !== 'tool')
      return [{ path, text: `has a tool but task = "${taskName}", so nothing fits it; leave task out` }]
    return []
  })
}

function isToolPattern(value: string): boolean {
  return /^[A-Za-z0-9_*-]{1,64}$/.test(value)
}

function isCommandPrefix(value: string): boolean {
  return value.length <= 200 && /^\s*[^\s'"\\$`;&|<>(){}*?#]+(?:\s+[^\s'"\\$`;&|<>(){}*?#]+)*\s*$/.test(value)
}
