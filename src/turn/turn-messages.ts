/**
 * What a turn is to serve: the message that started it, and those that it has taken along, in the order in which it got
 * them. All of one user, so they count as one request; each keeps its row. Made by the worker for each turn, filled by
 * take-along.ts and, for a turn that is continued, from its rows.
 */
import { isAddressed } from '../core/session/route-message.ts'
import type { OpenTurn } from '../store/turn/begin-turn.ts'
import type { JoinedMessage } from '../store/turn/join-turns.ts'

/** A message as it is to be served, which may be less than its row holds: see `takeFirstLine`. */
export interface ServedMessage {
  readonly id: string
  readonly content: string
}

/** Of one turn; it only grows. */
export class TurnMessages {
  readonly #turn: OpenTurn
  #joined: readonly JoinedMessage[] = []
  /** What is to be served of the turn's own message. */
  #content: string

  constructor(turn: OpenTurn) {
    this.#turn = turn
    this.#content = turn.content
  }

  /** Those that have joined, once they are in the rows. */
  add(joined: readonly JoinedMessage[]): void {
    this.#joined = [...this.#joined, ...joined]
  }

  /** The first line of the turn's own message was a command, which is carried out: `rest` is to be served. */
  takeFirstLine(rest: string): void {
    this.#content = rest
  }

  /** What is to be served of the turn's own message. */
  get content(): string {
    return this.#content
  }

  /** Those that were taken along. */
  get joined(): readonly JoinedMessage[] {
    return this.#joined
  }

  /** The turn's own first. */
  get all(): readonly ServedMessage[] {
    return this.#listed(this.#content)
  }

  /** As they were written. */
  get asWritten(): readonly ServedMessage[] {
    return this.#listed(this.#turn.content)
  }

  #listed(content: string): readonly ServedMessage[] {
    const joined = this.#joined.map((message) => ({ id: message.messageId, content: message.content }))
    return [{ id: this.#turn.messageId, content }, ...joined]
  }

  /** As one text. */
  get text(): string {
    return this.all.map(({ content }) => content).join('\n\n')
  }

  /** In UTF-8, of all of them. */
  get bytes(): number {
    return this.all.reduce((bytes, { content }) => bytes + Buffer.byteLength(content), 0)
  }

  /** The agent owes an answer to one of them at least. */
  get isAddressed(): boolean {
    const { conversationType: type, mentioned } = this.#turn
    return isAddressed({ type, mentioned: mentioned || this.#joined.some((message) => message.mentioned) })
  }

  /** Those that came while the plan of this `attempt` ran. */
  thatBrokeOff(attempt: number): readonly JoinedMessage[] {
    return this.#joined.filter((message) => message.attempt === attempt)
  }

  /** How many plans were broken off by them. */
  get plansBrokenOff(): number {
    return new Set(this.#joined.flatMap(({ attempt }) => (attempt === 0 ? [] : [attempt]))).size
  }
}
