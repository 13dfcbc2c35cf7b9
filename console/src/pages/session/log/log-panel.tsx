/** The raw log: every event as it is, live, with pause and filter. */
import type { SessionEvent } from '@factotum/client'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { Button } from '../../../ui/controls/button.tsx'
import { SearchField } from '../../../ui/controls/field.tsx'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { ErrorLine } from '../../../ui/feedback/error-line.tsx'
import { EventLog } from './event-log.ts'
import { EventRow } from './event-row.tsx'
import './log.css'

const NEAR_START_PX = 300

export function LogPanel({ id }: { readonly id: string }) {
  const log = useMemo(() => new EventLog(id), [id])
  const { events, held, hasOlder, problem } = useSyncExternalStore(log.subscribe, log.getSnapshot)
  const [filter, setFilter] = useState('')
  const shown = useMemo(() => events.filter((event) => matches(event, filter)), [events, filter])
  return (
    <div className="log">
      <div className="log-head">
        <SearchField label="Filter events" value={filter} onChange={(event) => setFilter(event.target.value)} />
        <Button small icon={held === null ? 'pause' : 'play'} onClick={held === null ? log.pause : log.resume}>
          {held === null ? 'Pause' : held.length > 0 ? `Go on (${held.length})` : 'Go on'}
        </Button>
      </div>
      {problem !== null && <ErrorLine>{problem}</ErrorLine>}
      {shown.length === 0 ? (
        <EmptyState title={filter === '' ? 'Nothing has happened yet' : 'No event is like that'}>
          {filter === ''
            ? 'Everything that happens in this session appears here, as the API returns it.'
            : 'The filter searches in types and contents.'}
        </EmptyState>
      ) : (
        <Rows events={shown} isFollowing={held === null} onNearStart={() => hasOlder && void log.readOlder()} />
      )}
    </div>
  )
}

function matches(event: SessionEvent, filter: string): boolean {
  return filter === '' || JSON.stringify(event).toLowerCase().includes(filter.toLowerCase())
}

interface RowsProps {
  readonly events: readonly SessionEvent[]
  readonly isFollowing: boolean
  readonly onNearStart: () => void
}

function Rows({ events, isFollowing, onNearStart }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 26,
    getItemKey: (index) => events[index]?.seq ?? index,
    anchorTo: 'end',
    followOnAppend: isFollowing,
    scrollEndThreshold: 40,
    overscan: 12,
  })
  useLayoutEffect(() => virtualizer.scrollToEnd(), [virtualizer])
  return (
    <div
      ref={scroller}
      className="log-rows"
      role="region"
      aria-label="Events"
      tabIndex={0}
      onScroll={({ currentTarget }) => currentTarget.scrollTop < NEAR_START_PX && onNearStart()}
    >
      <ol className="list-rows" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const event = events[item.index]
          if (event === undefined) return null
          return (
            <li
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              className="list-row"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <EventRow event={event} />
            </li>
          )
        })}
      </ol>
    </div>
  )
}
