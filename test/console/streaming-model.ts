/**
 * A model whose commands and texts a story of the console sets, and whose stream it holds: what a page shows in the
 * middle of an answer stays there until the story lets it go on.
 */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { GOOD_REVIEW } from '../model/good-answers.ts'
import { chunk, sse, StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

export class StreamingModel implements AsyncDisposable {
  /** What the next plan runs, before it answers. */
  commands: readonly string[] = []
  /** What the next answer says, piece by piece. */
  pieces: readonly string[] = []
  /** Of the pieces, how many are sent until `goOn`. */
  heldAfter = Number.POSITIVE_INFINITY
  /** Between two pieces; 0: all are sent at once. */
  everyMs = 0
  readonly #endpoint: StubEndpoint
  #goOn: (() => void) | null = null

  private constructor(endpoint: StubEndpoint) {
    this.#endpoint = endpoint
  }

  static async start(): Promise<StreamingModel> {
    const endpoint = await StubEndpoint.start({ list: [] })
    const model = new StreamingModel(endpoint)
    endpoint.follow({ by: (call) => model.#answer(call) })
    return model
  }

  get baseUrl(): string {
    return this.#endpoint.baseUrl
  }

  /** Sends what is held, and holds nothing from now on. */
  goOn(): void {
    this.heldAfter = Number.POSITIVE_INFINITY
    this.#goOn?.()
    this.#goOn = null
  }

  #answer({ role }: StubCall): StubAnswer {
    if (role === 'reviewer') return { content: GOOD_REVIEW }
    if (role !== 'planner') return (response) => (this.everyMs > 0 ? void this.#say(response) : this.#stream(response))
    const tasks = this.commands.map((detail) => ({ type: 'exec', detail, skill: null, args: null, expect: 'it ends' }))
    const say = { type: 'msg', detail: 'Say what came of it.', skill: null, args: null, expect: null }
    return { content: { goal: 'Do what was asked', secrets: null, tasks: [...tasks, say], answers: null } }
  }

  #stream(response: ServerResponse): void {
    const { pieces, heldAfter } = this
    const write = (some: readonly string[]): void => {
      for (const content of some)
        response.write(sse(chunk([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }])))
    }
    const end = (): void => {
      write(pieces.slice(heldAfter))
      response.write(sse(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])))
      response.end('data: [DONE]\n\n')
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    write(pieces.slice(0, heldAfter))
    if (heldAfter >= pieces.length) end()
    else this.#goOn = end
  }

  async #say(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const content of this.pieces) {
      await sleep(this.everyMs)
      response.write(sse(chunk([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }])))
    }
    response.write(sse(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])))
    response.end('data: [DONE]\n\n')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#endpoint.close()
  }
}
