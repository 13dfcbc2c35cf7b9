/** The events of one turn as chunks of one message of the AI SDK. */
import type { SessionEvent } from '../follow-events.ts'
import type { SessionView } from '../read-view.ts'
import type { Chunk, PlanTask } from './chunks.ts'

type EventOf<Name extends SessionEvent['__typename']> = Extract<SessionEvent, { __typename: Name }>
type Task = EventOf<'TaskUpdateEvent'>['task']

/** An approval that is asked for. */
export interface Pending {
  readonly id: string
  /** Whether the page's user may. */
  readonly viewerCan: { readonly decide: boolean }
  readonly task: { readonly id: string; readonly detail: string; readonly args?: unknown }
}

/** Of what a running command prints, a page is shown the end. */
const SHOWN_OUTPUT = 32 * 1024

/** The result of a call, or of the delegated task that makes it, until what it waits for is decided. */
export const WAITS = 'It waits for a decision.'

const ENDS: ReadonlySet<string> = new Set(['DONE', 'FAILED', 'SKIPPED', 'CANCELLED', 'INTERRUPTED'])

/**
 * Of one turn, in the order of the log: each event must be given once. Nothing of it fails; what a page of the SDK has
 * no part for gives no chunk.
 */
export class TurnChunks {
  readonly #turnId: string
  #plan: { readonly goal: string; readonly attempt: number; readonly tasks: PlanTask[] } | null = null
  /** What is open, and what of it was given, by the id of the task or thought. */
  readonly #texts = new Map<string, { readonly id: string; given: string }>()
  readonly #thoughts = new Map<string, string>()
  readonly #attempts = new Map<string, number>()
  readonly #outputs = new Map<string, string>()
  readonly #calls = new Set<string>()
  /** Of the tool, skill or command that a task calls. */
  readonly #names = new Map<string, string>()

  /**
   * `view`: where the turn is followed not from its beginning, the session as it is there. `decided`: the ids of the
   * calls that the page has a part for, and no result.
   */
  constructor(turnId: string, view: SessionView | null = null, decided: readonly string[] = []) {
    this.#turnId = turnId
    for (const id of decided) this.#calls.add(id)
    const plan = view?.activeTurn?.turn.id === turnId ? view.activeTurn.plan : null
    if (plan == null) return
    const { goal, attempt, tasks } = plan
    for (const { id, skill } of tasks) if (skill !== null) this.#names.set(id, skill)
    this.#plan = { goal, attempt, tasks: tasks.map((task) => planTask(task, task.status)) }
  }

