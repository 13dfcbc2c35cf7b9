/**
 * Entries as they are written, newest first, in front of what was read. While it is paused they are counted, and shown
 * when it goes on.
 */
import { useState } from 'react'
import { queryClient } from '../../data/query-client.ts'
import { keyOf } from '../../data/use-read.ts'
import { useUpdates } from '../../data/use-updates.ts'
import {
  AuditPageDocument,
  AuditTailDocument,
  type AuditFilter,
  type AuditRowFragment,
} from '../../generated/graphql.ts'

/** Beyond it the list is read again: nothing grows without an end. */
const MOST = 500

export interface Tail {
  readonly entries: readonly AuditRowFragment[]
  readonly waiting: number
  readonly isPaused: boolean
  readonly pause: () => void
}

export function useTail(filter: AuditFilter): Tail {
  const [entries, setEntries] = useState<readonly AuditRowFragment[]>([])
  const [held, setHeld] = useState<readonly AuditRowFragment[]>([])
  const [isPaused, setIsPaused] = useState(false)
  const readAgain = (): void => {
    setEntries([])
    setHeld([])
    void queryClient.invalidateQueries({ queryKey: keyOf(AuditPageDocument) })
  }
  useUpdates(AuditTailDocument, { filter }, ({ auditTrail: { readList, entry } }) => {
    if (readList) return isPaused ? undefined : readAgain()
    if (entry === null) return
    if (isPaused) setHeld((before) => [entry, ...before].slice(0, MOST))
    else if (entries.length >= MOST) readAgain()
    else setEntries((before) => [entry, ...before])
  })
  const pause = (): void => {
    setIsPaused(!isPaused)
    if (isPaused) readAgain()
  }
  return { entries, waiting: held.length, isPaused, pause }
}
