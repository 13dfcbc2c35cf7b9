/**
 * Who may have seen which session when, and when each text was said. Generous where nobody can know: a user may see a
 * session from the moment at which it is asked for, until it is certain that they may not. Times are of one clock,
 * in ms.
 */

/** What follows a change may show a session for so long. */
export const GRACE_MS = 5000

/** A text that says which session it belongs to. A user who sees it sees something of that session. */
export interface Canary {
  readonly session: number
  readonly serial: number
}

interface Span {
  readonly from: number
  to: number
}

/** Not a session: all of them. */
const ALL = -1

export class Ledger {
  readonly #run: string
  readonly #spans = new Map<string, Span[]>()
  readonly #said: number[][] = []

  /** `run`: letters and digits that no other run has. */
  constructor(run: string) {
    this.#run = run
  }

  /** The next text of a session, said at `now`. */
  say(session: number, now: number): string {
    const said = (this.#said[session] ??= [])
    said.push(now)
    return `${this.nameOf(session)}.${said.length - 1}.`
  }

  /** What all texts of a session begin with. */
  nameOf(session: number): string {
    return `canary-${this.#run}-${session}`
  }

  /** The texts that are part of `text`. */
  find(text: string): Canary[] {
    const pattern = new RegExp(String.raw`canary-${this.#run}-(\d+)\.(\d+)\.`, 'g')
    return [...text.matchAll(pattern)].map(([, session, serial]) => ({
      session: Number(session),
      serial: Number(serial),
    }))
  }

  /**
   * From now on this person may see the session; all sessions when it is left out. Asked for twice, it changes nothing.
   */
  enter(person: string, now: number, session: number = ALL): void {
    const spans = this.#spansOf(person, session)
    if (spans.at(-1)?.to !== Infinity) spans.push({ from: now, to: Infinity })
  }

  /** From now on not any more. */
  leave(person: string, now: number, session: number = ALL): void {
    const last = this.#spansOf(person, session).at(-1)
    if (last !== undefined && last.to === Infinity) last.to = now
  }

  /** Whether they take part at present; sight of all sessions does not count. */
  isIn(person: string, session: number): boolean {
    return this.#spansOf(person, session).at(-1)?.to === Infinity
  }

  /** Whether there was a moment between the two at which they could see the session, the grace before it included. */
  mayHaveSeen(person: string, session: number, { from, to }: { readonly from: number; readonly to: number }): boolean {
    return [session, ALL].some((which) =>
      this.#spansOf(person, which).some((span) => span.from <= to && span.to >= from - GRACE_MS),
    )
  }

  /** When a text was said; the beginning of time for one that nobody knows. */
  saidAt({ session, serial }: Canary): number {
    return this.#said[session]?.[serial] ?? -Infinity
  }

  #spansOf(person: string, session: number): Span[] {
    const key = `${person} ${session}`
    const spans = this.#spans.get(key) ?? []
    this.#spans.set(key, spans)
    return spans
  }
}