  /** What a page is to be given because of the event; often nothing. */
  of(event: SessionEvent): Chunk[] {
    switch (event.__typename) {
      case 'PlanCreatedEvent': {
        const { goal, attempt, tasks } = event.plan
        for (const task of tasks) this.#names.set(task.id, nameOf(task))
        this.#plan = { goal, attempt, tasks: tasks.map((task) => planTask(task, 'PENDING')) }
        return this.#showPlan()
      }
      case 'TaskUpdateEvent':
        return [...this.#updatePlan(event), ...this.#task(event)]
      case 'TaskOutputEvent': {
        if (!this.#calls.has(event.taskId)) return []
        const output = ((this.#outputs.get(event.taskId) ?? '') + event.text).slice(-SHOWN_OUTPUT)
        this.#outputs.set(event.taskId, output)
        return [{ type: 'tool-output-available', toolCallId: event.taskId, output, dynamic: true, preliminary: true }]
      }
      case 'TextDeltaEvent':
        return this.#addText(event.taskId, event.delta)
      case 'TextCompletedEvent':
        return this.#completeText(event.taskId, event.content)
      case 'ThinkingEvent':
        return this.#think(event)
      default:
        return []
    }
  }

  /**
   * The calls that wait, and the question whether they may run. A whole plan is asked about by its first task.
   * `waitingId`: the turn that waits behind this one, in whose answer it is asked.
   */
  ask(approvals: readonly Pending[], waitingId: string | null = null): Chunk[] {
    return approvals.flatMap(({ id, task }): Chunk[] => [
      this.#show(task),
      { type: 'tool-approval-request', approvalId: questionId(id, waitingId), toolCallId: task.id },
    ])
  }

  /** As `ask`, for calls that delegated tasks make. A page sends no decision while a call of its own has no result. */
  askBelow(approvals: readonly Pending[], waitingId: string | null = null): Chunk[] {
    const open = [...this.#calls].map((id): Chunk => result(id, WAITS))
    return [...open, ...this.ask(approvals, waitingId)]
  }

  /**
   * In place of a question, for a page whose user may not decide: the calls, none where delegated tasks make them, and
   * that what is open waits. The turn is followed on.
   */
  hold(approvals: readonly Pending[]): Chunk[] {
    const shown = approvals.map(({ task }) => this.#show(task))
    for (const { task } of approvals) this.#calls.add(task.id)
    return [...shown, ...[...this.#calls].map((id): Chunk => ({ ...result(id, WAITS), preliminary: true }))]
  }

  #show({ id: toolCallId, detail, args }: Pending['task']): Chunk {
    const toolName = this.#names.get(toolCallId) ?? 'run_command'
    const input = args ?? { command: detail }
    return { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true }
  }

  /** What is open is closed. */
  end(): Chunk[] {
    const texts = [...this.#texts.values()].map(({ id }): Chunk => ({ type: 'text-end', id }))
    const thoughts = [...this.#thoughts.keys()].map((id): Chunk => ({ type: 'reasoning-end', id }))
    return [...texts, ...thoughts]
  }

  /** At the turn's end: a call without a result would be taken for one that is still to be sent. */
  complete(): Chunk[] {
    const calls = callsWithoutResult([...this.#calls])
    this.#calls.clear()
    return [...calls, ...this.end()]
  }

  #showPlan(): Chunk[] {
    const plan = this.#plan
    if (plan === null) return []
    return [{ type: 'data-plan', id: this.#turnId, data: { ...plan, tasks: [...plan.tasks] } }]
  }

  /** A plan of mode CHAT grows by the tasks that the model calls. */
  #updatePlan({ task, taskStatus }: EventOf<'TaskUpdateEvent'>): Chunk[] {
    const tasks = this.#plan?.tasks
    if (tasks === undefined) return []
    const index = tasks.findIndex(({ id }) => id === task.id)
    tasks.splice(index < 0 ? tasks.length : index, 1, planTask(task, taskStatus))
    return this.#showPlan()
  }

  #task({ task, taskStatus }: EventOf<'TaskUpdateEvent'>): Chunk[] {
    const { id: toolCallId, output, stderr } = task
    if (task.type === 'MSG') return taskStatus === 'RUNNING' ? this.#beginAnew(toolCallId) : []
    if (taskStatus === 'RUNNING') {
      if (this.#calls.has(toolCallId)) return []
      this.#calls.add(toolCallId)
      return [{ type: 'tool-input-available', toolCallId, toolName: nameOf(task), input: inputOf(task), dynamic: true }]
    }
    if (!ENDS.has(taskStatus) || !this.#calls.delete(toolCallId)) return []
    const said = [output, stderr].filter((text) => text != null && text !== '').join('\n')
    if (taskStatus === 'DONE') return [result(toolCallId, said)]
    return [{ type: 'tool-output-error', toolCallId, errorText: said === '' ? taskStatus : said, dynamic: true }]
  }

  /** A page cannot be made to take a text back: another attempt is another part. */
  #beginAnew(taskId: string): Chunk[] {
    const open = this.#texts.get(taskId)
    if (open === undefined) return []
    this.#texts.delete(taskId)
    this.#attempts.set(taskId, (this.#attempts.get(taskId) ?? 1) + 1)
    return [{ type: 'text-end', id: open.id }]
  }

  #addText(taskId: string, delta: string): Chunk[] {
    const known = this.#texts.get(taskId)
    const attempt = this.#attempts.get(taskId) ?? 1
    const text = known ?? { id: attempt === 1 ? taskId : `${taskId}_${attempt}`, given: '' }
    this.#texts.set(taskId, text)
    text.given += delta
    const more: Chunk[] = delta === '' ? [] : [{ type: 'text-delta', id: text.id, delta }]
    return known === undefined ? [{ type: 'text-start', id: text.id }, ...more] : more
  }

  #completeText(taskId: string, content: string): Chunk[] {
    const given = this.#texts.get(taskId)?.given ?? ''
    const anew = content.startsWith(given) ? [] : this.#beginAnew(taskId)
    const more = this.#addText(taskId, anew.length > 0 ? content : content.slice(given.length))
    const id = this.#texts.get(taskId)?.id ?? taskId
    this.#texts.delete(taskId)
    return [...anew, ...more, { type: 'text-end', id }]
  }

  #think({ thinkingId: id, delta, content, isWhole }: EventOf<'ThinkingEvent'>): Chunk[] {
    const given = this.#thoughts.get(id)
    const opening: Chunk[] = given === undefined ? [{ type: 'reasoning-start', id }] : []
    const isMore = isWhole && content.startsWith(given ?? '')
    const rest = isWhole ? (isMore ? content.slice((given ?? '').length) : '') : delta
    const more: Chunk[] = rest === '' ? [] : [{ type: 'reasoning-delta', id, delta: rest }]
    if (!isWhole) {
      this.#thoughts.set(id, (given ?? '') + delta)
      return [...opening, ...more]
    }
    this.#thoughts.delete(id)
    return [...opening, ...more, { type: 'reasoning-end', id }]
  }
}

/**
 * The SDK knows a question by its id, and an answer that asks it again, for a turn that waits behind, must not be taken
 * for the one before.
 */
function questionId(approvalId: string, waitingId: string | null): string {
  return waitingId === null ? approvalId : `${approvalId} ${waitingId}`
}

/** The approval that a question is about, and the turn that waits behind it where there is one. */
export function readQuestionId(id: string): { readonly approvalId: string; readonly waitingId: string | undefined } {
  const [approvalId = id, waitingId] = id.split(' ')
  return { approvalId, waitingId }
}

/** Of what was decided about for a delegated task: its result is part of that task's. */
export function resultBelow(toolCallId: string, isApproved: boolean): Chunk {
  return isApproved ? result(toolCallId, 'Allowed.') : { type: 'tool-output-denied', toolCallId }
}

function result(toolCallId: string, output: string): Extract<Chunk, { type: 'tool-output-available' }> {
  return { type: 'tool-output-available', toolCallId, output, dynamic: true }
}

/** The end of calls whose turn has ended without a result of theirs, such as of an approval that came too late. */
export function callsWithoutResult(toolCallIds: readonly string[]): Chunk[] {
  const errorText = 'The turn has ended, and no result of this call is known here.'
  return toolCallIds.map((toolCallId) => ({ type: 'tool-output-error', toolCallId, errorText, dynamic: true }))
}

function planTask({ id, type, detail }: Pick<Task, 'id' | 'type' | 'detail'>, status: string): PlanTask {
  return { id, type, detail, status }
}

function nameOf({ tool, skill }: Pick<Task, 'tool' | 'skill'>): string {
  return tool ?? skill ?? 'run_command'
}

function inputOf({ type, detail, args }: Task): unknown {
  return type === 'EXEC' ? { command: detail } : (args ?? {})
}
