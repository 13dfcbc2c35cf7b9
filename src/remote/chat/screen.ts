/** Where a chat shows itself: a terminal with a prompt at its foot, or a pipe. */
export interface Screen {
  /** A whole text, on lines of its own. `bar`: what stands before each of its rows. */
  text(text: string, bar?: string): void
  /** The next piece of a text that is being written. */
  piece(text: string): void
  /** Ends what `piece` began; nothing where it began nothing. */
  endPieces(): void
  /** What stands before what a person types. */
  setPrompt(prompt: string): void
}
