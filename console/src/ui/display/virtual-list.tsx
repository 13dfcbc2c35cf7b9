/**
 * A list of any length, of which only what is seen is in the page. Rows may have different heights; near the end the
 * next page is asked for. Arrow keys move from row to row.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { scrollPlaceOf } from './scroll-places.ts'
import './display.css'

interface VirtualListProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly children: (row: Row, index: number) => ReactNode
  /** The usual height of a row in pixels. */
  readonly rowHeight?: number
  /** The last rows are nearly in sight. */
  readonly onNearEnd?: () => void
  /** What stands behind the last row. */
  readonly end?: ReactNode
}

const NEAR_ROWS = 8

export function VirtualList<Row>({
  label,
  rows,
  keyOf,
  children,
  rowHeight = 44,
  onNearEnd,
  end,
}: VirtualListProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null)
  const [begin] = useState(() => scrollPlaceOf(label).begin)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => {
      const row = rows[index]
      return row === undefined ? index : keyOf(row)
    },
    overscan: 8,
    initialOffset: begin,
  })
  const items = virtualizer.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - NEAR_ROWS) onNearEnd?.()
  }, [last, rows.length, onNearEnd])
  return (
    <div
      className="list"
      ref={scroller}
      onKeyDown={moveFocus}
      onScroll={(event) => scrollPlaceOf(label).keep(event.currentTarget.scrollTop)}
      role="presentation"
    >
      <ul className="list-rows" aria-label={label} style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index]
          if (row === undefined) return null
          return (
            <li
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              className="list-row"
              aria-setsize={rows.length}
              aria-posinset={item.index + 1}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {children(row, item.index)}
            </li>
          )
        })}
      </ul>
      {end}
    </div>
  )
}

/** ↓ and ↑ in a row lead to the first link or button of the next one. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return
  const row = (event.target as HTMLElement).closest<HTMLElement>('.list-row')
  const index = Number(row?.dataset['index'] ?? Number.NaN)
  const next = event.currentTarget.querySelector<HTMLElement>(
    `.list-row[data-index="${index + step}"] :is(a, button, input, [tabindex="0"])`,
  )
  if (next === null) return
  event.preventDefault()
  next.focus()
}
