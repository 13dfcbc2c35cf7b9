/**
 * Texts of operations that clients send once and then name by their SHA-256: the protocol that Apollo calls automatic
 * persisted queries. Bounded, least recently used first out: who names one that is not here is told so, and sends it
 * again with its text. Each process has its own.
 */
import { createHash } from 'node:crypto'
import type { GraphQLParams } from 'graphql-yoga'
import { LIMITS } from './operation-limits.ts'

/** Of texts, in UTF-16. */
const MAX_BYTES = 8 * 1024 * 1024
/** What an entry costs besides its text. */
const ENTRY_BYTES = 200

export class PersistedQueries {
  /** In order of use, oldest first. */
  readonly #texts = new Map<string, string>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** With the text that they name. An empty one: it is not known. */
  resolve(params: GraphQLParams): GraphQLParams {
    const hash = hashIn(params)
    if (hash === null || isGiven(params.query)) return params
    return { ...params, query: this.#find(hash) }
  }

  /** Returns false when the hash is of another text. */
  keep(hash: string, text: string): boolean {
    if (createHash('sha256').update(text).digest('hex') !== hash) return false
    if (this.#texts.has(hash) || text.length > LIMITS.documentBytes) return true
    this.#texts.set(hash, text)
    this.#bytes += bytesOf(text)
    for (const [oldest, old] of this.#texts) {
      if (this.#bytes <= this.#maxBytes) break
      this.#texts.delete(oldest)
      this.#bytes -= bytesOf(old)
    }
    return true
  }

  #find(hash: string): string {
    const text = this.#texts.get(hash)
    if (text === undefined) return ''
    this.#texts.delete(hash)
    this.#texts.set(hash, text)
    return text
  }
}

/** The hash that an operation is named by; null: it is not. */
export function hashIn({ extensions }: GraphQLParams): string | null {
  const named: unknown = extensions?.['persistedQuery']
  if (typeof named !== 'object' || named === null || !('sha256Hash' in named)) return null
  const { sha256Hash } = named
  return typeof sha256Hash === 'string' && /^[0-9a-f]{64}$/.test(sha256Hash) ? sha256Hash : null
}

function isGiven(query: string | undefined): boolean {
  return query !== undefined && query !== ''
}

function bytesOf(text: string): number {
  return text.length * 2 + ENTRY_BYTES
}
