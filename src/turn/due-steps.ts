/** Which steps are due after the turn's answer: what was due when it began, and what it learned itself. */
import type { Dialogue } from '../core/dialogue.ts'
import type { KnowledgeDue } from '../store/knowledge/knowledge-due.ts'

/** Of one turn; it only grows. */
export class DueSteps {
  #due: KnowledgeDue

  /** A dialogue that is nearly full is summarised before anything of it is left out. */
  constructor(due: KnowledgeDue, { isNearlyFull }: Pick<Dialogue, 'isNearlyFull'>) {
    this.#due = { ...due, summary: due.summary || isNearlyFull }
  }

  /** As of now. */
  get list(): KnowledgeDue {
    return this.#due
  }

  /** The turn has left a learning. */
  learned(): void {
    this.#due = { ...this.#due, curation: true }
  }
}
