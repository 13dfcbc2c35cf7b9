/**
 * Whether a task may run, needs an approval, or may not run at all: the rules of `[approvals]` in config.toml, against
 * what the task would do. Pure; used when a plan is made, before each task, and when an approval is given with an edit.
 *
 * What must hold: a rule of DENY or REQUIRE cannot be slipped past by the spelling of a command. A line is judged by
 * its strictest command, options between its words hide nothing, and a word that only the shell will know may be
 * whatever a rule asks for. Conversely ALLOW, and what is remembered of an approval, hold only for a command that is
 * plain: nothing unknown, no redirection, no environment of its own.
 */
import type { Role } from './identity.ts'
import { matchesTool, type ToolEffect } from './tool/tool-name.ts'

export type ApprovalEffect = 'ALLOW' | 'REQUIRE' | 'DENY'

/** What is null or absent in a rule matches everything. */
export interface ApprovalRule {
  readonly effect: ApprovalEffect
  readonly task: 'EXEC' | 'SKILL' | 'TOOL' | null
  /** The words with which a command begins; never empty. */
  readonly command: readonly string[] | null
  readonly skill: string | null
  /** A pattern of the names of tools. */
  readonly tool?: string | null
  readonly toolEffect?: ToolEffect | null
  readonly role: Role | null
}

export interface ApprovalPolicy {
  /** `default` in the file: for what no rule matches. */
  readonly fallback: ApprovalEffect
  readonly rules: readonly ApprovalRule[]
  /** The user whose turn it is may decide, too. */
  readonly ownUserMayDecide: boolean
  /** Plans of admins with an effect need an approval in sessions in which strangers have written. */
  readonly plansWithStrangers: boolean
}

/** One command of a command line (src/execution/shell/read-commands.ts). */
export interface CommandReading {
  /** Null: any number of words that only the shell will know. */
  readonly words: readonly (string | null)[]
  readonly isPlain: boolean
  /** Why nothing is known of what it runs: half a sentence, for people. */
  readonly unreadable?: string
  /**
   * It may be no command at all, only words of another one: it is asked about where a rule names it, and else it counts
   * for nothing.
   */
  readonly isGuess?: boolean
}

export type ApprovalRequest =
  | { readonly type: 'EXEC'; readonly role: Role; readonly commands: readonly CommandReading[] }
  | { readonly type: 'SKILL'; readonly role: Role; readonly skill: string }
  | {
      readonly type: 'TOOL'
      readonly role: Role
      readonly tool: string
      readonly effect: ToolEffect
      /** What it is offered as (src/tools/tool.ts); undefined: it is the server's own, or not known. */
      readonly fingerprint: string | undefined
    }

/** What need not be asked again: commands that begin so, or this very one (`isWhole`), a skill, or a tool as it was. */
export type Remembered =
  | { readonly type: 'EXEC'; readonly words: readonly string[]; readonly isWhole: boolean }
  | { readonly type: 'SKILL'; readonly skill: string }
  | { readonly type: 'TOOL'; readonly tool: string; readonly fingerprint?: string }

export interface ApprovalVerdict {
  readonly effect: ApprovalEffect
  /** For people and the planner: what is allowed, asked for or denied, and by which rule. */
  readonly reason: string
  /** With REQUIRE: what an approval for the session would remember; null when it cannot be remembered. */
  readonly toRemember: readonly Remembered[] | null
}

export function judgeRequest(
  policy: ApprovalPolicy,
  request: ApprovalRequest,
  remembered: readonly Remembered[],
): ApprovalVerdict {
  const rules = policy.rules.map((rule, index) => ({ ...rule, number: index + 1 }))
  const fitting = rules.filter(
    ({ task, role }) => (task ?? request.type) === request.type && (role ?? request.role) === request.role,
  )
  if (request.type === 'SKILL') return judgeSkill({ ...policy, rules: fitting }, request.skill, remembered)
  if (request.type === 'TOOL') return judgeTool({ ...policy, rules: fitting }, request, remembered)
  const verdicts = request.commands
    .filter((command) => command.isGuess !== true || fitting.some((rule) => asksAbout(rule, command)))
    .map((command) => judgeCommand({ ...policy, rules: fitting }, command, remembered))
  return strictest(verdicts.length === 0 ? [fallbackVerdict(policy, [])] : verdicts)
}

/** A rule and its place in the file, from 1. */
type NumberedRule = ApprovalRule & { readonly number: number }
type FittingPolicy = Omit<ApprovalPolicy, 'rules'> & { readonly rules: readonly NumberedRule[] }

