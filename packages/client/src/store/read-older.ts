/** Reads the page of entries before the oldest one that is shown. */
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
  readonly size: number
}

interface Older {
  readonly entries: readonly Entry[]
  readonly hasOlder: boolean
  readonly cursor: string | null
}

const SEEK_SIZE = 100

/**
 * Rejects with a ClientError as `FactotumClient.read` does; nothing is older when the session is gone. Without a cursor
 * it reads pages of 100 from the end until one has an entry that is older than `oldestSeq`.
 */
export async function readOlder(client: ReadingClient, place: OldestEntry, keyOf: KeyOf): Promise<Older> {
  let before = place.cursor
  for (;;) {
    const last = before === null || place.cursor === null ? SEEK_SIZE : place.size
    const { session } = await client.read(StoreOlderDocument, { id: place.id, last, before })
    if (session === null) return { entries: [], hasOlder: false, cursor: null }
    const { edges, pageInfo } = session.conversation
    const nodes = edges.map(({ node }) => node)
    const older = nodes.filter(({ seq }) => seq < (place.oldestSeq ?? Infinity))
    before = pageInfo.startCursor
    if (older.length > 0 || !pageInfo.hasPreviousPage) {
      const entries = older.map((node) => toEntry(node, keyOfNode(node, keyOf)))
      return { entries, hasOlder: pageInfo.hasPreviousPage, cursor: before }
    }
  }
}
