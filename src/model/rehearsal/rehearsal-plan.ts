/**
 * Planner and reviewer of the rehearsal model: the lines of the message become tasks, and reviews that do as they say.
 * What must hold: a turn ends. A task that failed and a plan that was refused lead to a plan that only reports it;
 * `fail:` fires only in the first plan. A secret is never named by more than its key, and only taken from the message
 * once.
 */
import { SILENCE_MARKER } from '../../core/text/silence-filter.ts'
import {
  findBlock,
  findBlocks,
  findItems,
  findTasks,
  type PromptItem,
  type PromptPart,
  type PromptTask,
} from './rehearsal-prompt.ts'
import { readScript, type Script, type ScriptTask } from './rehearsal-script.ts'
import { describeEnding, describeResult, hasSucceeded, MAX_SHOWN_CHARS, quote, shorten } from './rehearsal-words.ts'

/** The headings of src/agents under which it searches. */
const HEADINGS = {
  judged: 'The task to judge',
  again: 'Another plan is needed',
  failed: 'The task that failed',
  done: 'Tasks that are done; their effects stand',
  refused: 'Your plan was refused',
} as const

const FIRST_GOAL = 'Rehearse the message'
const SECOND_GOAL = 'Rehearse the rest of the message, after a review that was told to fail'
const REPORT_GOAL = 'Report what failed'
const ASKED_TO_FAIL = 'The message told this rehearsal to fail here:'
const MAX_FACTS_CHARS = 8_000

interface TaskJson {
  readonly type: 'exec' | 'skill' | 'tool' | 'msg'
  readonly detail: string
  readonly skill: string | null
  readonly args: string | null
  readonly expect: string | null
}

interface AnswerJson {
  readonly question: string
  readonly answer: string
  /** Left out where the question is about no fact. */
  readonly outcome?: {
    readonly verdict: 'replace' | 'keep'
    readonly fact: string
    readonly text: string | null
  } | null
}

interface PlanJson {
  readonly goal: string
  readonly secrets: Script['secrets'] | null
  readonly tasks: readonly TaskJson[]
  readonly answers: readonly AnswerJson[] | null
  readonly facts: readonly string[] | null
}

/** The planner's answer; `waitMs`: how long the model is to wait before it gives it. */
export function rehearsePlan(parts: readonly PromptPart[]): { readonly plan: PlanJson; readonly waitMs: number } {
  const script = readScript(findBlocks(parts, 'MESSAGE').join('\n'))
  const said = describeMessage(script)
  const problems = findBlock(parts, 'PROBLEM', HEADINGS.refused)
  if (problems !== null) return { plan: report(`${said}\n\nThis cannot be done:\n\n${problems}`), waitMs: 0 }
  const failed = findTasks(parts, HEADINGS.failed)[0]
  if (failed !== undefined) return { plan: planAgain(script, said, failed), waitMs: 0 }
  const again = parts.some(({ heading }) => heading === HEADINGS.again)
  return { plan: planFirst(script, said, parts), waitMs: again ? 0 : script.waitMs }
}

/** The first plan, or what is left to do when the user said more while one ran. */
function planFirst(script: Script, said: string, parts: readonly PromptPart[]): PlanJson {
  const done = findTasks(parts, HEADINGS.done)
  const questions = findItems(parts, 'DATA_QUESTIONS')
  const facts = findItems(parts, 'DATA_FACTS')
  const [first, ...others] = questions
  const answered = script.answer !== null && first !== undefined
  const detail = [
    said,
    ...describeSecrets(script),
    ...(script.asksForFacts ? [describeFacts(facts.map(({ text }) => text))] : []),
    ...(answered ? [`Thank you for the answer to: ${first.text}`] : []),
    ...(answered ? others : questions).slice(0, 3).map(({ text }) => `There is an open question: ${text}`),
  ].join('\n\n')
  return {
    goal: FIRST_GOAL,
    secrets: script.secrets.length === 0 ? null : script.secrets,
    tasks: [...tasksOf(script).slice(done.length).map(toTask), message(script.silent ? SILENCE_MARKER : detail)],
    answers: answered ? [{ question: first.label, answer: script.answer, ...outcomeOf(script, first, parts) }] : null,
    facts: script.asksForFacts ? facts.map(({ label }) => label) : null,
  }
}

/** A line "F1 of Q1: the fact" tells what a question is about. */
const ABOUT = /^(F\d+) of (Q\d+): /

