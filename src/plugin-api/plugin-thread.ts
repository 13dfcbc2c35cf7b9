/**
 * The entry of a plugin's thread: loads the plugin's module and carries out what the server says. The server ends the
 * thread when it hangs, floods or eats memory; what is here keeps an honest plugin's mistakes small.
 */
import { registerHooks } from 'node:module'
import { setImmediate } from 'node:timers'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import type { Json } from './hook-inputs.ts'
import {
  textOfError,
  MAX_LOG_LINES,
  MAX_MESSAGE_CHARS,
  MAX_OPEN_REQUESTS,
  type FromThread,
  type LogLevel,
  type PluginCall,
  type ProgressData,
  type ServerRequest,
  type ToThread,
} from './messages.ts'
import { placeOfError } from './place-of-error.ts'
import { RunningPlugin, type ServerPort } from './running-plugin.ts'

/** What the thread is made with. */
export interface ThreadData {
  readonly port: MessagePort
  /** The plugin's module. */
  readonly entry: string
  /** What "factotum/plugin" stands for. */
  readonly api: string
}

/** A call that has not been answered. */
interface OpenCall {
  readonly control: AbortController
  /** It has ended, or was aborted. */
  readonly over: Promise<void>
}

interface Request {
  readonly resolve: (value: Json) => void
  readonly reject: (error: Error) => void
}

class Thread implements ServerPort {
  readonly #port: MessagePort
  /** The plugin's module. */
  readonly #entry: string
  readonly #calls = new Map<number, OpenCall>()
  /** Of calls, to be sent together. */
  #answers: string[] = []
  readonly #requests = new Map<number, Request>()
  #plugin: RunningPlugin | null = null
  #lastRequest = 0
  #lines = 0
  #linesSecond = 0

  constructor({ port, entry }: ThreadData) {
    this.#port = port
    this.#entry = entry
  }