function judgeSkill(policy: FittingPolicy, skill: string, remembered: readonly Remembered[]): ApprovalVerdict {
  const own: readonly Remembered[] = [{ type: 'SKILL', skill }]
  const rule = choose(
    policy.rules.filter((one) => one.command === null && !isOfTools(one) && (one.skill ?? skill) === skill),
  )
  const isKnown = remembered.some((one) => one.type === 'SKILL' && one.skill === skill)
  const verdict = rule === null ? fallbackVerdict(policy, own) : verdictOf(rule, own)
  return isKnown && verdict.effect === 'REQUIRE' ? allowedBefore() : verdict
}

function judgeTool(
  policy: FittingPolicy,
  { tool, effect, fingerprint }: Extract<ApprovalRequest, { type: 'TOOL' }>,
  remembered: readonly Remembered[],
): ApprovalVerdict {
  const own: readonly Remembered[] = [{ type: 'TOOL', tool, ...(fingerprint === undefined ? {} : { fingerprint }) }]
  const fits = (one: ApprovalRule): boolean =>
    one.command === null &&
    one.skill === null &&
    matchesTool(one.tool ?? '*', tool) &&
    (one.toolEffect ?? effect) === effect
  const rule = choose(policy.rules.filter(fits))
  const isKnown = remembered.some((one) => one.type === 'TOOL' && one.tool === tool && one.fingerprint === fingerprint)
  const verdict = rule === null ? fallbackVerdict(policy, own) : verdictOf(rule, own)
  return isKnown && verdict.effect === 'REQUIRE' ? allowedBefore() : verdict
}

function judgeCommand(
  policy: FittingPolicy,
  command: CommandReading,
  remembered: readonly Remembered[],
): ApprovalVerdict {
  const rule = choose(policy.rules.filter((one) => one.skill === null && !isOfTools(one) && matches(one, command)))
  const begins = rule?.command ?? null
  const words = begins ?? command.words.filter((word) => word !== null)
  // A rule that names no beginning must not make one command stand for all of its program.
  const own: readonly Remembered[] | null = command.isPlain ? [{ type: 'EXEC', words, isWhole: begins === null }] : null
  const verdict = withReading(rule === null ? fallbackVerdict(policy, own) : verdictOf(rule, own), command)
  if (verdict.effect !== 'REQUIRE' || !command.isPlain) return verdict
  const least = begins?.length ?? 0
  // What was remembered under a wide rule does not outrank a narrower one.
  const isKnown = remembered.some((one) => one.type === 'EXEC' && one.words.length >= least && covers(one, command))
  return isKnown ? allowedBefore() : verdict
}

function isOfTools({ tool, toolEffect }: ApprovalRule): boolean {
  return tool != null || toolEffect != null
}

/** A guess counts only for a rule that stops something, and names it. */
function asksAbout(rule: ApprovalRule, command: CommandReading): boolean {
  return rule.effect !== 'ALLOW' && rule.command !== null && matches(rule, command)
}

function covers({ words, isWhole }: Extract<Remembered, { type: 'EXEC' }>, command: CommandReading): boolean {
  return beginsExactly(command, words) && (!isWhole || words.length === command.words.length)
}

function matches(rule: ApprovalRule, command: CommandReading): boolean {
  if (rule.command === null) return true
  return rule.effect === 'ALLOW'
    ? command.isPlain && beginsExactly(command, rule.command)
    : mayBegin(command, rule.command)
}

/** The program by its own name, not by the folder in which one of that name may lie. */
function beginsExactly({ words }: CommandReading, prefix: readonly string[]): boolean {
  return prefix.length > 0 && prefix.every((word, index) => words[index] === word)
}

/**
 * Whether the command may begin so, whatever its unknown words turn out to be, wherever its program lies, and whatever
 * options, perhaps with a value, stand before the words of the rule: `git -C x push` begins with "git push".
 */
function mayBegin({ words }: CommandReading, [program = '', ...others]: readonly string[]): boolean {
  const [first] = words
  if (first === undefined) return false
  if (first === null) return true
  const isProgram = first === program || (!program.includes('/') && first.slice(first.lastIndexOf('/') + 1) === program)
  if (!isProgram) return false
  // How many words of the command may be behind us when the next of the rule is searched for.
  let places: readonly number[] = [1]
  for (const wanted of others) {
    const reached = behindOptions(words, places)
    if (reached.some((at) => words[at] === null)) return true
    places = reached.filter((at) => words[at] === wanted).map((at) => at + 1)
  }
  return places.length > 0
}

