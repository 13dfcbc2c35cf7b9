/** What a program has published, as the command host tells the server. */

/** A copy in FACTOTUM_HOME/pub. Nobody can get at it before its row is there. */
export interface PublishedCopy {
  readonly id: string
  readonly name: string
  /** Bytes. */
  readonly size: number
}

export interface Publication {
  readonly files: readonly PublishedCopy[]
  /** What was not published and why: sentences for people. */
  readonly notes: readonly string[]
}
