/** A built-in plugin: through the same interface, in the server itself. It is trusted to end and to yield. */
import type { Json } from '../plugin-api/hook-inputs.ts'
import type { PluginManifest } from '../plugin-api/manifest.ts'
import { textOfError, type PluginCall, type PluginStart } from '../plugin-api/messages.ts'
import { RunningPlugin } from '../plugin-api/running-plugin.ts'
import {
  PluginError,
  type CallControl,
  type ControlledCall,
  type PluginInstance,
  type PluginPort,
} from './plugin-instance.ts'

/** What it does wrong is not contained, but what it throws is. */
export class InProcessPlugin implements PluginInstance {
  readonly manifest: PluginManifest
  readonly lost: Promise<string> = new Promise(() => {})
  readonly #plugin: RunningPlugin
  readonly #stopping = new AbortController()
  readonly #open = new Map<number, PluginCall>()
  readonly #port: PluginPort
  #lastCall = 0

  /** Throws an Error when the definition is wrong. */
  constructor(definition: unknown, port: PluginPort) {
    this.#plugin = new RunningPlugin(definition, {
      ask: (request, id) => port.ask(request, id === null ? null : (this.#open.get(id) ?? null)),
      log: (level, message, fields) => port.log(level, message, fields),
    })
    this.#port = port
    this.manifest = this.#plugin.manifest
  }

  /** Never rejects. */
  async check(settings: Json): Promise<string | null> {
    return this.#plugin.checkSettings(settings)
  }

  /** Rejects with THREW. */
  start(start: PluginStart): Promise<void> {
    return this.#plugin.start(start).catch(threw)
  }

  /** Rejects with THREW, ENDED or NOT_CALLED. */
  async call(call: PluginCall, { signal, onProgress = () => {} }: CallControl): Promise<Json> {
    this.#lastCall += 1
    const id = this.#lastCall
    const ending = AbortSignal.any([signal, this.#stopping.signal])
    if (ending.aborted) throw new PluginError('NOT_CALLED', 'the plugin is being ended')
    const ended = Promise.withResolvers<never>()
    const end = (): void => ended.reject(new PluginError('ENDED', 'the call was given up'))
    ending.addEventListener('abort', end, { once: true })
    try {
      this.#open.set(id, call)
      const answer = this.#plugin.call(call, { id, signal: ending, onProgress })
      return await Promise.race([answer.catch(threw), ended.promise])
    } finally {
      this.#open.delete(id)
      ending.removeEventListener('abort', end)
    }
  }

  /** As `call`, which ends when it is given up. */
  callInOrder(calls: readonly ControlledCall[]): readonly Promise<Json>[] {
    let before: Promise<unknown> = Promise.resolve()
    return calls.map(({ call, control }) => {
      const made = before.then(() => this.call(call, control))
      before = made.catch(() => undefined)
      return made
    })
  }

  /** Waits for the plugin's own `stop`. */
  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return
    this.#stopping.abort()
    await this.#plugin.stop().catch(() => undefined)
    this.#port.end()
  }
}

function threw(error: unknown): never {
  throw new PluginError('THREW', textOfError(error))
}
