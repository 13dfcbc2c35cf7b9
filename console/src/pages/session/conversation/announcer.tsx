/**
 * Reads out what is whole, not every piece of a text, and nothing of what was there when the page opened; and what was
 * not sent.
 */
import type { Entry, PersonEntry } from '@factotum/client'
import { useState } from 'react'

export function Announcer({ entries }: { readonly entries: readonly Entry[] }) {
  const newest = newestOf(entries)
  const [first] = useState(newest?.seq ?? 0)
  const isNew = newest !== undefined && (newest.seq ?? 0) > first && newest.kind !== 'person'
  const unsent = entries.findLast(isUnsent)
  return (
    <>
      <div className="unseen" aria-live="polite">
        {isNew && `${newest.kind === 'agent' ? 'The agent' : 'Notice'}: ${newest.content.slice(0, 500).toWellFormed()}`}
      </div>
      <div className="unseen" role="alert">
        {unsent !== undefined && `Not sent: ${unsent.sending?.problem ?? unsent.content.slice(0, 100).toWellFormed()}`}
      </div>
    </>
  )
}

function isUnsent(entry: Entry): entry is PersonEntry {
  return entry.kind === 'person' && entry.sending !== null && entry.sending.status !== 'SENDING'
}

/** By the log, since a message that waited stands below what was said after it. */
function newestOf(entries: readonly Entry[]): Entry | undefined {
  let newest: Entry | undefined
  for (const entry of entries) if (entry.kind !== 'thinking' && (entry.seq ?? 0) > (newest?.seq ?? 0)) newest = entry
  return newest
}
