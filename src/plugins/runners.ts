/**
 * The three ways in which a moment of a turn goes through the plugins: one plugin after another, in the order of the
 * list. Pure but for the calls themselves.
 *
 * What is given together (notifications that waited, and perhaps a moment whose answers count behind them) goes to a
 * plugin as one row of calls, and to the next plugin when the row has ended: each plugin has its moments in their
 * order, each moment its plugins in theirs, and never are two calls under way.
 *
 * What must hold: a plugin that fails, answers nonsense or is late is counted and changes nothing; the signal of a call
 * is aborted when its time is over, and what comes after that is ignored; the next call begins then, and not before.
 * When the caller's own signal aborts, nothing more is called and the value so far is the result.
 */
import type { z } from 'zod'
import type { Clock } from '../platform/clock.ts'
import { must } from '../platform/must.ts'
import type { HookName } from '../plugin-api/hook-inputs.ts'
import { problemsOf } from '../plugin-api/manifest.ts'
import { PluginError, type PluginFailure } from './plugin-instance.ts'

/** What plugins are told or asked, the same for all of them. */
export interface Moment<Answer = unknown> {
  readonly hook: HookName
  readonly data: unknown
  /** For each plugin. */
  readonly budgetMs: number
  readonly answer: z.ZodType<Answer | null>
}

/** One call of a row. `signal`: it is given up. */
export interface HookCall extends Pick<Moment, 'hook' | 'data'> {
  readonly signal: AbortSignal
}

/** A plugin as moments meet it. */
export interface HookTarget {
  readonly name: string
  takes(hook: HookName): boolean
  /** Each call begins when the one before has ended or was given up; one that was given up by then is not made. */
  callInOrder(calls: readonly HookCall[]): readonly Promise<unknown>[]
}

/** How one call of a plugin went. */
export interface HookReport {
  readonly plugin: string
  readonly hook: HookName
  readonly outcome: 'OK' | PluginFailure
  readonly message: string | null
  readonly ms: number
}

/** How a row is run, the same for all plugins. */
export interface RunOptions {
  readonly clock: Clock
  /** The caller's: a turn that is stopped. */
  readonly signal: AbortSignal
  /** Must not throw. */
  readonly onReport: (report: HookReport) => void
}

/** An answer that is not null. */
export interface GivenAnswer {
  readonly plugin: string
  readonly moment: Moment
  readonly answer: unknown
}

/** Of a row: those of all turns together are as many calls as a plugin may have open (thread-limits.ts). */
const MAX_ROW = 32

/** All are called, for all moments; resolves with the answers that are not null, by plugin and then by moment. */
export async function notifyAll(
  targets: readonly HookTarget[],
  moments: readonly Moment[],
  options: RunOptions,
): Promise<readonly GivenAnswer[]> {
  const answers: GivenAnswer[] = []
  for (const target of targets) answers.push(...(await callRow(target, moments, options)))
  return answers
}

/** Each is given what the one before left: `next` makes the next value of an answer. `before`: notifications. */
export async function chainThrough<Value, Answer>(
  targets: readonly HookTarget[],
  {
    before,
    value,
    momentOf,
    next,
  }: {
    readonly before: readonly Moment[]
    readonly value: Value
    readonly momentOf: (value: Value) => Moment<Answer>
    readonly next: (before: Value, answer: Answer, plugin: string) => Value
  },
  options: RunOptions,
): Promise<Value> {
  let current = value
  // The same object as long as nothing is changed: it is written as JSON once.
  let moment = momentOf(current)
  for (const target of targets) {
    const answers = await callRow(target, [...before, moment], options)
    const own = answers.find((answer) => answer.moment === moment)
    if (own === undefined) continue
    current = next(current, own.answer as Answer, target.name)
    moment = momentOf(current)
  }
  return current
}

/** Stops at the first whose answer `wins`; null when none does. */
export async function firstToWin<Answer>(
  targets: readonly HookTarget[],
  { moment, wins }: { readonly moment: Moment<Answer>; readonly wins: (answer: Answer) => boolean },
  options: RunOptions,
): Promise<{ readonly plugin: string; readonly answer: Answer } | null> {
  for (const target of targets) {
    for (const { plugin, answer } of await callRow(target, [moment], options)) {
      if (wins(answer as Answer)) return { plugin, answer: answer as Answer }
    }
  }
  return null
}

