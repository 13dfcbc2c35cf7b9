/**
 * The list of sessions, live: a session that changes is changed in place and moves to its place; what may have come
 * or gone is read again, at most once a second.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { queryClient } from '../../data/query-client.ts'
import { ReadSoon } from '../../data/read-soon.ts'
import { beginPages, keyOf, usePages, type Pages } from '../../data/use-read.ts'
import { useUpdates } from '../../data/use-updates.ts'
import {
  SessionChangesDocument,
  SessionCountDocument,
  SessionsDocument,
  type SessionFilter,
  type SessionRowFragment,
  type SessionsQuery,
} from '../../generated/graphql.ts'

const PAGE_SIZE = 50
const READ_AT_MOST_EVERY_MS = 1000

export function useLiveSessions(filter: SessionFilter): Pages<SessionRowFragment> {
  const pages = usePages(SessionsDocument, { first: PAGE_SIZE, filter }, sessionsOf)
  const { newest, update, readSoon } = useNewest()
  useUpdates(SessionChangesDocument, {}, ({ sessionUpdates: { readList, session } }) => {
    if (readList || session === null) return readSoon()
    update(session)
    // A filter may let it in now, or no longer.
    if (Object.keys(filter).length > 0 || !pages.rows.some(({ id }) => id === session.id)) readSoon()
  })
  const rows = useMemo(
    () => pages.rows.map(newest).toSorted((one, other) => other.lastActivityAt.localeCompare(one.lastActivityAt)),
    [pages.rows, newest],
  )
  return { ...pages, rows }
}

const sessionsOf = ({ sessions }: SessionsQuery): SessionsQuery['sessions'] => sessions

/** The list as it is without a filter. */
export function beginSessions(): void {
  beginPages(SessionsDocument, { first: PAGE_SIZE, filter: {} }, sessionsOf)
}

interface Updated {
  readonly session: SessionRowFragment
  /** It came as this many had come. */
  readonly nth: number
}

interface Newest {
  /** A session as it is now, given how it was read. */
  readonly newest: (read: SessionRowFragment) => SessionRowFragment
  readonly update: (session: SessionRowFragment) => void
  readonly readSoon: () => void
}

/**
 * What came by updates is shown instead of what was read, unless that is newer, until a read that was asked for later
 * has been answered.
 */
function useNewest(): Newest {
  const [updated, setUpdated] = useState<ReadonlyMap<string, Updated>>(new Map())
  const count = useRef(0)
  const reader = useRef<ReadSoon | null>(null)
  useEffect(() => {
    const keys = [SessionsDocument, SessionCountDocument].map((document) => keyOf(document))
    const onAsk = () => {
      const before = count.current
      return () => setUpdated((now) => new Map([...now].filter(([, { nth }]) => nth > before)))
    }
    const soon = new ReadSoon(queryClient, { keys, delayMs: READ_AT_MOST_EVERY_MS, onAsk })
    reader.current = soon
    return () => soon.stop()
  }, [])
  return {
    newest: useCallback(
      (read) => {
        const session = updated.get(read.id)?.session
        return session !== undefined && session.lastSeq >= read.lastSeq ? session : read
      },
      [updated],
    ),
    update: (session) => {
      count.current += 1
      const nth = count.current
      setUpdated((now) => new Map([...now, [session.id, { session, nth }]]))
      // Who comes back to the list later reads it first.
      void queryClient.invalidateQueries({ queryKey: keyOf(SessionsDocument), refetchType: 'none' })
    },
    readSoon: () => reader.current?.change(),
  }
}
