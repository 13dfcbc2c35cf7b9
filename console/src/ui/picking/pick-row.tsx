/** A row of a list in which rows are picked: the current one is marked, is kept in sight and has the focus. */
import { useEffect, useRef, type ReactNode } from 'react'
import { useTopDialog } from '../controls/open-dialogs.ts'
import type { Picking } from './use-picking.ts'
import './picking.css'

interface PickRowProps {
  readonly id: string
  /** What it is, for the name of its box. */
  readonly label: string
  readonly picking: Picking<unknown>
  /** False: there is nothing to do with several of them. */
  readonly hasBox?: boolean
  readonly children: ReactNode
}

export function PickRow({ id, label, picking, hasBox = true, children }: PickRowProps) {
  const row = useRef<HTMLElement>(null)
  const isCurrent = picking.currentId === id
  const isPicked = picking.picked.has(id)
  const isBehindDialog = useTopDialog() !== null
  useEffect(() => {
    if (!isCurrent || row.current === null) return
    row.current.scrollIntoView({ block: 'nearest' })
    const { activeElement } = document
    // A button in it that was tabbed to keeps the focus.
    if (row.current.contains(activeElement)) return
    if (activeElement?.closest('.pick-row') != null) row.current.focus({ preventScroll: true })
  }, [isCurrent])
  // The focus is nowhere at first, and when the row is gone from which a dialog was opened.
  useEffect(() => {
    if (isCurrent && !isBehindDialog && document.activeElement === document.body)
      row.current?.focus({ preventScroll: true })
  }, [isCurrent, isBehindDialog])
  return (
    <article
      ref={row}
      tabIndex={isCurrent ? 0 : -1}
      className={`pick-row${isCurrent ? ' pick-current' : ''}${isPicked ? ' pick-picked' : ''}`}
      aria-current={isCurrent || undefined}
      aria-label={label}
      onFocus={() => picking.makeCurrent(id)}
      onClick={() => picking.makeCurrent(id)}
    >
      {hasBox && (
        <button
          type="button"
          role="checkbox"
          tabIndex={-1}
          aria-checked={isPicked}
          aria-label={`Pick: ${label}`}
          className="pick-box"
          onClick={() => picking.toggle(id)}
        >
          {isPicked && <span aria-hidden="true">✓</span>}
        </button>
      )}
      <div className="pick-body">{children}</div>
    </article>
  )
}