async function callRow(
  target: HookTarget,
  moments: readonly Moment[],
  options: RunOptions,
): Promise<readonly GivenAnswer[]> {
  const wanted = moments.filter(({ hook }) => target.takes(hook))
  const answers: GivenAnswer[] = []
  for (let from = 0; from < wanted.length; from += MAX_ROW) {
    if (options.signal.aborted) break
    answers.push(...(await callAtOnce(target, wanted.slice(from, from + MAX_ROW), options)))
  }
  return answers
}

/** Never rejects. The time of each call begins when the one before has ended. */
async function callAtOnce(
  target: HookTarget,
  moments: readonly Moment[],
  options: RunOptions,
): Promise<readonly GivenAnswer[]> {
  const owned = moments.map((moment) => ({ moment, own: new AbortController() }))
  const results = target.callInOrder(
    owned.map(({ moment: { hook, data }, own: { signal } }) => ({ hook, data, signal })),
  )
  const hasEnded = owned.map(() => false)
  // Each has a reader, though one may fail before its turn to be read.
  for (const [n, result] of results.entries()) {
    const ends = (): boolean => (hasEnded[n] = true)
    result.then(ends, ends)
  }
  const answers: GivenAnswer[] = []
  let rest = [...owned]
  // When the caller gives up, what has not begun is given up first: the end of the call before would begin it.
  const giveUpRest = (): void => rest.forEach(({ own }) => own.abort())
  options.signal.addEventListener('abort', giveUpRest, { once: true })
  for (const [n, { moment, own }] of owned.entries()) {
    rest = owned.slice(n + 1).toReversed()
    if (own.signal.aborted) break
    if (options.signal.aborted) giveUpRest()
    const result = must(results[n], 'each call has a result')
    const answer = await answerOf(target, { moment, own, result, hasEnded: hasEnded[n] === true }, options)
    if (answer !== null) answers.push({ plugin: target.name, moment, answer })
  }
  options.signal.removeEventListener('abort', giveUpRest)
  return answers
}

interface CallOfRow {
  readonly moment: Moment
  readonly own: AbortController
  readonly result: Promise<unknown>
  /** It has ended by now: its time need not be watched. */
  readonly hasEnded: boolean
}

/** Its keys are the plugin's. */
const MAX_WHY_CHARS = 300

/** Null when it answered null, failed, or was late. */
async function answerOf(
  { name: plugin }: HookTarget,
  { moment: { hook, budgetMs, answer }, own, result, hasEnded }: CallOfRow,
  { clock, signal, onReport }: RunOptions,
): Promise<unknown> {
  const startMs = clock.monotonicMs()
  const report = (outcome: HookReport['outcome'], message: string | null): void =>
    onReport({ plugin, hook, outcome, message, ms: clock.monotonicMs() - startMs })
  try {
    const raw = await (hasEnded ? result : withinBudget(() => result, { budgetMs, clock, signal }, own))
    const { data: parsed, error } = answer.safeParse(raw ?? null)
    if (error !== undefined) {
      const why = problemsOf(error).slice(0, MAX_WHY_CHARS).toWellFormed()
      throw new PluginError('WRONG', `it answered what this hook does not take: ${why}`)
    }
    report('OK', null)
    return parsed
  } catch (error) {
    const failure = error instanceof PluginError ? error.kind : 'THREW'
    report(failure, error instanceof Error ? error.message : String(error))
    return null
  }
}

/** What may end a call before its answer does. */
export interface CallLimits extends Pick<RunOptions, 'clock' | 'signal'> {
  readonly budgetMs: number
}

/** Rejects with LATE when the time is over and with ENDED when the caller's signal aborts; aborts `own` then. */
export async function withinBudget<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  { budgetMs, clock, signal }: CallLimits,
  own = new AbortController(),
): Promise<Value> {
  const over = Promise.withResolvers<never>()
  const end = (kind: PluginFailure, message: string): void => {
    over.reject(new PluginError(kind, message))
    own.abort()
  }
  const cancel = clock.after(budgetMs, () => end('LATE', `it did not answer within ${budgetMs / 1000} s`))
  const ended = (): void => end('ENDED', 'the caller gave up')
  signal.addEventListener('abort', ended, { once: true })
  if (signal.aborted) ended()
  try {
    return await Promise.race([over.promise, work(own.signal)])
  } finally {
    cancel()
    signal.removeEventListener('abort', ended)
  }
}
