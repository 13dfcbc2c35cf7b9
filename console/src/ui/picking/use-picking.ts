/**
 * A list in which one row is current and several may be picked, for keys that act on them. ↓ and ↑ (or j and k) move,
 * x picks. When the current row goes, the one that stands in its place becomes current, so that a list is worked off
 * without moving. One that comes back, as what was decided did not reach the server, is current again: the key that is
 * pressed once more means it, and no other.
 */
import { useState } from 'react'
import { useKeys, type Keys } from '../keys/use-keys.ts'

export interface Picking<Row> {
  readonly currentId: string | null
  readonly makeCurrent: (id: string) => void
  readonly picked: ReadonlySet<string>
  readonly toggle: (id: string) => void
  readonly pickNone: () => void
  /** The picked rows; when none is, the current one. */
  readonly chosen: readonly Row[]
}

interface Place {
  readonly id: string
  readonly index: number
  /** What was current here until it went. */
  readonly goneId?: string | undefined
}

export function usePicking<Row>(rows: readonly Row[], idOf: (row: Row) => string, keys: Keys): Picking<Row> {
  const [place, setPlace] = useState<Place | null>(null)
  const [allPicked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const indexOf = (id: string | undefined): number => rows.findIndex((row) => idOf(row) === id)
  const back = place?.goneId === undefined ? -1 : indexOf(place.goneId)
  const found = place === null ? 0 : back >= 0 ? back : indexOf(place.id)
  const index = found >= 0 ? found : Math.min(place?.index ?? 0, rows.length - 1)
  const current = rows[index]
  const currentId = current === undefined ? null : idOf(current)
  if (currentId !== null && (place?.id !== currentId || place.index !== index))
    setPlace({ id: currentId, index, goneId: found < 0 ? place?.id : back >= 0 ? undefined : place?.goneId })
  const picked = new Set(rows.map(idOf).filter((id) => allPicked.has(id)))
  const toggle = (id: string): void => {
    const next = new Set(picked)
    if (!next.delete(id)) next.add(id)
    setPicked(next)
  }
  const move = (step: number): void => {
    const to = Math.max(0, Math.min(rows.length - 1, index + step))
    const row = rows[to]
    if (row === undefined) return
    setPlace({ id: idOf(row), index: to })
    leavePressed()
  }
  useKeys({
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    j: () => move(1),
    k: () => move(-1),
    x: () => currentId !== null && toggle(currentId),
    Escape: () => setPicked(new Set()),
    ...keys,
  })
  const chosen = picked.size > 0 ? rows.filter((row) => picked.has(idOf(row))) : current === undefined ? [] : [current]
  return {
    currentId,
    // A row that becomes current is given the focus, and says so here.
    makeCurrent: (id) => {
      if (id !== currentId) setPlace({ id, index: indexOf(id) })
    },
    picked,
    toggle,
    pickNone: () => setPicked(new Set()),
    chosen,
  }
}

/** Enter is for the row that is current now, no longer for the tab or button that was pressed before. */
function leavePressed(): void {
  const focused = document.activeElement
  if (focused instanceof HTMLElement && focused.closest('a, button, summary') !== null) focused.blur()
}
