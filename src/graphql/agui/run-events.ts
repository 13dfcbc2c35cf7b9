/**
 * A turn as AG-UI tells it: steps, the plan as state, tasks as calls of tools, texts and thoughts as messages. What the
 * page has already, because it comes back, is not told twice: ids are those of tasks.
 */
import type { Viewer } from '../../core/identity.ts'
import { whatRuns } from '../../core/plan/what-runs.ts'
import { mayDecide } from '../protocols/decide.ts'
import type { ApprovalData, TaskData, TurnData, TurnEvent } from '../protocols/turn-documents.ts'
import type { PlanData } from './documents.ts'
import type { PageContent } from './run-input.ts'

/** As the protocol has it: its `type`, and the fields of that. */
export interface RunEvent {
  readonly type: string
  readonly [field: string]: unknown
}

type EventOf<Name extends TurnEvent['__typename']> = Extract<TurnEvent, { __typename: Name }>

export interface RunOptions {
  readonly threadId: string
  readonly runId: string
  readonly namesCancelled: boolean
  readonly viewer: Pick<Viewer, 'user'>
}

export class RunEvents {
  readonly #run: Pick<RunOptions, 'threadId' | 'runId'>
  readonly #namesCancelled: boolean
  readonly #viewer: Pick<Viewer, 'user'>
  readonly #shown: PageContent
  #step: string | null = null
  #tasks: string[] | null = null
  /** Texts that are open: what was given of each, and under which id. */
  readonly #texts = new Map<string, OpenText>()
  readonly #thoughts = new Map<string, string>()
  readonly #attempts = new Map<string, number>()
  readonly #calls = new Set<string>()

  constructor({ namesCancelled, viewer, ...run }: RunOptions, shown: PageContent) {
    this.#run = run
    this.#viewer = viewer
    this.#namesCancelled = namesCancelled
    this.#shown = shown
  }

