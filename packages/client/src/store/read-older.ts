/** Reads entries before the oldest one that is shown: a page of them, or all back to a place. */
import type { ReadingClient } from '../reading-client.ts'
import { StoreOlderDocument } from '../generated/graphql.ts'
import { toEntry } from './entries.ts'
import { keyOfNode, type KeyOf } from './fold-page.ts'
import type { Entry } from './session-state.ts'

interface OldestEntry {
  readonly id: string
  /** Of the oldest entry; null when it is not known: then it is searched for from the end. */
  readonly cursor: string | null
  readonly oldestSeq: number | null
  /** It is read back to an entry at most as new as this; Infinity: a page. */
  readonly until: number
}

interface Older {
  readonly entries: readonly Entry[]
  readonly hasOlder: boolean
  readonly cursor: string | null
}

/** Of entries: what a page shows first, and reads at once. */
export const PAGE_SIZE = 30
/** The most that a server gives at once. */
const SEEK_SIZE = 100

/**
 * Rejects with a ClientError as `FactotumClient.read` does; nothing is older when the session is gone. Without a cursor
 * it reads pages of 100 from the end until one has an entry that is older than `oldestSeq`.
 */
export async function readOlder(client: ReadingClient, place: OldestEntry, keyOf: KeyOf): Promise<Older> {
  const { id, cursor, oldestSeq, until } = place
  const last = cursor === null || until < Infinity ? SEEK_SIZE : PAGE_SIZE
  const entries: Entry[] = []
  let before = cursor
  for (;;) {
    const { session } = await client.read(StoreOlderDocument, { id, last, before })
    if (session === null) return { entries: [], hasOlder: false, cursor: null }
    const { edges, pageInfo } = session.conversation
    const older = edges.map(({ node }) => node).filter(({ seq }) => seq < (oldestSeq ?? Infinity))
    entries.unshift(...older.map((node) => toEntry(node, keyOfNode(node, keyOf))))
    before = pageInfo.startCursor
    if ((entries[0]?.seq ?? NaN) <= until || !pageInfo.hasPreviousPage)
      return { entries, hasOlder: pageInfo.hasPreviousPage, cursor: before }
  }
}
