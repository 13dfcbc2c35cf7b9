/** The runtimes of plugins, as models are asked through them. A conversation is gone with the plugin's instance. */
import * as z from 'zod'
import type {
  ModelRuntimes,
  OpenRuntime,
  RuntimeAsked,
  RuntimeOpening,
  RuntimePiece,
} from '../../core/tool/model-runtime.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { newId } from '../../platform/id.ts'
import type { Json } from '../../plugin-api/hook-inputs.ts'
import type { RuntimeCall } from '../../plugin-api/messages.ts'
import { PluginError, type PluginFailure, type PluginInstance } from '../plugin-instance.ts'
import type { PluginSupervisor } from '../plugin-supervisor.ts'
import { withinBudget } from '../runners.ts'

const OPEN_MS = 30_000
const CLOSE_MS = 5000
/** The end of a conversation is sent again after each pause, for so long, to a plugin that has too many calls open. */
const FULL_PAUSE_MS = 1000
const FULL_MS = 300_000

const count = z.number().min(0).max(1e12).transform(Math.round)
const piece = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('thinking'), text: z.string() }),
  z.object({
    kind: z.literal('call'),
    id: z.string().min(1).max(200),
    name: z.string().max(200),
    // They came as JSON (thread-messages.ts).
    args: z.record(z.string(), z.custom<Json>()),
  }),
  z.object({
    kind: z.literal('usage'),
    inputTokens: count,
    outputTokens: count,
    cachedTokens: count.default(0),
  }),
])
const batch = z.object({ pieces: z.array(piece).max(1000), isDone: z.boolean() })

/** What is to be done, without the conversation's name. */
type Act<Call = RuntimeCall> = Call extends RuntimeCall ? Omit<Call, 'kind' | 'session'> : never

/** How a runtime does in this process. */
export interface RuntimeState {
  /** Conversations that are open. */
  readonly openCount: number
  /** The last failure since the server started, in one line. */
  readonly lastError: string | null
  readonly lastErrorAt: Date | null
}

const FRESH: RuntimeState = { openCount: 0, lastError: null, lastErrorAt: null }
const MAX_ERROR_CHARS = 1000

/** One for each process. */
export class PluginRuntimes implements ModelRuntimes {
  readonly #clock: Clock
  #supervisors: readonly PluginSupervisor[] = []
  /** By "<plugin>/<runtime>", of runtimes that there are. */
  readonly #states = new Map<string, RuntimeState>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The plugins as they are now. */
  become(supervisors: readonly PluginSupervisor[]): void {
    this.#supervisors = supervisors
  }

  /** `name`: "<plugin>/<runtime>". */
  stateOf(name: string): RuntimeState {
    return this.#states.get(name) ?? FRESH
  }

  /** Of the plugin as it runs now. */
  async open({ name, model, system }: RuntimeOpening, signal: AbortSignal): Promise<OpenRuntime> {
    const [plugin = '', runtime = ''] = name.split('/')
    const supervisor = this.#supervisors.find((one) => one.name === plugin)
    if (supervisor === undefined)
      throw new AppError(
        'MODEL_UNKNOWN',
        `No plugin "${plugin}" is enabled here, whose runtime "${runtime}" was to answer.`,
      )
    const { instance, status, lastError } = supervisor
    if (instance === null) {
      const why = lastError === null ? '' : `: ${lastError}`
      const message = `The plugin "${plugin}" is not running (${status})${why}, so its runtime cannot answer.`
      throw new AppError('MODEL_UNREACHABLE', message, { retry: 'backoff' })
    }
    if (!instance.manifest.runtimes.some((one) => one.name === runtime))
      throw new AppError('MODEL_UNKNOWN', `The plugin "${plugin}" has no runtime "${runtime}".`)
    const open = new OpenPluginRuntime({
      supervisor,
      instance,
      clock: this.#clock,
      onFailure: (error) => this.#failed(name, error),
      onClose: () => this.#count(name, -1),
    })
    this.#count(name, 1)
    try {
      const act = { act: 'OPEN', runtime, model, system } as const
      await withinBudget((own) => open.call(act, own), { budgetMs: OPEN_MS, clock: this.#clock, signal })
    } catch (error) {
      // What was never called has opened nothing.
      if (isNotCalled(error)) open.forget()
      else open.close()
      throw open.failed(error, signal)
    }
    return open
  }

  #count(name: string, by: number): void {
    const state = this.stateOf(name)
    this.#states.set(name, { ...state, openCount: state.openCount + by })
  }

  #failed(name: string, { message }: AppError): void {
    const lastError = message.replaceAll(/\s+/g, ' ').slice(0, MAX_ERROR_CHARS)
    this.#states.set(name, { ...this.stateOf(name), lastError, lastErrorAt: this.#clock.now() })
  }
}

