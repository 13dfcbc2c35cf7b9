/**
 * The list of sessions, live: a session that changes is changed in place and moves to its place; what may have come
 * or gone is read again, at most once a second.
 */
import type { InfiniteData } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { queryClient } from '../../data/query-client.ts'
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
  const readSoon = useReadSoon()
  useUpdates(SessionChangesDocument, {}, ({ sessionUpdates: { readList, session } }) => {
    if (readList || session === null) return readSoon()
    const isShown = pages.rows.some(({ id }) => id === session.id)
    if (isShown) patch(session)
    // A filter may let it in now, or no longer.
    if (!isShown || Object.keys(filter).length > 0) readSoon()
  })
  const rows = useMemo(
    () => pages.rows.toSorted((one, other) => other.lastActivityAt.localeCompare(one.lastActivityAt)),
    [pages.rows],
  )
  return { ...pages, rows }
}

const sessionsOf = ({ sessions }: SessionsQuery): SessionsQuery['sessions'] => sessions

/** The list as it is without a filter. */
export function beginSessions(): void {
  beginPages(SessionsDocument, { first: PAGE_SIZE, filter: {} }, sessionsOf)
}

function patch(session: SessionRowFragment): void {
  queryClient.setQueriesData<InfiniteData<SessionsQuery>>({ queryKey: keyOf(SessionsDocument) }, (data) => {
    if (data === undefined) return data
    const pages = data.pages.map(({ sessions }) => ({
      sessions: {
        ...sessions,
        edges: sessions.edges.map((edge) => (edge.node.id === session.id ? { ...edge, node: session } : edge)),
      },
    }))
    return { ...data, pages }
  })
}

function useReadSoon(): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current)
      timer.current = null
    },
    [],
  )
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = null
      void queryClient.invalidateQueries({ queryKey: keyOf(SessionsDocument) })
      void queryClient.invalidateQueries({ queryKey: keyOf(SessionCountDocument) })
    }, READ_AT_MOST_EVERY_MS)
  }
}
