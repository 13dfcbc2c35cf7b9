/** What a program has published, as the command host tells the server. */

/** A copy in FACTOTUM_HOME/pub. It cannot be downloaded before its row is committed. */
export interface PublishedCopy {
  readonly id: string
  readonly name: string
  /** Bytes. */
  readonly size: number
}

/**
 * What came of one program's pub folder. Copies that are not recorded are swept up later
 * (src/store/files/sweep-published-files.ts).
 */
export interface Publication {
  readonly files: readonly PublishedCopy[]
  /** What was not published and why: sentences for people. */
  readonly notes: readonly string[]
}