interface OpenOptions {
  readonly supervisor: PluginSupervisor
  readonly instance: PluginInstance
  readonly clock: Clock
  readonly onFailure: (error: AppError) => void
  /** Once. */
  readonly onClose: () => void
}

class OpenPluginRuntime implements OpenRuntime {
  readonly id = newId('runtime')
  readonly #supervisor: PluginSupervisor
  readonly #instance: PluginInstance
  readonly #options: OpenOptions
  #isClosed = false

  constructor(options: OpenOptions) {
    this.#supervisor = options.supervisor
    this.#instance = options.instance
    this.#options = options
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#supervisor.instance === this.#instance
  }

  call(act: Act, signal: AbortSignal): Promise<unknown> {
    return this.#instance.call({ ...act, kind: 'RUNTIME', session: this.id }, { signal })
  }

  async *send({ messages, tools }: RuntimeAsked, signal: AbortSignal): AsyncGenerator<RuntimePiece> {
    try {
      let act: Act = { act: 'SEND', messages, tools }
      for (;;) {
        const { pieces, isDone } = batch.parse(await this.call(act, signal))
        yield* pieces as RuntimePiece[]
        if (isDone) break
        act = { act: 'NEXT' }
      }
      this.#supervisor.report({ outcome: 'OK', message: null })
    } catch (error) {
      throw this.failed(error, signal)
    }
  }

  close(): void {
    if (this.#isClosed) return
    this.forget()
    void this.#sendClose()
  }

  /** As `close`, of one of which the plugin knows nothing. Once. */
  forget(): void {
    this.#isClosed = true
    this.#options.onClose()
  }

  /** What the caller is to throw. It has been counted as a failure of the plugin, unless the caller gave up. */
  failed(error: unknown, signal: AbortSignal): AppError {
    const failure = toModelError(error, this.#supervisor.name, signal)
    if (failure.code !== 'CANCELLED') {
      this.#supervisor.report({ outcome: outcomeOf(error, failure), message: failure.message })
      this.#options.onFailure(failure)
    }
    return failure
  }

  /** Never rejects. A plugin that has ended has closed it; one with too many calls open gets the call later. */
  async #sendClose(): Promise<void> {
    const { clock } = this.#options
    const { signal } = new AbortController()
    const untilMs = clock.monotonicMs() + FULL_MS
    try {
      while (!(await this.#hasTaken({ act: 'CLOSE' }, signal))) {
        if (this.#supervisor.instance !== this.#instance) return
        if (clock.monotonicMs() >= untilMs)
          throw new PluginError(
            'LATE',
            `for ${FULL_MS / 1000} s it had too many calls open to be told of an ended conversation`,
          )
        await new Promise<void>((resolve) => clock.after(FULL_PAUSE_MS, resolve))
      }
    } catch (error) {
      const hasEnded = error instanceof PluginError && error.kind === 'LOST'
      if (!hasEnded) this.failed(error, signal)
    }
  }

  /** False: it was not called. Rejects with how it failed. */
  async #hasTaken(act: Act, signal: AbortSignal): Promise<boolean> {
    const limits = { budgetMs: CLOSE_MS, clock: this.#options.clock, signal }
    try {
      await withinBudget((own) => this.call(act, own), limits)
      return true
    } catch (error) {
      if (isNotCalled(error)) return false
      throw error
    }
  }
}

function isNotCalled(error: unknown): boolean {
  return error instanceof PluginError && error.kind === 'NOT_CALLED'
}

/** As the supervisor counts it. */
function outcomeOf(error: unknown, { code }: AppError): PluginFailure {
  if (code === 'MODEL_SILENT') return 'LATE'
  return error instanceof PluginError ? error.kind : 'WRONG'
}

function toModelError(error: unknown, plugin: string, signal: AbortSignal): AppError {
  if (signal.aborted && signal.reason instanceof AppError) return signal.reason
  if (signal.aborted) return new AppError('CANCELLED', 'The answer was given up.')
  if (error instanceof z.ZodError)
    return new AppError(
      'MODEL_BAD_OUTPUT',
      `The runtime of the plugin "${plugin}" answered what no runtime may answer.`,
    )
  if (error instanceof PluginError || error instanceof Error) {
    const message = `The runtime of the plugin "${plugin}" failed: ${messageOf(error)}`
    return new AppError('MODEL_UNREACHABLE', message, { retry: 'backoff' })
  }
  throw error
}
