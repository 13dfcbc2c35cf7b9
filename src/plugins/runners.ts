/**
 * The three ways in which a hook goes through the plugins: one after another, in the order of the list. Pure but for
 * the calls themselves.
 *
 * What must hold: a plugin that fails, answers nonsense or is late is counted and changes nothing; its signal is
 * aborted when its time is over, and what comes after that is ignored; the next plugin is called then, and not before.
 * When the caller's own signal aborts, nothing more is called and the value so far is the result.
 */
import type { z } from 'zod'
import type { Clock } from '../platform/clock.ts'
import { PluginError, type PluginFailure } from './plugin-instance.ts'

/** A plugin as a hook meets it. */
export interface HookTarget<Data> {
  readonly name: string
  call(data: Data, signal: AbortSignal): Promise<unknown>
}

/** How one plugin took part. */
export interface HookReport {
  readonly plugin: string
  readonly outcome: 'OK' | PluginFailure
  readonly message: string | null
  readonly ms: number
}

/** How a hook is run, the same for all plugins. */
export interface RunOptions {
  readonly budgetMs: number
  readonly clock: Clock
  /** The caller's: a turn that is stopped. */
  readonly signal: AbortSignal
  /** Must not throw. */
  readonly onReport: (report: HookReport) => void
}

/** All are called; resolves with the answers that are not null, in order. */
export async function notifyAll<Data, Answer>(
  targets: readonly HookTarget<Data>[],
  { data, answer }: { readonly data: Data; readonly answer: z.ZodType<Answer | null> },
  options: RunOptions,
): Promise<readonly { readonly plugin: string; readonly answer: Answer }[]> {
  const answers: { readonly plugin: string; readonly answer: Answer }[] = []
  for (const target of targets) {
    const called = await callOne(target, { data, answer }, options)
    if (called !== null) answers.push({ plugin: target.name, answer: called })
  }
  return answers
}

/** Each is given what the one before left: `next` makes the next value of an answer. */
export async function chainThrough<Value, Answer>(
  targets: readonly HookTarget<Value>[],
  {
    value,
    answer,
    next,
  }: {
    readonly value: Value
    readonly answer: z.ZodType<Answer | null>
    readonly next: (before: Value, answer: Answer, plugin: string) => Value
  },
  options: RunOptions,
): Promise<Value> {
  let current = value
  for (const target of targets) {
    const answered = await callOne(target, { data: current, answer }, options)
    if (answered !== null) current = next(current, answered, target.name)
  }
  return current
}

/** Stops at the first whose answer `wins`; null when none does. */
export async function firstToWin<Data, Answer>(
  targets: readonly HookTarget<Data>[],
  {
    data,
    answer,
    wins,
  }: { readonly data: Data; readonly answer: z.ZodType<Answer | null>; readonly wins: (answer: Answer) => boolean },
  options: RunOptions,
): Promise<{ readonly plugin: string; readonly answer: Answer } | null> {
  for (const target of targets) {
    const answered = await callOne(target, { data, answer }, options)
    if (answered !== null && wins(answered)) return { plugin: target.name, answer: answered }
  }
  return null
}

/** Null when it answered null, failed, was late, or was not called. Never rejects. */
async function callOne<Data, Answer>(
  target: HookTarget<Data>,
  { data, answer }: { readonly data: Data; readonly answer: z.ZodType<Answer | null> },
  options: RunOptions,
): Promise<Answer | null> {
  const { clock, signal, onReport } = options
  if (signal.aborted) return null
  const startMs = clock.monotonicMs()
  const report = (outcome: HookReport['outcome'], message: string | null): void =>
    onReport({ plugin: target.name, outcome, message, ms: clock.monotonicMs() - startMs })
  try {
    const raw = await withinBudget((own) => target.call(data, own), options)
    const { data: parsed, success } = answer.safeParse(raw ?? null)
    if (!success) throw new PluginError('WRONG', 'it answered what this hook does not take')
    report('OK', null)
    return parsed
  } catch (error) {
    const failure = error instanceof PluginError ? error.kind : 'THREW'
    report(failure, error instanceof Error ? error.message : String(error))
    return null
  }
}

/** Rejects with LATE when the time is over and with ENDED when the caller's signal aborts; aborts the call then. */
export async function withinBudget<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  { budgetMs, clock, signal }: Pick<RunOptions, 'budgetMs' | 'clock' | 'signal'>,
): Promise<Value> {
  const own = new AbortController()
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
