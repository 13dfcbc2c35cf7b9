/**
 * Puts together the calls of tools in an answer of Chat Completions, whole or in pieces. Providers agree on little:
 * pieces come with an index, an id, both or neither; some number every call 0, repeat name and id in each piece, or
 * send arguments as an object. What must hold: no piece is lost, and none goes into another call's arguments.
 */
import * as z from 'zod'
import { readArguments } from '../../core/tool/read-arguments.ts'
import { randomHex } from '../../platform/random.ts'
import { isStorable, toStorable } from '../../platform/well-formed.ts'
import type { RequestedCall } from './conversation.ts'

/** More than any plan of a model has a use for. */
export const MAX_CALLS = 64
/** Of all calls of an answer together. */
export const MAX_WRITTEN_CHARS = 1024 * 1024
/** Longer ones are no names of tools. */
const MAX_NAME_CHARS = 128
/** What providers take back as an id; Mistral's has 9 letters and digits, most have more. */
const MAX_ID_CHARS = 128
const OWN_ID_CHARS = 9

const pieceSchema = z.object({
  index: z.number().nullish().catch(null),
  id: z.string().nullish().catch(null),
  function: z.object({ name: z.string().nullish(), arguments: z.unknown() }).partial().nullish(),
})

interface Piece {
  readonly index: number | null
  readonly id: string
  readonly name: string
  readonly written: string
}

interface OpenCall {
  readonly index: number | null
  id: string
  name: string
  written: string
}

/** Too many calls, or too long ones: the answer is no use. */
export class TooManyCalls extends Error {
  override readonly name = 'TooManyCalls'
}

/** Collects the calls of one answer. */
export class CallCollector {
  readonly #calls: OpenCall[] = []
  #chars = 0

  /** A piece of an answer, as the provider sent it; what is no call is left out. Throws TooManyCalls. */
  add(value: unknown): void {
    const piece = readPiece(value)
    if (piece === null) return
    this.#chars += piece.written.length
    if (this.#chars > MAX_WRITTEN_CHARS)
      throw new TooManyCalls(`its calls are longer than ${MAX_WRITTEN_CHARS} characters`)
    const open = this.#findOpen(piece)
    if (open === undefined) {
      if (this.#calls.length === MAX_CALLS) throw new TooManyCalls(`it calls more than ${MAX_CALLS} tools`)
      this.#calls.push({ ...piece })
      return
    }
    if (open.id === '') open.id = piece.id
    if (open.name === '') open.name = piece.name
    open.written += piece.written
  }

  /** Each call with an id of its own; one without a name has the name "". */
  end(): RequestedCall[] {
    const ids = new Set<string>()
    return this.#calls.map(({ id: given, name, written }) => {
      const isOwn = given !== '' && given.length <= MAX_ID_CHARS && isStorable(given) && !ids.has(given)
      const id = isOwn ? given : randomHex(OWN_ID_CHARS).slice(0, OWN_ID_CHARS)
      ids.add(id)
      const text = toStorable(written)
      return { id, name: toStorable(name).slice(0, MAX_NAME_CHARS), args: readArguments(text), written: text }
    })
  }

  /** The call that the piece goes on with; undefined: it begins one. */
  #findOpen(piece: Piece): OpenCall | undefined {
    const before =
      piece.index === null ? this.#findWithoutIndex(piece) : this.#calls.findLast(({ index }) => index === piece.index)
    return before === undefined || beginsAnother(before, piece) ? undefined : before
  }

  #findWithoutIndex({ id }: Piece): OpenCall | undefined {
    const same = id === '' ? undefined : this.#calls.findLast((call) => call.id === id)
    return same ?? this.#calls.at(-1)
  }
}

/**
 * A piece without a name goes on, whatever its id: some servers make up an id for each piece. With one it may repeat
 * what the first piece said, until the arguments are whole.
 */
function beginsAnother(before: OpenCall, piece: Piece): boolean {
  if (piece.name === '' || before.name === '') return false
  if (piece.name !== before.name) return true
  if (piece.id !== '' && before.id !== '' && piece.id !== before.id) return true
  const isWhole = before.written.trim() !== '' && readArguments(before.written) !== null
  return isWhole && piece.written.trim() !== ''
}

function readPiece(value: unknown): Piece | null {
  const piece = pieceSchema.safeParse(value)
  if (!piece.success) return null
  const { index, id, function: called } = piece.data
  const written = called?.arguments ?? ''
  return {
    index: index ?? null,
    id: id ?? '',
    name: called?.name ?? '',
    written: typeof written === 'string' ? written : JSON.stringify(written),
  }
}