/** The places and those behind them that are reached over options, each alone or with one word for its value. */
function behindOptions(words: CommandReading['words'], places: readonly number[]): readonly number[] {
  const reached = new Set(places)
  for (const at of reached) {
    const word = words[at]
    if (word?.startsWith('-') === true) reached.add(at + 1).add(at + 2)
  }
  return [...reached].filter((at) => at < words.length)
}

/**
 * The rule that decides: any DENY; otherwise the one with the longest command prefix (or that names the skill), and
 * among equals REQUIRE before ALLOW.
 */
function choose(rules: readonly NumberedRule[]): NumberedRule | null {
  const denying = rules.filter((rule) => rule.effect === 'DENY')
  const [first] = (denying.length > 0 ? denying : rules).toSorted(
    (a, b) => narrowness(b) - narrowness(a) || STRICTNESS[b.effect] - STRICTNESS[a.effect],
  )
  return first ?? null
}

function narrowness({ command, skill, tool, toolEffect }: ApprovalRule): number {
  // A pattern is as narrow as what it spells out; any name is narrower than an effect.
  if (tool != null) return 1 + tool.replaceAll('*', '').length
  return command?.length ?? (skill === null && toolEffect == null ? 0 : 1)
}

const STRICTNESS: Readonly<Record<ApprovalEffect, number>> = { ALLOW: 0, REQUIRE: 1, DENY: 2 }

/** Of several that need an approval, all are named, and all are to be remembered. */
function strictest(verdicts: readonly ApprovalVerdict[]): ApprovalVerdict {
  const effect = verdicts.reduce<ApprovalEffect>(
    (worst, verdict) => (STRICTNESS[verdict.effect] > STRICTNESS[worst] ? verdict.effect : worst),
    'ALLOW',
  )
  const deciding = verdicts.filter((verdict) => verdict.effect === effect)
  const lists = deciding.map(({ toRemember }) => toRemember)
  return {
    effect,
    reason: [...new Set(deciding.map(({ reason }) => reason))].join('; '),
    toRemember: lists.some((list) => list === null) ? null : lists.flatMap((list) => list ?? []),
  }
}

function verdictOf(rule: NumberedRule, toRemember: ApprovalVerdict['toRemember']): ApprovalVerdict {
  return {
    effect: rule.effect,
    reason: `${describeRule(rule)} ${EFFECT_WORDS[rule.effect]} (approval rule ${rule.number})`,
    toRemember,
  }
}

/** Why it is not simply what a rule names. */
function withReading(verdict: ApprovalVerdict, { unreadable }: CommandReading): ApprovalVerdict {
  return unreadable === undefined ? verdict : { ...verdict, reason: `${verdict.reason}, and ${unreadable}` }
}

const EFFECT_WORDS: Readonly<Record<ApprovalEffect, string>> = {
  ALLOW: 'may run',
  REQUIRE: 'need an approval',
  DENY: 'may not run',
}

function describeRule({ task, command, skill, tool, toolEffect, role }: ApprovalRule): string {
  const what =
    command !== null
      ? `commands that begin with "${command.join(' ')}"`
      : skill !== null
        ? `calls of the skill "${skill}"`
        : tool != null
          ? `calls of tools "${tool}"`
          : toolEffect != null
            ? `calls of tools with effect ${toolEffect}`
            : KINDS[task ?? 'ALL']
  return role === null ? what : `${what} of role ${role}`
}

const KINDS = {
  EXEC: 'commands',
  SKILL: 'calls of skills',
  TOOL: 'calls of tools',
  ALL: 'commands and calls of skills and tools',
} as const

function fallbackVerdict(
  { fallback }: Pick<ApprovalPolicy, 'fallback'>,
  toRemember: ApprovalVerdict['toRemember'],
): ApprovalVerdict {
  return { effect: fallback, reason: `what no approval rule names ${FALLBACK_WORDS[fallback]}`, toRemember }
}

const FALLBACK_WORDS: Readonly<Record<ApprovalEffect, string>> = {
  ALLOW: 'may run',
  REQUIRE: 'needs an approval',
  DENY: 'may not run',
}

function allowedBefore(): ApprovalVerdict {
  return { effect: 'ALLOW', reason: 'it was approved for this session before', toRemember: [] }
}
