/**
 * A stand-in for a model of embeddings, over real HTTP. What a text means to it is a sum of directions: one for each
 * three letters of each word (so that misspelt words are near), and, for the words of the corpus, those of the things
 * that they are used for in it, in both phrasings and in German (test/knowledge/corpus). It knows what its table knows:
 * marks that it reaches say that the list of meanings works, not how good any model is.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ATTRIBUTES } from '../knowledge/corpus/attributes.ts'
import { COMPONENTS } from '../knowledge/corpus/vocabulary.ts'

export interface EmbeddingsCall {
  readonly model: string
  readonly input: readonly string[]
  readonly headers: Readonly<Record<string, unknown>>
}

/** What is answered instead: a status, or nothing at all. */
export type EmbeddingsFailure = number | 'silence'

export class EmbeddingsEndpoint implements AsyncDisposable {
  readonly calls: EmbeddingsCall[] = []
  /** For each call; null: it is answered. */
  failWith: (call: EmbeddingsCall) => EmbeddingsFailure | null = () => null
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { model, input } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { model: string; input: string[] }
      this.#answer({ model, input, headers: request.headers }, request.url ?? '', response)
    })
  })

  static async start(): Promise<EmbeddingsEndpoint> {
    const endpoint = new EmbeddingsEndpoint()
    await new Promise<void>((resolve) => endpoint.#server.listen(0, '127.0.0.1', resolve))
    return endpoint
  }

  /** What belongs into base_url. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #answer(call: EmbeddingsCall, url: string, response: ServerResponse): void {
    this.calls.push(call)
    const failure = url === '/v1/embeddings' ? this.failWith(call) : 404
    if (failure === 'silence') return
    if (failure !== null) {
      response.writeHead(failure, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: `as the test wants: ${failure}` } }))
      return
    }
    const data = call.input.map((text, index) => ({ object: 'embedding', index, embedding: meaningOf(text) }))
    const tokens = call.input.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        object: 'list',
        data,
        model: call.model,
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      }),
    )
  }
}

const DIMENSIONS = 384
const WEIGHT_OF_THINGS = 2.5
/** Of a word that the table does not know: mostly a name. */
const WEIGHT_OF_LETTERS = 2
/** Of one that it knows: how it is written matters less than what it is for. */
const WEIGHT_OF_KNOWN_LETTERS = 0.3

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, 6))
}

/** For what words are used: of each word, in which share of its uses it is for which thing. */
const THINGS: ReadonlyMap<string, ReadonlyMap<string, number>> = (() => {
  const uses = new Map<string, Map<string, number>>()
  const use = (text: string, thing: string): void => {
    for (const word of new Set(wordsOf(text.replaceAll(/\{\w\}/g, ' ')))) {
      const known = uses.get(word) ?? new Map<string, number>()
      uses.set(word, known.set(thing, 1))
    }
  }
  for (const [n, { facts, asks, forms, followUps, german }] of ATTRIBUTES.entries())
    use([...facts, ...asks, ...forms, ...followUps, german].join(' '), `attribute ${n}`)
  for (const [n, { name, other, german }] of COMPONENTS.entries()) use(`${name} ${other} ${german}`, `component ${n}`)
  return uses
})()

/** A direction of its own for each key, always the same: from a hash of it. */
const directionOf = (() => {
  const known = new Map<string, Float32Array>()
  return (key: string): Float32Array => {
    const kept = known.get(key)
    if (kept !== undefined) return kept
    let state = 2_166_136_261
    for (const letter of key) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 16_777_619)
    const direction = Float32Array.from({ length: DIMENSIONS }, () => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return (state >>> 0) / 2 ** 32 - 0.5
    })
    known.set(key, direction)
    return direction
  }
})()

/** What a word adds; kept, since stores have few different words. */
const meaningOfWord = (() => {
  const known = new Map<string, Float64Array>()
  return (word: string): Float64Array => {
    const kept = known.get(word)
    if (kept !== undefined) return kept
    const sum = new Float64Array(DIMENSIONS)
    const add = (key: string, weight: number): void => {
      directionOf(key).forEach((part, at) => (sum[at] = (sum[at] ?? 0) + part * weight))
    }
    const things = THINGS.get(word)
    // What is used for everything says nothing.
    const telling = things === undefined ? 0 : 1 / things.size ** 1.5
    for (const thing of things?.keys() ?? []) add(thing, WEIGHT_OF_THINGS * telling)
    const padded = ` ${word} `
    const weight = things === undefined ? WEIGHT_OF_LETTERS : WEIGHT_OF_KNOWN_LETTERS * telling
    for (let at = 0; at + 3 <= padded.length; at++) add(padded.slice(at, at + 3), weight / Math.sqrt(padded.length))
    known.set(word, sum)
    return sum
  }
})()

/** Of length 1, to four digits. */
function meaningOf(text: string): number[] {
  const sum = new Float64Array(DIMENSIONS)
  for (const word of wordsOf(text)) {
    const meaning = meaningOfWord(word)
    for (let at = 0; at < DIMENSIONS; at++) sum[at] = (sum[at] ?? 0) + (meaning[at] ?? 0)
  }
  const length = Math.hypot(...sum) || 1
  return Array.from(sum, (part) => Math.round((10_000 * part) / length) / 10_000)
}
