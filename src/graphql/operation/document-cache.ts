/**
 * Documents that were found valid, by their text: clients send the same few again and again. Bounded by the memory that
 * they hold, least recently used first. What was refused is not here: its errors weigh more than finding them again
 * costs, and a client could send any number of them.
 */
import { visit, type DocumentNode } from 'graphql'

export interface ValidDocument {
  readonly document: DocumentNode
  /** The names of the rules that found it valid. */
  readonly rules: string
}

/** Some hundred documents of the longest kind, or ten thousand short ones. */
const MAX_BYTES = 32 * 1024 * 1024
/** What Node 24 needs for each, measured over documents of many shapes, and a little more. */
const BYTES = { document: 1500, node: 160, token: 130, character: 2 } as const

export class DocumentCache {
  /** In order of use, oldest first. */
  readonly #kept = new Map<string, ValidDocument & { readonly bytes: number }>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  get(text: string): ValidDocument | null {
    const known = this.#kept.get(text)
    if (known === undefined) return null
    this.#kept.delete(text)
    this.#kept.set(text, known)
    return known
  }

  keep(text: string, valid: ValidDocument): void {
    const bytes = bytesOf(text, valid.document)
    this.#bytes += bytes - (this.#kept.get(text)?.bytes ?? 0)
    this.#kept.delete(text)
    this.#kept.set(text, { ...valid, bytes })
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break
      this.#kept.delete(oldest)
      this.#bytes -= bytes
    }
  }
}

/** About the memory that a parsed document holds: its nodes, and the tokens that they refer to, comments too. */
function bytesOf(text: string, document: DocumentNode): number {
  let bytes = BYTES.document + text.length * BYTES.character
  visit(document, { enter: () => void (bytes += BYTES.node) })
  for (let token = document.loc?.startToken ?? null; token !== null; token = token.next) bytes += BYTES.token
  return bytes
}