  async run(): Promise<void> {
    this.#port.on('message', (texts: string | readonly string[]) => {
      for (const text of [texts].flat()) void this.#receive(JSON.parse(text) as ToThread)
    })
    try {
      const { default: exported } = (await import(this.#entry)) as { readonly default?: unknown }
      this.#plugin = new RunningPlugin(exported, this)
      this.#post({ type: 'LOADED', manifest: this.#plugin.manifest })
    } catch (error) {
      this.#post({ type: 'UNUSABLE', message: this.#located(error) })
    }
  }

  ask(ask: ServerRequest, call: number | null): Promise<Json> {
    if (this.#requests.size >= MAX_OPEN_REQUESTS) {
      return Promise.reject(new Error(`a plugin may have ${MAX_OPEN_REQUESTS} requests under way, no more`))
    }
    this.#lastRequest += 1
    const request = this.#lastRequest
    return new Promise((resolve, reject) => {
      this.#requests.set(request, { resolve, reject })
      const refused = this.#post({ type: 'REQUEST', request, call, ask })
      if (refused !== null) this.#settle(request)?.reject(new Error(refused))
    })
  }

  log(level: LogLevel, message: string, fields: Json): void {
    const second = Math.floor(performance.now() / 1000)
    if (second !== this.#linesSecond) {
      const left = this.#lines - MAX_LOG_LINES
      this.#linesSecond = second
      this.#lines = 0
      if (left > 0) this.log('warn', `${left} lines were left out`, {})
    }
    this.#lines += 1
    if (this.#lines <= MAX_LOG_LINES) this.#post({ type: 'LOG', level, message: message.slice(0, 10_000), fields })
  }

  async #receive(message: ToThread): Promise<void> {
    switch (message.type) {
      case 'PING':
        return void this.#post({ type: 'PONG' })
      case 'CHECK':
        return this.#answer(message.id, async (plugin) => plugin.checkSettings(message.settings))
      case 'START':
        return this.#answer(message.id, async (plugin) => plugin.start(message.start).then(() => null))
      case 'STOP':
        return this.#answer(message.id, async (plugin) => plugin.stop().then(() => null))
      case 'CALL':
        return this.#call(message)
      case 'ABORT':
        return this.#calls.get(message.id)?.control.abort()
      case 'ANSWER':
        return this.#settle(message.request)?.resolve(message.value)
      case 'REFUSAL':
        return this.#settle(message.request)?.reject(new Error(message.message))
    }
  }

  async #call({ id, after, call }: Extract<ToThread, { type: 'CALL' }>): Promise<void> {
    const control = new AbortController()
    const ended = Promise.withResolvers<void>()
    control.signal.addEventListener('abort', () => ended.resolve(), { once: true })
    this.#calls.set(id, { control, over: ended.promise })
    const before = after === undefined ? undefined : this.#calls.get(after)
    if (before !== undefined) await before.over
    const onProgress = coalesced((progress: ProgressData) => void this.#post({ type: 'PROGRESS', id, progress }))
    await this.#answer(id, async (plugin) => {
      if (control.signal.aborted) throw new Error('the call was given up before it began')
      const called = plugin.call(call, { id, signal: control.signal, onProgress })
      return call.kind === 'HOOK' ? called : called.catch((error: unknown) => this.#throwPlain(call, error))
    })
    this.#calls.delete(id)
    ended.resolve()
  }

  async #answer(id: number, work: (plugin: RunningPlugin) => Promise<Json>): Promise<void> {
    try {
      if (this.#plugin === null) throw new Error('the plugin is not loaded')
      const value = await work(this.#plugin)
      const refused = this.#send({ type: 'RESULT', id, value }, (text) => this.#collect(text))
      if (refused !== null) throw new Error(refused)
    } catch (error) {
      this.#post({ type: 'ERROR', id, message: this.#located(error) })
    }
  }

  /** What was thrown, and where in the plugin: for its author. */
  #located(error: unknown): string {
    const place = placeOfError(error, this.#entry)
    return place === null ? textOfError(error) : `${textOfError(error)} (${place})`
  }

  /** Models and people are shown what tools and runtimes throw, who have no use for the place: the log has it. */
  #throwPlain(call: PluginCall, error: unknown): never {
    const place = placeOfError(error, this.#entry)
    const what = call.kind === 'TOOL' ? `tool ${call.tool}` : 'a runtime'
    if (place !== null) this.log('info', `${what} threw: ${textOfError(error)}`, { place })
    throw new Error(textOfError(error))
  }

  /** What is answered before the thread waits for anything wakes the server once. */
  #collect(text: string): void {
    if (this.#answers.push(text) > 1) return
    setImmediate(() => {
      this.#port.postMessage(this.#answers)
      this.#answers = []
    })
  }

  #settle(request: number): Request | undefined {
    const found = this.#requests.get(request)
    this.#requests.delete(request)
    return found
  }

  /** Why it could not be sent; null: it was. */
  #post(message: FromThread): string | null {
    return this.#send(message, (text) => this.#port.postMessage(text))
  }

  #send(message: FromThread, post: (text: string) => void): string | null {
    try {
      const text = JSON.stringify(message)
      if (text.length > MAX_MESSAGE_CHARS)
        return `too long: ${text.length} characters, ${MAX_MESSAGE_CHARS} are allowed`
      post(text)
      return null
    } catch (error) {
      return `no JSON: ${textOfError(error)}`
    }
  }
}

/** At most one call every 100 ms, the last one included. */
function coalesced<Value>(pass: (value: Value) => void): (value: Value) => void {
  let waiting: { readonly value: Value } | null = null
  let isPaused = false
  const next = (): void => {
    isPaused = waiting !== null
    if (waiting === null) return
    pass(waiting.value)
    waiting = null
    setTimeout(next, 100).unref()
  }
  return (value) => {
    waiting = { value }
    if (!isPaused) next()
  }
}

/** What would end the server, or write past its log. */
function takeAway(thread: Thread): void {
  const refuse = (): never => {
    throw new Error('a plugin may not send signals')
  }
  process.kill = refuse
  const line = (level: LogLevel) => (chunk: Uint8Array | string, encoding?: unknown, whenWritten?: unknown) => {
    thread.log(level, Buffer.from(chunk).toString().trimEnd(), {})
    const done = [encoding, whenWritten].find((one) => typeof one === 'function')
    if (done !== undefined) queueMicrotask(() => void done())
    return true
  }
  process.stdout.write = line('info')
  process.stderr.write = line('warn')
}

const { port, entry, api } = workerData as ThreadData
// What is left to the plugin has no way to the server but `ctx`.
for (const name of Object.keys(workerData as object)) delete (workerData as Record<string, unknown>)[name]
parentPort?.close()
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'factotum/plugin' ? { url: api, shortCircuit: true } : next(specifier, context),
})
const thread = new Thread({ port, entry, api })
takeAway(thread)
await thread.run()
