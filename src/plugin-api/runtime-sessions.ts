/**
 * The open conversations of a plugin's runtimes, where the plugin runs. The server takes pieces of an answer when it
 * has space for them; no more than so many wait here, and then the runtime waits.
 */
import type { RuntimeDefinition, RuntimePiece, RuntimeRequest, RuntimeSession } from './runtime.ts'
import type { RuntimeCall, RuntimeBatch } from './messages.ts'
import type { PluginContext } from './plugin-context.ts'

/** Pieces of one answer that wait. */
const MAX_WAITING = 64
/** Of one piece; longer texts are cut into several. */
const MAX_PIECE_CHARS = 8 * 1024
const MAX_SESSIONS = 100

type Runtimes = Readonly<Record<string, RuntimeDefinition<Readonly<Record<string, unknown>>>>>

export class RuntimeSessions {
  readonly #sessions = new Map<string, RuntimeSession>()
  /** Those that the plugin is asked to open and that are still wanted. */
  readonly #opening = new Set<string>()
  readonly #answers = new Map<string, RuntimeAnswer>()
  readonly #runtimes: Runtimes

  constructor(runtimes: Runtimes) {
    this.#runtimes = runtimes
  }

  /** Rejects with what the plugin throws. */
  async call(call: RuntimeCall, ctx: PluginContext): Promise<RuntimeBatch | null> {
    switch (call.act) {
      case 'OPEN':
        return this.#open(call, ctx)
      case 'SEND': {
        const { messages, tools, session } = call
        this.#answers.get(session)?.stop()
        const answer = new RuntimeAnswer(this.#of(session), { messages, tools } as RuntimeRequest)
        this.#answers.set(session, answer)
        return this.#next(session, ctx)
      }
      case 'NEXT':
        return this.#next(call.session, ctx)
      case 'CLOSE':
        return unlessGivenUp(this.#close(call.session), ctx.signal)
    }
  }

  /** Rejects with what the plugin throws, once all are closed. */
  async closeAll(): Promise<void> {
    this.#opening.clear()
    await Promise.allSettled([...this.#sessions.keys()].map((session) => this.#close(session)))
  }

  async #open(
    { runtime, session, model, system }: Extract<RuntimeCall, { act: 'OPEN' }>,
    ctx: PluginContext,
  ): Promise<null> {
    const found = Object.hasOwn(this.#runtimes, runtime) ? this.#runtimes[runtime] : undefined
    if (found === undefined) throw new Error(`there is no runtime ${runtime}`)
    if (this.#sessions.size + this.#opening.size >= MAX_SESSIONS)
      throw new Error(`it has ${MAX_SESSIONS} conversations open already`)
    this.#opening.add(session)
    try {
      return await unlessGivenUp(this.#opened(session, found.open({ model, system }, ctx), ctx.signal), ctx.signal)
    } finally {
      this.#opening.delete(session)
    }
  }

  async #opened(session: string, opening: ReturnType<RuntimeDefinition<never>['open']>, signal: AbortSignal) {
    const opened = await opening
    if (!this.#opening.has(session) || signal.aborted) return closeUnwanted(opened)
    this.#sessions.set(session, opened)
    return null
  }

  #of(session: string): RuntimeSession {
    const found = this.#sessions.get(session)
    if (found === undefined) throw new Error('this conversation is not open')
    return found
  }

  async #next(session: string, { signal }: PluginContext): Promise<RuntimeBatch> {
    const answer = this.#answers.get(session)
    if (answer === undefined) throw new Error('nothing was asked')
    const stop = (): void => answer.stop()
    signal.addEventListener('abort', stop, { once: true })
    try {
      const batch = await answer.take()
      if (batch.isDone) this.#answers.delete(session)
      return batch
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  async #close(session: string): Promise<null> {
    // The plugin may still be opening it; what comes of that is not wanted any more.
    this.#opening.delete(session)
    this.#answers.get(session)?.stop()
    this.#answers.delete(session)
    const found = this.#sessions.get(session)
    this.#sessions.delete(session)
    await found?.close()
    return null
  }
}

/** A call that the server gave up ends here, too: the plugin's own code may never end, and calls are counted. */
async function unlessGivenUp<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const givenUp = Promise.withResolvers<never>()
  const giveUp = (): void => givenUp.reject(new Error('the call was given up'))
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  try {
    return await Promise.race([work, givenUp.promise])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** The server has given the conversation up meanwhile, and does not close it once more. */
async function closeUnwanted(opened: RuntimeSession): Promise<never> {
  await opened.close()
  throw new Error('this conversation was given up before it was open')
}

/** One answer on its way. */
class RuntimeAnswer {
  readonly #ending = new AbortController()
  readonly #waiting: RuntimePiece[] = []
  #end: { readonly error: unknown } | 'DONE' | null = null
  #wake: () => void = () => undefined
  #resume: () => void = () => undefined

  constructor(session: RuntimeSession, request: Omit<RuntimeRequest, 'signal'>) {
    void this.#pump(session, request)
  }

  /** The runtime is told that its answer is not wanted. */
  stop(): void {
    this.#ending.abort()
    this.#finish({ error: new Error('the answer was given up') })
  }

  /** What has come, at least one piece or the end. Rejects with what the runtime throws. */
  async take(): Promise<RuntimeBatch> {
    while (this.#waiting.length === 0 && this.#end === null)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    const pieces = this.#waiting.splice(0)
    this.#resume()
    // What came before a failure is taken first.
    if (pieces.length === 0 && this.#end !== null && this.#end !== 'DONE') throw this.#end.error
    return { pieces, isDone: this.#end === 'DONE' }
  }

  async #pump(session: RuntimeSession, request: Omit<RuntimeRequest, 'signal'>): Promise<void> {
    try {
      for await (const piece of session.send({ ...request, signal: this.#ending.signal })) {
        for (const part of cutPiece(piece)) {
          while (this.#waiting.length >= MAX_WAITING && this.#end === null)
            await new Promise<void>((resolve) => {
              this.#resume = resolve
            })
          if (this.#end !== null) return
          this.#waiting.push(part)
          this.#wake()
        }
      }
      this.#finish('DONE')
    } catch (error) {
      this.#finish({ error })
    }
  }

  #finish(end: { readonly error: unknown } | 'DONE'): void {
    this.#end ??= end
    this.#wake()
    this.#resume()
  }
}

function* cutPiece(piece: RuntimePiece): Generator<RuntimePiece> {
  if ((piece.kind !== 'text' && piece.kind !== 'thinking') || piece.text.length <= MAX_PIECE_CHARS) {
    yield piece
    return
  }
  for (let from = 0; from < piece.text.length;) {
    let to = Math.min(from + MAX_PIECE_CHARS, piece.text.length)
    // A character of two units stays whole.
    if (to < piece.text.length && /[\uD800-\uDBFF]/.test(piece.text[to - 1] ?? '')) to -= 1
    yield { kind: piece.kind, text: piece.text.slice(from, to) }
    from = to
  }
}
