/** The entry that the address names, such as one that was found: older ones are read until it is there. */
import type { Entry } from '@factotum/client'
import { useEffect, useEffectEvent, useRef } from 'react'

interface Older {
  readonly hasOlder: boolean
  /** Nothing happens while others are read; what cannot be read is tried again when others are. */
  readonly readBackTo: (seq: number) => void
  /** Scrolls to the entry with this index. */
  readonly show: (index: number) => void
}

interface Place {
  /** It is not shown yet: nothing else may scroll. */
  readonly isSought: () => boolean
  /** To be called when the conversation has scrolled. */
  readonly scrolled: () => void
}

/** `at`: its seq; null: none is named. One that is not there, as it was removed, is given up. */
export function usePlace(at: number | null, entries: readonly Entry[], older: Older): Place {
  const shown = useRef<number | null>(null)
  const isSought = useRef(at !== null)
  const index = at === null ? -1 : entries.findIndex(({ seq }) => seq === at)
  const show = useEffectEvent(() => older.show(index))
  const read = useEffectEvent((seq: number) => older.readBackTo(seq))
  const { hasOlder } = older
  const oldest = entries[0]?.seq ?? null
  useEffect(() => {
    if (at === null || shown.current === at || oldest === null) return
    if (index !== -1) {
      shown.current = at
      show()
    } else if (hasOlder && oldest > at) read(at)
    else isSought.current = false
  }, [at, index, hasOlder, oldest])
  return {
    isSought: () => isSought.current,
    scrolled: () => {
      if (shown.current === at) isSought.current = false
    },
  }
}
