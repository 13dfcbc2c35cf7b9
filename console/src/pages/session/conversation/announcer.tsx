/** Reads out what is whole: not every piece of a text, and nothing of what was there when the page opened. */
import type { Entry } from '@factotum/client'
import { useState } from 'react'

export function Announcer({ entries }: { readonly entries: readonly Entry[] }) {
  const newest = entries.findLast((entry) => entry.seq !== null && entry.kind !== 'thinking')
  const [first] = useState(newest?.seq ?? 0)
  const isNew = newest !== undefined && (newest.seq ?? 0) > first && newest.kind !== 'person'
  return (
    <div className="unseen" aria-live="polite">
      {isNew && `${newest.kind === 'agent' ? 'The agent' : 'Notice'}: ${newest.content.slice(0, 500)}`}
    </div>
  )
}