  /** `plan`: that of a turn which goes on. */
  start(plan: PlanData | null): RunEvent[] {
    this.#tasks = plan?.tasks.map(({ id }) => id) ?? null
    return [
      { type: 'RUN_STARTED', ...this.#run },
      { type: 'STATE_SNAPSHOT', snapshot: { plan } },
    ]
  }

  eventsOf(event: TurnEvent): RunEvent[] {
    switch (event.__typename) {
      case 'PipelineStepEvent':
        return [...this.#endStep(), ...this.#beginStep(event.step)]
      case 'PlanCreatedEvent':
        return this.#planEvents(event)
      case 'TaskUpdateEvent':
        return [...this.#statusEvents(event), ...this.#taskEvents(event)]
      case 'TaskOutputEvent': {
        const { taskId, stream, text } = event
        return [{ type: 'CUSTOM', name: 'task_output', value: { taskId, stream, text } }]
      }
      case 'TextDeltaEvent':
        return this.#addText(event)
      case 'TextCompletedEvent':
        return this.#endText(event)
      case 'ThinkingEvent':
        return this.#think(event)
      case 'TurnPausedEvent':
        return [{ type: 'CUSTOM', name: 'turn_paused', value: { reason: event.pausedReason } }]
      case 'MessageUpdatedEvent':
      case 'ApprovalEvent':
      case 'TurnCompletedEvent':
        return []
    }
  }

  /** `turn`: null where there is none. */
  finish(turn: TurnData | null): RunEvent[] {
    const { status = 'DONE', failure = null } = turn ?? {}
    if (status === 'FAILED') return this.fail(failure ?? 'The turn failed.', 'turn_failed')
    return [...this.#close(), { type: 'RUN_FINISHED', ...this.#run, ...this.#outcomeOf(turn) }]
  }

  /** A page of before AG-UI 1.0 takes no outcome that it does not know. */
  #outcomeOf(turn: TurnData | null): object {
    if (turn === null || turn.status === 'DONE') return { outcome: { type: 'success' } }
    if (turn.status === 'CANCELLED') return this.#namesCancelled ? { outcome: { type: 'cancelled' } } : {}
    const interrupts = turn.session.approvals.map((approval) => interruptOf(approval, this.#viewer))
    return { outcome: { type: 'interrupt', interrupts } }
  }

  fail(message: string, code: string): RunEvent[] {
    return [{ type: 'RUN_ERROR', message, code }]
  }

  #close(): RunEvent[] {
    const texts = [...this.#texts.values()].flatMap((text) => text.close())
    const thoughts = [...this.#thoughts.keys()].flatMap((id) => endThought(id))
    this.#texts.clear()
    this.#thoughts.clear()
    return [...texts, ...thoughts, ...this.#endStep()]
  }

  #beginStep(stepName: string): RunEvent[] {
    this.#step = stepName
    return [{ type: 'STEP_STARTED', stepName }]
  }

  #endStep(): RunEvent[] {
    const stepName = this.#step
    this.#step = null
    return stepName === null ? [] : [{ type: 'STEP_FINISHED', stepName }]
  }

  #planEvents({ plan: { goal, attempt, replanReason, tasks } }: EventOf<'PlanCreatedEvent'>): RunEvent[] {
    this.#tasks = tasks.map(({ id }) => id)
    const shown = tasks.map((task) => ({ ...task, status: 'PENDING' }))
    const value = { goal, attempt, replanReason, tasks: shown }
    return [{ type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/plan', value }] }]
  }

  /** A plan of mode CHAT grows by the tasks that the model calls. */
  #statusEvents({
    task: { id, type, detail, tool, skill },
    taskStatus: status,
  }: EventOf<'TaskUpdateEvent'>): RunEvent[] {
    if (this.#tasks === null) return []
    const index = this.#tasks.indexOf(id)
    if (index >= 0)
      return [{ type: 'STATE_DELTA', delta: [{ op: 'replace', path: `/plan/tasks/${index}/status`, value: status }] }]
    this.#tasks.push(id)
    const value = { id, type, detail, tool, skill, status }
    return [{ type: 'STATE_DELTA', delta: [{ op: 'add', path: '/plan/tasks/-', value }] }]
  }

  #taskEvents({ task, taskStatus }: EventOf<'TaskUpdateEvent'>): RunEvent[] {
    const { id } = task
    if (task.type === 'MSG') return taskStatus === 'RUNNING' ? this.#beginAnew(id) : []
    if (taskStatus === 'RUNNING') {
      if (this.#calls.has(id) || this.#shown.calls.has(id)) return []
      this.#calls.add(id)
      return callOf(task)
    }
    if (!ENDS.has(taskStatus) || this.#shown.results.has(id)) return []
    if (!this.#calls.delete(id) && !this.#shown.calls.has(id)) return []
    const content = resultOf(task, taskStatus)
    return [{ type: 'TOOL_CALL_RESULT', messageId: `${id}_result`, toolCallId: id, content, role: 'tool' }]
  }

  /** Another attempt at a text is another message: pages cannot be made to take one back. */
  #beginAnew(taskId: string): RunEvent[] {
    const events = this.#texts.get(taskId)?.close() ?? []
    if (this.#texts.delete(taskId)) this.#attempts.set(taskId, (this.#attempts.get(taskId) ?? 1) + 1)
    return events
  }

  #addText({ taskId, delta }: EventOf<'TextDeltaEvent'>): RunEvent[] {
    return this.#text(taskId).add(delta)
  }

  #endText({ taskId, content }: EventOf<'TextCompletedEvent'>): RunEvent[] {
    const text = this.#text(taskId)
    this.#texts.delete(taskId)
    const rest = text.complete(content)
    if (rest !== null) return rest
    this.#attempts.set(taskId, (this.#attempts.get(taskId) ?? 1) + 1)
    return [...text.close(), ...(this.#openText(taskId).complete(content) ?? [])]
  }

  #text(taskId: string): OpenText {
    const open = this.#texts.get(taskId) ?? this.#openText(taskId)
    this.#texts.set(taskId, open)
    return open
  }

  #openText(taskId: string): OpenText {
    const id = this.#messageId(taskId)
    return new OpenText(id, this.#shown.texts.get(id))
  }

  #messageId(taskId: string): string {
    const attempt = this.#attempts.get(taskId) ?? 1
    return attempt === 1 ? taskId : `${taskId}_${attempt}`
  }

  /** Of a thought that the page has the beginning of, the whole tells what is missing. */
  #think({ thinkingId: messageId, delta, content, isWhole }: EventOf<'ThinkingEvent'>): RunEvent[] {
    const shown = this.#shown.thoughts.get(messageId)
    if (!isWhole && shown !== undefined) return []
    const open = this.#thoughts.get(messageId)
    const given = open ?? shown ?? ''
    const rest = !isWhole ? delta : content.startsWith(given) ? content.slice(given.length) : ''
    if (rest === '' && open === undefined && shown !== undefined) return []
    const opening = open === undefined ? beginThought(messageId) : []
    const more = rest === '' ? [] : [{ type: 'REASONING_MESSAGE_CONTENT', messageId, delta: rest }]
    if (!isWhole) {
      this.#thoughts.set(messageId, given + delta)
      return [...opening, ...more]
    }
    this.#thoughts.delete(messageId)
    return [...opening, ...more, ...endThought(messageId)]
  }
}

/** One message of the agent, as far as the page has it. */
class OpenText {
  readonly #id: string
  #given: string
  /** The page has the beginning from before: nothing is added until the whole tells what is missing. */
  readonly #isHeld: boolean
  #isOpen = false

  constructor(id: string, shown?: string) {
    this.#id = id
    this.#given = shown ?? ''
    this.#isHeld = shown !== undefined
  }

  add(delta: string): RunEvent[] {
    if (this.#isHeld || delta === '') return []
    const opening = this.#open()
    this.#given += delta
    return [...opening, { type: 'TEXT_MESSAGE_CONTENT', messageId: this.#id, delta }]
  }

  /** Null: the whole is not what the page has a part of. */
  complete(whole: string): RunEvent[] | null {
    if (!whole.startsWith(this.#given)) return null
    const rest = whole.slice(this.#given.length)
    if (rest === '') return this.close()
    const more = { type: 'TEXT_MESSAGE_CONTENT', messageId: this.#id, delta: rest }
    return [...this.#open(), more, ...this.close()]
  }

  close(): RunEvent[] {
    if (!this.#isOpen) return []
    this.#isOpen = false
    return [{ type: 'TEXT_MESSAGE_END', messageId: this.#id }]
  }

  #open(): RunEvent[] {
    if (this.#isOpen) return []
    this.#isOpen = true
    return [{ type: 'TEXT_MESSAGE_START', messageId: this.#id, role: 'assistant' }]
  }
}

const ENDS: ReadonlySet<string> = new Set(['DONE', 'FAILED', 'SKIPPED', 'CANCELLED', 'INTERRUPTED'])

function callOf({ id, tool, skill, type, detail, args }: TaskData): RunEvent[] {
  return [
    { type: 'TOOL_CALL_START', toolCallId: id, toolCallName: tool ?? skill ?? 'run_command' },
    {
      type: 'TOOL_CALL_ARGS',
      toolCallId: id,
      delta: JSON.stringify(type === 'EXEC' ? { command: detail } : (args ?? {})),
    },
    { type: 'TOOL_CALL_END', toolCallId: id },
  ]
}

function resultOf({ output, stderr }: TaskData, status: string): string {
  const said = [output, stderr].filter((text) => text !== null && text !== '').join('\n')
  return status === 'DONE' ? said : [status, said].filter((text) => text !== '').join('\n')
}

function beginThought(messageId: string): RunEvent[] {
  return [
    { type: 'REASONING_START', messageId },
    { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
  ]
}

function endThought(messageId: string): RunEvent[] {
  return [
    { type: 'REASONING_MESSAGE_END', messageId },
    { type: 'REASONING_END', messageId },
  ]
}

function interruptOf(approval: ApprovalData, viewer: Pick<Viewer, 'user'>): object {
  const { id, kind, reason, expiresAt, task } = approval
  const isTheirs = mayDecide(viewer, approval)
  const asked = `${reason} ${whatRuns({ kind, task }).join('; ')}`
  return {
    id,
    reason: 'approval',
    message: isTheirs ? asked : `${asked}\n\nAn admin decides about it.`,
    expiresAt,
    responseSchema: {
      type: 'object',
      properties: { approved: { type: 'boolean' }, note: { type: 'string' }, editedDetail: { type: 'string' } },
      required: ['approved'],
    },
    metadata: { kind, task, mayDecide: isTheirs },
  }
}
