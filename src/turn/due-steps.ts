/** Which steps are due after the turn's answer: what was due when it began, and what it learned itself. */
import type { KnowledgeDue } from '../store/knowledge/knowledge-due.ts'

export class DueSteps {
  #due: KnowledgeDue

  constructor(due: KnowledgeDue) {
    this.#due = due
  }

  get list(): KnowledgeDue {
    return this.#due
  }

  /** The turn has left a learning. */
  learned(): void {
    this.#due = { ...this.#due, curation: true }
  }
}
