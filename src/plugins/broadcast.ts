/**
 * `onBroadcast`: the events that this process has committed, to the plugins that name their types. Each plugin has a
 * queue of its own and is given one event after another, a short while later; what comes while it is full is left out
 * and counted.
 */
import type { SessionEvent, SessionEventType } from '../core/session-event.ts'
import type { BroadcastData, EventName, Json } from '../plugin-api/hook-inputs.ts'
import type { Clock } from '../platform/clock.ts'
import { anything, HOOK_BUDGETS_MS } from './hooks/hook-table.ts'
import { ofHook, targetOf } from './hooks/hook-target.ts'
import { atNextBeat } from './hooks/next-beat.ts'
import type { PluginSupervisor } from './plugin-supervisor.ts'
import { notifyAll } from './runners.ts'

/** Events that wait for one plugin. */
const MAX_WAITING = 1000
/** Events that are given at a time; what comes meanwhile waits. */
const TOGETHER = 32
const NO_ABORT = new AbortController().signal

/** As plugins name them. */
const NAMES: Readonly<Record<SessionEventType, EventName>> = {
  MessageReceived: 'message_received',
  MessageUpdated: 'message_updated',
  SessionUpdated: 'session_updated',
  FileReceived: 'file_received',
  Plugin: 'plugin',
  PipelineStep: 'pipeline_step',
  PlanCreated: 'plan_created',
  TaskUpdate: 'task_update',
  TaskOutput: 'task_output',
  TextDelta: 'text_delta',
  TextCompleted: 'text_completed',
  Thinking: 'thinking',
  TaskProgress: 'task_progress',
  Review: 'review',
  Approval: 'approval',
  Delegation: 'delegation',
  TurnPaused: 'turn_paused',
  Checkpoint: 'checkpoint',
  TurnCompleted: 'turn_completed',
}

/** One for a process: what was committed, given to the plugins that want it. Never throws for what plugins do. */
export class Broadcast {
  readonly #clock: Clock
  #queues: readonly PluginQueue[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whom events go to from now on. A supervisor that stays keeps what waits for it. */
  become(supervisors: readonly PluginSupervisor[]): void {
    this.#queues = supervisors.map(
      (supervisor) =>
        this.#queues.find((queue) => queue.supervisor === supervisor) ?? new PluginQueue(supervisor, this.#clock),
    )
  }

  /** After a commit. Returns at once; never throws. */
  give(events: readonly SessionEvent[]): void {
    for (const queue of this.#queues) for (const event of events) queue.add(event)
  }
}

class PluginQueue {
  readonly supervisor: PluginSupervisor
  readonly #clock: Clock
  readonly #waiting: SessionEvent[] = []
  #isGiving = false

  constructor(supervisor: PluginSupervisor, clock: Clock) {
    this.supervisor = supervisor
    this.#clock = clock
  }

  add(event: SessionEvent): void {
    if (!this.#wants(event)) return
    if (this.#waiting.length >= MAX_WAITING) return this.supervisor.leftOut()
    this.#waiting.push(event)
    if (this.#isGiving) return
    this.#isGiving = true
    atNextBeat(this.#clock, () => void this.#giveAll())
  }

  #wants({ type }: SessionEvent): boolean {
    const manifest = this.supervisor.instance?.manifest
    return manifest?.hooks.includes('onBroadcast') === true && manifest.events.includes(NAMES[type])
  }

  async #giveAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#give(this.#waiting.splice(0, TOGETHER))
    this.#isGiving = false
  }

  async #give(events: readonly SessionEvent[]): Promise<void> {
    const { supervisor } = this
    if (supervisor.instance === null) return events.forEach(() => supervisor.leftOut())
    const hook = 'onBroadcast'
    const moment = { hook, budgetMs: HOOK_BUDGETS_MS[hook], answer: anything } as const
    await notifyAll(
      [targetOf({ name: supervisor.name, supervisor })],
      events.map((event) => ({ ...moment, data: broadcastOf(event) })),
      { clock: this.#clock, signal: NO_ABORT, onReport: (report) => supervisor.report(ofHook(report)) },
    )
  }
}

/** The same object for all plugins: it is written as JSON once. */
const given = new WeakMap<SessionEvent, BroadcastData>()

function broadcastOf(event: SessionEvent): BroadcastData {
  const known = given.get(event)
  if (known !== undefined) return known
  const { sessionId, turnId, seq, at, type, ...rest } = event
  const data = { sessionId, turnId, seq, type: NAMES[type], at: at.toISOString(), data: rest as Json }
  given.set(event, data)
  return data
}
