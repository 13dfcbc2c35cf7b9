/**
 * A third-party plugin in a thread of its own, from its start to its end. `plugin-supervisor.ts` starts another one.
 *
 * What must hold: every call is answered or rejected, whatever the plugin does; a thread that hangs, floods, eats
 * memory or breaks the protocol is ended, and nothing else in the process waits for it. It gets no environment. It is
 * not a sandbox: the plugin may read and write files and open connections as the server may.
 */
import { setImmediate } from 'node:timers'
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import type { Json } from '../../plugin-api/hook-inputs.ts'
import { manifestSchema, problemsOf, type PluginManifest } from '../../plugin-api/manifest.ts'
import {
  MAX_MESSAGE_CHARS,
  textOfError,
  type FromThread,
  type PluginCall,
  type PluginStart,
  type ProgressData,
  type ToThread,
} from '../../plugin-api/messages.ts'
import { placeOfError } from '../../plugin-api/place-of-error.ts'
import type { Clock } from '../../platform/clock.ts'
import { moduleUrl, programFile } from '../../platform/package-file.ts'
import {
  PluginError,
  type CallControl,
  type ControlledCall,
  type PluginFailure,
  type PluginInstance,
  type PluginPort,
} from '../plugin-instance.ts'
import { withinBudget } from '../runners.ts'
import { HEAP_LIMIT_MB, type ThreadLimits } from './thread-limits.ts'
import { parseThreadMessage, serverRequest } from './thread-messages.ts'

/** What a thread is made for. */
export interface ThreadOptions {
  /** The URL of the plugin's module. */
  readonly entry: string
  readonly port: PluginPort
  readonly limits: ThreadLimits
  readonly clock: Clock
}

interface OpenCall {
  /** Null: it is not a call of the plugin's functions. */
  readonly call: PluginCall | null
  readonly resolve: (value: Json) => void
  readonly reject: (error: PluginError) => void
  readonly onProgress: (progress: ProgressData) => void
}

const NO_ABORT = new AbortController().signal

/** One thread. `load` makes it, `stop` or a failure ends it for good. */
export class ThreadPlugin implements PluginInstance {
  readonly lost: Promise<string>
  readonly #options: ThreadOptions
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #losing = Promise.withResolvers<string>()
  readonly #exited = Promise.withResolvers<void>()
  readonly #loaded = Promise.withResolvers<PluginManifest>()
  /** Also those that were given up, until the thread answers them. */
  readonly #open = new Map<number, OpenCall>()
  #manifest: PluginManifest | null = null
  #lastId = 0
  /** To the thread, in their order. */
  #outbox: string[] = []
  #isEnding = false
  #isStopping = false
  #missed = 0
  #received = 0
  #receivedChars = 0
  /** How long it had computed when its memory was last measured. */
  #measuredActiveMs = 0
  #cancelBeat: () => void = () => {}
  #cancelMeasure: () => void = () => {}

