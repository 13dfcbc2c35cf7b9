/** Which channels there are, and how far each has come, in a file: a connector that comes back goes on from there. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

export interface Place {
  /** The seq of the last event of the session that was posted; 0: none yet. */
  readonly posted: number
  /** The id of the last message of the channel that the session has. */
  readonly heard: string
}

/** By the channel's id. One process at a time. */
export class Places {
  readonly #file: string
  readonly #places: Map<string, Place>

  constructor(file: string) {
    this.#file = file
    const saved = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Place>) : {}
    this.#places = new Map(Object.entries(saved))
  }

  get channels(): readonly string[] {
    return [...this.#places.keys()]
  }

  of(channel: string): Place {
    return this.#places.get(channel) ?? { posted: 0, heard: '0' }
  }

  /** A whole file at any moment, also when the machine stops in between. */
  move(channel: string, change: Partial<Place>): void {
    this.#places.set(channel, { ...this.of(channel), ...change })
    writeFileSync(`${this.#file}.new`, JSON.stringify(Object.fromEntries(this.#places)))
    renameSync(`${this.#file}.new`, this.#file)
  }
}
