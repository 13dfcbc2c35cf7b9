/**
 * An answer as it is being written: what of it people see already, and what is stored once it is whole. Its MSG task is
 * made with the first piece of text, so that an answer of calls alone has none.
 */
import type { PlannerContext } from '../../agents/agent.ts'
import type { SessionEventBody } from '../../core/session-event.ts'
import { CommandLines } from '../../core/text/command-lines.ts'
import { SilenceFilter } from '../../core/text/silence-filter.ts'
import { withoutTexts, type ModelCallRecord } from '../../core/model-call.ts'
import type { TurnWrite } from '../../core/turn-write.ts'
import { newId } from '../../platform/id.ts'
import type { HookContext } from '../hooks/hook-data.ts'
import { modelCommands } from '../hooks/model-commands.ts'
import type { PlanState, TaskState } from '../task/plan-state.ts'
import { HeldOutput } from '../secrets/held-output.ts'
import { say } from '../steps/write-message.ts'
import type { TaskContext } from '../turn-context.ts'
import { updateTask } from '../task/update-task.ts'
import { addTask, planOf, type AddedTask } from './grow-plan.ts'

/** Of one answer; `attempts` gets the plan of the turn with the first task. */
export interface DraftOptions {
  readonly attempts: PlanState[]
  readonly known: Pick<PlannerContext, 'summary' | 'facts' | 'pluginSections'>
  readonly round: number
  /** The text of this round that a process left unfinished, and how often it had been begun. */
  readonly left: { readonly task: TaskState; readonly begun: number } | null
}

/** What writing an answer takes. */
export type DraftContext = TaskContext & HookContext

/** A call that the answer asks for. */
export type DraftCall = Omit<AddedTask, 'round'>

/** Of one answer while it is written: `stop` once nothing follows, then either `store` or `giveUp`. */
export class Draft {
  readonly #context: DraftContext
  readonly #options: DraftOptions
  #task: TaskState | null = null
  readonly #silence = new SilenceFilter()
  readonly #lines: CommandLines
  #written = ''
  readonly #text: HeldOutput
  readonly #thinking: HeldOutput
  readonly #thinkingId = newId('thinking')
  #thought = ''
  #hasPieces = false
  #hasThoughts = false

  constructor(context: DraftContext, options: DraftOptions) {
    this.#context = context
    this.#options = options
    this.#lines = new CommandLines(modelCommands(context))
    const held = (event: (delta: string) => SessionEventBody): HeldOutput =>
      new HeldOutput({
        clock: context.clock,
        redactor: () => context.secrets.redactor(),
        unit: 'WORDS',
        emit: (_, delta) => context.journal.record([event(delta)]),
      })
    const thinkingId = this.#thinkingId
    this.#text = held((delta) => ({ type: 'TextDelta', taskId: this.#begin().id, delta }))
    this.#thinking = held((delta) => ({ type: 'Thinking', thinkingId, delta, content: null }))
  }

  /**
   * The next piece of the text. What is no marker of silence and no command of a plugin is shown up to 200 ms later.
   */
  addText(delta: string): void {
    const said = this.#lines.push(this.#silence.push(delta))
    this.#written += said
    // The thought before it is whole: its last word comes before the text, not behind it.
    this.#thinking.finishUnit('STDOUT')
    this.#text.add('STDOUT', said)
  }

  /** The next piece of its reasoning. */
  addThought(delta: string): void {
    this.#thought += delta
    this.#thinking.add('STDOUT', delta)
  }

  /** What the model has shown of its reasoning. */
  get thought(): string {
    return this.#thought
  }

  /** By what id its pieces can be dropped from the log; none: nothing of it was shown. */
  get thoughtPieces(): readonly string[] {
    return this.#hasThoughts ? [this.#thinkingId] : []
  }

  /** Nothing follows. */
  stop(): void {
    this.#hasPieces = this.#text.discard()
    this.#hasThoughts = this.#thinking.discard()
  }

  /** Stores what was shown of an answer that is none. `failure`: for people; null: it was cancelled. */
  giveUp(modelCalls: readonly ModelCallRecord[], failure: string | null): void {
    this.#recordThought()
    const task = this.#task
    const changes = { modelCalls: modelCalls.map(withoutTexts), dropDeltasOf: this.#pieces() }
    if (task === null) {
      this.#context.journal.record([], changes)
      return
    }
    const ended = { output: this.#written, finishedAt: this.#context.clock.now() }
    const patch =
      failure === null
        ? { ...ended, status: 'CANCELLED' as const }
        : { ...ended, status: 'FAILED' as const, stderr: failure }
    updateTask(this.#context, task, { patch, changes })
  }

  /** Stores the answer with its calls, which wait to be made. `spoken`: its text; null: it says nothing. */
  store(
    spoken: string | null,
    calls: readonly DraftCall[],
    written: Pick<TurnWrite, 'modelCalls' | 'factsUsed' | 'providerState'>,
  ): void {
    this.#recordThought()
    const { left, round, attempts, known } = this.#options
    const final = calls.length === 0
    // A model that calls something and marks silence beside it has said nothing yet.
    const isSaid = final || (spoken !== null && spoken.trim() !== '')
    // Of a text that was left unfinished nothing may stay when the model says nothing in its place.
    if (isSaid || left !== null) {
      const attempt = (left?.begun ?? 0) + 1
      const task = this.#begin()
      const text = isSaid ? spoken : null
      say(this.#context, task, { text, final, attempt, changes: { ...written, dropDeltasOf: this.#pieces() } })
    } else this.#context.journal.record([], { ...written, dropDeltasOf: this.#pieces() })
    const plan = planOf(this.#context, attempts, known)
    for (const call of calls) addTask(this.#context, plan, { ...call, round })
  }

  /** The task of the text, RUNNING: from then on readers begin the text anew. */
  #begin(): TaskState {
    if (this.#task !== null) return this.#task
    const { left, round, attempts, known } = this.#options
    const patch = { status: 'RUNNING', startedAt: this.#context.clock.now() } as const
    if (left === null) {
      const plan = planOf(this.#context, attempts, known)
      const text = { type: 'MSG', detail: 'Answers.', skill: null, tool: null, args: null, callId: null } as const
      return (this.#task = addTask(this.#context, plan, { ...text, round, patch }))
    }
    updateTask(this.#context, left.task, { patch })
    return (this.#task = left.task)
  }

  #pieces(): readonly string[] {
    const isResumed = this.#context.turn.resumed
    const text = this.#task !== null && (this.#hasPieces || isResumed) ? [this.#task.id] : []
    return [...text, ...this.thoughtPieces]
  }

  #recordThought(): void {
    if (this.#thought.trim() === '') return
    const content = this.#thought.slice(0, MAX_THOUGHT_CHARS).toWellFormed()
    this.#context.journal.record([{ type: 'Thinking', thinkingId: this.#thinkingId, delta: null, content }])
  }
}

/** Longer ones are cut in the log. */
const MAX_THOUGHT_CHARS = 256 * 1024