  private constructor(options: ThreadOptions) {
    this.#options = options
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#worker = new Worker(programFile('plugin-api/plugin-thread'), {
      env: {},
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      workerData: { port: port2, entry: options.entry, api: moduleUrl('plugin-api/plugin') },
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 },
    })
    this.#worker.on('error', (error) => this.#lose(describeEnd(error, options.entry)))
    this.#worker.on('exit', (code) => this.#hasExited(`it ended by itself, with code ${code}`))
    this.#port.on('message', (texts: unknown) => this.#receiveAll(texts))
    this.lost = this.#losing.promise.then((reason) => this.#end(reason))
    this.#beat()
    this.#watchMemory()
  }

  /** Resolves when its module is loaded, which starts nothing. Rejects with a PluginError that says why it cannot. */
  static async load(options: ThreadOptions): Promise<ThreadPlugin> {
    const plugin = new ThreadPlugin(options)
    const { clock, limits } = options
    try {
      const loaded = Promise.race([plugin.#loaded.promise, plugin.lost.then(lostBefore)])
      plugin.#manifest = await withinBudget(() => loaded, { budgetMs: limits.loadMs, clock, signal: NO_ABORT })
      return plugin
    } catch (error) {
      await plugin.#terminate('it cannot be used')
      throw error
    }
  }

  /** What the module says of itself. */
  get manifest(): PluginManifest {
    if (this.#manifest === null) throw new Error('the plugin is not loaded')
    return this.#manifest
  }

  /** Rejects with LATE when the plugin does not answer. */
  async check(settings: Json): Promise<string | null> {
    const { startMs } = this.#options.limits
    return (await this.#within(startMs, (id) => ({ type: 'CHECK', id, settings }))) as string | null
  }

  /** Rejects with LATE after `startMs`: then `stop` it. */
  async start(start: PluginStart): Promise<void> {
    await this.#within(this.#options.limits.startMs, (id) => ({ type: 'START', id, start }))
  }

  /** Has no time of its own: `control` says when it is over. */
  call(call: PluginCall, control: CallControl): Promise<Json> {
    return this.#ask((id) => ({ type: 'CALL', id, call }), control)
  }

  /** The calls run in the thread one after another: each begins when the one before has ended. */
  callInOrder(calls: readonly ControlledCall[]): readonly Promise<Json>[] {
    let after: number | null = null
    return calls.map(({ call, control }) => {
      const message = (id: number): ToThread => ({ type: 'CALL', id, call, ...(after !== null && { after }) })
      return this.#ask(message, control, (id) => (after = id))
    })
  }

  /** Lets the plugin end for `stopMs`, then ends the thread. */
  async stop(): Promise<void> {
    if (!this.#isStopping && !this.#isEnding) {
      this.#isStopping = true
      await this.#within(this.#options.limits.stopMs, (id) => ({ type: 'STOP', id })).catch(() => undefined)
    }
    await this.#terminate('it was stopped')
  }

  async #terminate(reason: string): Promise<void> {
    this.#isStopping = true
    this.#lose(reason)
    await this.lost
  }

  #within(budgetMs: number, message: (id: number) => ToThread): Promise<Json> {
    const { clock } = this.#options
    return withinBudget((signal) => this.#ask(message, { signal }), { budgetMs, clock, signal: NO_ABORT })
  }

  #ask(
    message: (id: number) => ToThread,
    { signal, onProgress = () => {} }: CallControl,
    onPosted: (id: number) => void = () => {},
  ): Promise<Json> {
    return new Promise((resolve, reject) => {
      const refuse = (kind: PluginFailure, why: string): void => reject(new PluginError(kind, why))
      if (this.#isEnding) return refuse('NOT_CALLED', 'the plugin has ended')
      if (signal.aborted) return refuse('NOT_CALLED', 'the call was given up')
      if (this.#open.size >= this.#options.limits.openCalls) return refuse('NOT_CALLED', 'it has too many calls open')
      this.#lastId += 1
      const id = this.#lastId
      const sent = message(id)
      const text = textOf(sent)
      if (text.length > MAX_MESSAGE_CHARS) return refuse('NOT_CALLED', 'the call is longer than plugins are given')
      const giveUp = (): void => {
        this.#send({ type: 'ABORT', id })
        refuse('ENDED', 'the call was given up')
      }
      signal.addEventListener('abort', giveUp, { once: true })
      const settled = (): void => signal.removeEventListener('abort', giveUp)
      this.#open.set(id, {
        call: sent.type === 'CALL' ? sent.call : null,
        onProgress,
        resolve: (value) => (settled(), resolve(value)),
        reject: (error) => (settled(), reject(error)),
      })
      this.#post(text)
      onPosted(id)
    })
  }

  #send(message: ToThread): void {
    if (!this.#isEnding) this.#post(JSON.stringify(message))
  }

  /** What is sent at the same time wakes the thread once. */
  #post(text: string): void {
    if (this.#outbox.push(text) > 1) return
    setImmediate(() => {
      if (!this.#isEnding) this.#port.postMessage(this.#outbox)
      this.#outbox = []
    })
  }

  /** Counted, not timed: when this process itself stood still, one ping has gone unanswered, however long that was. */
  #beat(): void {
    const { limits, clock } = this.#options
    if (this.#isEnding) return
    if (this.#missed >= limits.missedBeats && this.#manifest !== null) {
      return this.#lose(`its event loop has hung for ${(limits.missedBeats * limits.beatMs) / 1000} s`)
    }
    this.#missed += 1
    this.#received = 0
    this.#receivedChars = 0
    this.#send({ type: 'PING' })
    this.#cancelBeat = clock.after(limits.beatMs, () => this.#beat())
  }

  /** What it allocates is bounded by how long it has computed: one that is idle, or does little, is left in peace. */
  #watchMemory(): void {
    const { limits, clock } = this.#options
    if (this.#isEnding) return
    const load = this.#worker.performance.eventLoopUtilization()
    if (load.active - this.#measuredActiveMs >= limits.measureActiveMs) {
      this.#measuredActiveMs = load.active
      void this.#measure()
    }
    this.#cancelMeasure = clock.after(limits.measureMs, () => this.#watchMemory())
  }

  async #measure(): Promise<void> {
    const { memoryMb } = this.#options.limits
    const heap = await this.#worker.getHeapStatistics().catch(() => null)
    if (heap === null || heap.used_heap_size + heap.external_memory <= memoryMb * 1024 * 1024) return
    this.#lose(`it used more than ${memoryMb} MB of memory`)
  }

  /** A text, or some together. */
  #receiveAll(texts: unknown): void {
    if (!Array.isArray(texts)) return this.#receive(texts)
    for (const text of texts as unknown[]) {
      // The rest of an endless list would keep the whole process.
      if (this.#isEnding) return
      this.#receive(text)
    }
  }

  #receive(text: unknown): void {
    if (this.#isEnding) return
    if (typeof text !== 'string') return this.#lose('it sent what no plugin may send')
    this.#received += 1
    this.#receivedChars += text.length
    const { messagesPerBeat, charsPerBeat } = this.#options.limits
    if (this.#received > messagesPerBeat || this.#receivedChars > charsPerBeat) {
      return this.#lose('it flooded the server with messages')
    }
    const message = parseThreadMessage(text)
    if (message === null) return this.#lose('it sent what no plugin may send')
    switch (message.type) {
      case 'PONG':
        this.#missed = 0
        return
      case 'LOADED':
        return this.#hasLoaded(message.manifest)
      case 'UNUSABLE':
        return this.#loaded.reject(new PluginError('THREW', message.message))
      case 'RESULT':
        return this.#take(message.id)?.resolve(message.value)
      case 'ERROR':
        return this.#take(message.id)?.reject(new PluginError('THREW', message.message))
      case 'PROGRESS':
        return this.#open.get(message.id)?.onProgress(message.progress)
      case 'REQUEST':
        return void this.#serve(message)
      case 'LOG':
        return this.#options.port.log(message.level, message.message, message.fields ?? {})
    }
  }

  #hasLoaded(manifest: unknown): void {
    this.#missed = 0
    const { data } = manifestSchema.safeParse(manifest)
    if (data === undefined) this.#lose('it sent what no plugin may send')
    else this.#loaded.resolve(data)
  }

  async #serve({ request, call, ask }: Extract<FromThread, { type: 'REQUEST' }>): Promise<void> {
    try {
      const { data, error } = serverRequest.safeParse(ask)
      if (data === undefined) throw new Error(problemsOf(error))
      const during = call === null ? null : (this.#open.get(call)?.call ?? null)
      const value = await this.#options.port.ask(data, during)
      this.#send({ type: 'ANSWER', request, value })
    } catch (error) {
      this.#send({ type: 'REFUSAL', request, message: error instanceof Error ? error.message : String(error) })
    }
  }

  /** An answer to what was asked is no flood, however many come between two beats. */
  #take(id: number): OpenCall | undefined {
    const call = this.#open.get(id)
    if (this.#open.delete(id)) this.#received -= 1
    return call
  }

  #hasExited(reason: string): void {
    this.#exited.resolve()
    this.#lose(reason)
  }

  /** The first reason counts. */
  #lose(reason: string): void {
    this.#isEnding = true
    this.#cancelBeat()
    this.#cancelMeasure()
    this.#losing.resolve(reason)
  }

  async #end(reason: string): Promise<string> {
    for (const [id, call] of this.#open) {
      this.#open.delete(id)
      call.reject(new PluginError('LOST', `the plugin ended meanwhile: ${reason}`))
    }
    this.#port.close()
    this.#options.port.end()
    await this.#worker.terminate().catch(() => undefined)
    await this.#exited.promise
    return reason
  }
}

/** What hooks are given goes to one plugin after another: it is written once. */
const written = new WeakMap<object, string>()

function textOf(message: ToThread): string {
  if (message.type !== 'CALL' || message.call.kind !== 'HOOK') return JSON.stringify(message)
  const { kind, hook, data } = message.call
  if (typeof data !== 'object' || data === null) return JSON.stringify(message)
  const json = written.get(data) ?? JSON.stringify(data)
  written.set(data, json)
  const after = message.after === undefined ? '' : `"after":${message.after},`
  return `{"type":"CALL","id":${message.id},${after}"call":{"kind":"${kind}","hook":"${hook}","data":${json}}}`
}

function lostBefore(reason: string): never {
  throw new PluginError('LOST', reason)
}

function describeEnd(error: unknown, entry: string): string {
  const place = placeOfError(error, entry)
  return `it threw outside of a call: ${textOfError(error)}${place === null ? '' : ` (${place})`}`
}