function outcomeOf(
  { instead }: Script,
  { label: question }: PromptItem,
  parts: readonly PromptPart[],
): Pick<AnswerJson, 'outcome'> {
  const lines = findBlocks(parts, 'DATA_FACTS').flatMap((text) => text.split('\n'))
  const [, fact] = lines.map((line) => ABOUT.exec(line)).find((found) => found?.[2] === question) ?? []
  if (fact === undefined) return {}
  if (instead === null) return { outcome: null }
  return { outcome: { verdict: instead === '' ? 'keep' : 'replace', fact, text: instead === '' ? null : instead } }
}

function planAgain(script: Script, said: string, failed: PromptTask): PlanJson {
  const result = describeResult(failed)
  if (!hasSucceeded(failed)) return report(`${said}\n\nThis failed, so I stopped:\n\n${result}`)
  const tasks = tasksOf(script).slice(1).map(toTask)
  const detail = `${said}\n\nBefore the review asked for another plan:\n\n${result}`
  return { goal: SECOND_GOAL, secrets: null, tasks: [...tasks, message(detail)], answers: null, facts: null }
}

function report(detail: string): PlanJson {
  return { goal: REPORT_GOAL, secrets: null, tasks: [message(detail)], answers: null, facts: null }
}

/** The script's tasks, and so many that do nothing that there is a review for `fail:` and for each `learn:`. */
function tasksOf({ tasks, fail, learn }: Script): readonly ScriptTask[] {
  const wanted = Math.max(tasks.length, learn.length, fail === null ? 0 : 1)
  const idle = Array.from({ length: wanted - tasks.length }, () => ({ kind: 'run' as const, command: 'true' }))
  return [...tasks, ...idle]
}

function toTask(task: ScriptTask): TaskJson {
  if (task.kind === 'run')
    return { type: 'exec', detail: task.command, skill: null, args: null, expect: 'the command succeeds' }
  const detail = `Rehearse the ${task.kind} ${task.name}`
  return { type: task.kind, detail, skill: task.name, args: task.args, expect: `the ${task.kind} succeeds` }
}

function message(detail: string): TaskJson {
  return { type: 'msg', detail, skill: null, args: null, expect: null }
}

function describeMessage({ rest }: Script): string {
  if (rest === '') return 'Your message held nothing but lines for the rehearsal.'
  return `You wrote:\n\n${quote(shorten(rest, MAX_SHOWN_CHARS))}`
}

function describeSecrets({ secrets }: Script): string[] {
  if (secrets.length === 0) return []
  const keys = secrets.map(({ key }) => shorten(key, 64)).join(', ')
  return [`I keep for now, until this session has been idle for a while: ${keys}.`]
}

function describeFacts(facts: readonly string[]): string {
  if (facts.length === 0) return 'I know no facts.'
  return shorten(['I know:', '', ...facts.map((fact) => `- ${fact}`)].join('\n'), MAX_FACTS_CHARS)
}

interface ReviewJson {
  readonly status: 'ok' | 'replan'
  readonly reason: string | null
  readonly learn: string | null
}

function describeFailure(task: PromptTask): string {
  const what = { EXEC: 'The command', SKILL: 'The call of the skill', TOOL: 'The call of the tool' }[task.type]
  return `${what} "${shorten(task.command, 200)}" ${describeEnding(task)}.`
}

/** The reviewer's answer: 'replan' for a task that failed, or that the message says is to fail. */
export function rehearseReview(parts: readonly PromptPart[]): ReviewJson {
  const task = findTasks(parts, HEADINGS.judged)[0]
  if (task === undefined) return { status: 'replan', reason: 'There is no result to judge.', learn: null }
  if (!hasSucceeded(task)) return { status: 'replan', reason: describeFailure(task), learn: null }
  const script = readScript(findBlock(parts, 'MESSAGE') ?? '')
  const goal = findBlock(parts, 'GOAL', 'The goal of the plan')
  // The second plan begins with the second task.
  const learn = script.learn[task.index + (goal === SECOND_GOAL ? 1 : 0)] ?? null
  if (script.fail === null || goal !== FIRST_GOAL) return { status: 'ok', reason: null, learn }
  const why = script.fail === '' ? 'no reason given' : script.fail.replace(/\.$/, '')
  return { status: 'replan', reason: `${ASKED_TO_FAIL} ${why}.`, learn }
}
