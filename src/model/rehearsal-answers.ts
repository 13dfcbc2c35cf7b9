/**
 * What the rehearsal model answers: a pure function of the prompt. `rehearsal-grammar.ts` is its grammar: `run:` lines become
 * EXEC tasks, `fail:` makes the review of the first command ask for another plan, `wait:` delays the first plan. Everything
 * else is quoted in the answer, which says plainly that it is a rehearsal and shows what the commands printed.
 * What must hold: a turn ends. A failed command leads to a plan that only reports it; `fail:` fires only in the first plan.
 */
import { findBlock, findTasks, readPrompt, type PromptPart, type PromptTask } from './rehearsal-prompt.ts'

export interface RehearsalAnswer {
  readonly text: string
  readonly waitMs: number
}

/** The headings of src/agents under which it looks. */
const HEADINGS = {
  judged: 'The task to judge',
  ran: 'Commands that ran before, in order',
  failed: 'The task that failed',
  refused: 'Your plan was refused',
} as const

const FIRST_GOAL = 'Rehearse the message'
const SECOND_GOAL = 'Rehearse the rest of the message, after a review that was told to fail'
const REPORT_GOAL = 'Report the command that failed'
const TOLD_TO_FAIL = 'The message told this rehearsal to fail here:'

const NOTICE =
  'Rehearsal: no language model is configured, so nobody has understood your message. ' +
  'This text comes from the built-in stand-in; add [providers] and [models] to config.toml for real answers.'

const MAX_WAIT_MS = 600_000
/** Of the message and of each output: even indented, all of it fits into a task's detail (core/plan-rules.ts). */
const MAX_SHOWN_CHARS = 1_500

/** `schemaName`: the name of the JSON schema that was asked for; null: free text. */
export function answerRehearsal(prompt: string, schemaName: string | null): RehearsalAnswer {
  const parts = readPrompt(prompt)
  if (schemaName === 'plan') return plan(parts)
  if (schemaName === 'review') return { text: JSON.stringify(review(parts)), waitMs: 0 }
  return { text: write(parts), waitMs: 0 }
}

interface Script {
  readonly commands: readonly string[]
  readonly fail: string | null
  readonly waitMs: number
  /** The lines that are none of these. */
  readonly rest: string
}

export function readScript(message: string): Script {
  const lines = message.split(/\r?\n/).map((line) => {
    const [start, key] = /^\s*(run|fail|wait):/.exec(line) ?? ['']
    const value = line.slice(start.length).trim()
    const holds = key === 'fail' || (key === 'run' && value !== '') || (key === 'wait' && /^\d{1,9}$/.test(value))
    return holds ? { key, value } : { key: 'rest', value: line }
  })
  const valuesOf = (wanted: string): string[] => lines.flatMap(({ key, value }) => (key === wanted ? [value] : []))
  return {
    commands: valuesOf('run'),
    fail: valuesOf('fail')[0] ?? null,
    waitMs: Math.min(
      MAX_WAIT_MS,
      valuesOf('wait').reduce((sum, value) => sum + Number(value), 0),
    ),
    rest: valuesOf('rest').join('\n').trim(),
  }
}

interface PlanJson {
  readonly goal: string
  readonly tasks: readonly { readonly type: 'exec' | 'msg'; readonly detail: string; readonly expect: string | null }[]
}

function plan(parts: readonly PromptPart[]): RehearsalAnswer {
  const script = readScript(findBlock(parts, 'MESSAGE') ?? '')
  const failed = findTasks(parts, HEADINGS.failed)[0]
  const isRetry = failed !== undefined || parts.some((part) => part.heading === HEADINGS.refused)
  return { text: JSON.stringify(planFor(script, failed)), waitMs: isRetry ? 0 : script.waitMs }
}

function planFor(script: Script, failed: PromptTask | undefined): PlanJson {
  const said =
    script.rest === ''
      ? 'Your message held nothing but lines for the rehearsal.'
      : `You wrote:\n\n${quote(shorten(script.rest, MAX_SHOWN_CHARS))}`
  if (failed === undefined) {
    const commands = script.fail !== null && script.commands.length === 0 ? ['true'] : script.commands
    return planOf(FIRST_GOAL, commands, said)
  }
  const report = describe(failed)
  if (failed.exitCode !== 0) return planOf(REPORT_GOAL, [], `${said}\n\nThis failed, so I stopped:\n\n${report}`)
  return planOf(
    SECOND_GOAL,
    script.commands.slice(1),
    `${said}\n\nBefore the review asked for another plan:\n\n${report}`,
  )
}

function planOf(goal: string, commands: readonly string[], detail: string): PlanJson {
  const execs = commands.map((command) => ({ type: 'exec' as const, detail: command, expect: 'the command succeeds' }))
  return { goal, tasks: [...execs, { type: 'msg', detail, expect: null }] }
}

function review(parts: readonly PromptPart[]): { readonly status: 'ok' | 'replan'; readonly reason: string | null } {
  const task = findTasks(parts, HEADINGS.judged)[0]
  if (task === undefined || task.exitCode !== 0) return { status: 'replan', reason: reasonOf(task) }
  const { fail } = readScript(findBlock(parts, 'MESSAGE') ?? '')
  const isFirst = findBlock(parts, 'GOAL') === FIRST_GOAL
  return fail !== null && isFirst
    ? { status: 'replan', reason: `${TOLD_TO_FAIL} ${fail === '' ? 'no reason given' : fail.replace(/\.$/, '')}.` }
    : { status: 'ok', reason: null }
}

function reasonOf(task: PromptTask | undefined): string {
  if (task === undefined) return 'There is no result to judge.'
  return `The command "${shorten(task.command, 200)}" ${endingOf(task)}.`
}

function endingOf({ status, exitCode }: PromptTask): string {
  if (status === 'INTERRUPTED') return 'was interrupted when the server stopped; its outcome is unknown'
  return exitCode === null ? 'did not run to its end' : `ended with exit code ${exitCode}`
}

function write(parts: readonly PromptPart[]): string {
  const ran = findTasks(parts, HEADINGS.ran).map(describe)
  return [NOTICE, findBlock(parts, 'DETAIL') ?? '', ...ran].join('\n\n')
}

function describe(task: PromptTask): string {
  const outputs = [task.stdout, task.stderr]
    .filter((text) => text !== '')
    .map((text) => indent(shorten(text, MAX_SHOWN_CHARS)))
  const command = `\`${shorten(task.command, 200)}\` ${endingOf(task)}`
  return outputs.length === 0 ? `${command} and printed nothing.` : `${command}:\n\n${outputs.join('\n\n')}`
}

function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
}

function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars
    ? text
    : `${text.slice(0, maxChars).toWellFormed()} … (${text.length - maxChars} more characters)`
}
