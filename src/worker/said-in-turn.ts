/**
 * What a turn adds to what was said in its session, taken from what it commits: so the process knows the rows that the
 * next turn would read. What must hold: anything that it cannot follow (an event of others, a message that was taken
 * along, a summary, a takeover) makes it know nothing.
 */
import { holdRows, type HeldRows } from '../core/dialogue.ts'
import type { TaskPatch, TurnWrite } from '../core/turn-write.ts'
import type { BegunTurn, OpenTurn } from '../store/turn/begin-turn.ts'
import type { Committed } from '../store/turn/turn-commit.ts'

type Answer = Pick<TaskPatch, 'status' | 'output' | 'suppressed' | 'startedAt' | 'finishedAt'>

export class SaidInTurn {
  readonly #turn: OpenTurn
  readonly #userName: string
  readonly #answers = new Map<string, Answer>()
  #content: string
  /** The last event of the session, as far as it is this turn's. */
  #seq: number
  #isKnown: boolean
  #hasEnded = false

  constructor({ turn, events }: BegunTurn) {
    this.#turn = turn
    this.#userName = turn.userName
    this.#content = turn.content
    // One that is continued has none; with others between it and its message, there is more that the next one reads.
    this.#isKnown = events[0]?.seq === turn.seq + 1
    this.#seq = events.at(-1)?.seq ?? 0
  }

  /** After each commit of the turn. */
  committed(write: TurnWrite, { events }: Pick<Committed, 'events'>): void {
    const [first] = events
    if (write.summary !== undefined || (first !== undefined && first.seq !== this.#seq + 1)) this.#isKnown = false
    this.#seq += events.length
    if (!this.#isKnown) return
    for (const { id, content } of write.messageTexts ?? []) {
      if (id === this.#turn.messageId && content !== undefined) this.#content = content
    }
    for (const { id, type, patch } of write.tasks ?? []) if (type === 'MSG') this.#answers.set(id, patch)
    for (const [id, patch] of write.taskPatches ?? []) {
      const before = this.#answers.get(id)
      if (before !== undefined) this.#answers.set(id, { ...before, ...patch })
    }
    if (write.finish !== undefined) this.#hasEnded = write.finish.status !== 'CANCELLED'
  }

  /** What the session's next turn need not read; null: that is not known. */
  get held(): HeldRows | null {
    if (!this.#isKnown || !this.#hasEnded) return null
    const { id: turnId, role, writtenAt, saidBefore } = this.#turn
    const message = { user: this.#userName, role, content: this.#content, at: writtenAt.toISOString(), turnId }
    const said = [...this.#answers]
      .filter(([, { status, suppressed }]) => status === 'DONE' && suppressed !== true)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
    const answers = said.flatMap(([, { output, finishedAt, startedAt }]) => {
      const at = finishedAt ?? startedAt
      return output === undefined || at === undefined ? [] : [{ turnId, text: output, at: at.toISOString() }]
    })
    if (answers.length < said.length) return null
    return { rows: holdRows(saidBefore.said, { message, answers }), seq: this.#seq, turnId }
  }
}
