/**
 * What was said. It begins at its end, or at the entry that the address names; older entries are read as one scrolls up
 * and stay where they are; what is new is followed only while its end is in sight, and what is sent from here always.
 */
import type { Entry, SessionState } from '@factotum/client'
import { useSession, useSessionStore } from '@factotum/client/react'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useEffectEvent, useMemo, useRef, type RefObject } from 'react'
import { Button } from '../../../ui/controls/button.tsx'
import { Pending } from '../../../ui/feedback/pending.tsx'
import { Announcer } from './announcer.tsx'
import { EntryRow } from './entry-row.tsx'
import { inShownOrder, type Begun } from './shown-order.ts'
import { NEAR_END_PX, useEnd } from './use-end.ts'
import { usePlace } from './use-place.ts'
import './conversation.css'

const NEAR_START_PX = 400

interface ConversationProps {
  readonly id: string
  /** The seq of the entry to begin at; null: its end. */
  readonly at: number | null
  /** Shows what the agent did in a turn. */
  readonly onShowTurn: (turnId: string) => void
}

export function Conversation({ id, at, onShowTurn }: ConversationProps) {
  const entries = useShownEntries(id)
  const scroller = useRef<HTMLDivElement>(null)
  const older = useOlder(id, scroller)
  const virtualizer = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 96,
    getItemKey: (index) => entries[index]?.key ?? index,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: NEAR_END_PX,
    overscan: 6,
  })
  const { isAway, scrolled } = useScrolling({ at, entries, scroller, older }, virtualizer)
  return (
    <div className="talk">
      <div
        ref={scroller}
        className="talk-scroll"
        onScroll={scrolled}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Conversation"
      >
        {older.isLoading && <Pending what="older messages" />}
        <ol className="talk-entries" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const entry = entries[item.index]
            if (entry === undefined) return null
            return (
              <li
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                className="talk-entry"
                aria-current={at !== null && entry.seq === at ? 'true' : undefined}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <EntryRow sessionId={id} entry={entry} onShowTurn={onShowTurn} />
              </li>
            )
          })}
        </ol>
      </div>
      {isAway && <ToEnd onClick={() => virtualizer.scrollToEnd()} />}
      <Announcer entries={entries} />
    </div>
  )
}

interface Scrolled {
  readonly at: number | null
  readonly entries: readonly Entry[]
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly older: ReturnType<typeof useOlder>
}

/** To the end, or to the entry that is named. */
function useScrolling(
  { at, entries, scroller, older }: Scrolled,
  virtualizer: Pick<Virtualizer<HTMLDivElement, Element>, 'scrollToEnd' | 'scrollToIndex'>,
) {
  const show = (index: number): void => virtualizer.scrollToIndex(index, { align: 'center' })
  const place = usePlace(at, entries, { ...older, show })
  const { isAway, scrolled } = useEnd(scroller, entries.at(-1), () => {
    if (!place.isSought()) virtualizer.scrollToEnd()
  })
  return {
    isAway,
    scrolled: (): void => {
      place.scrolled()
      scrolled()
      older.readIfNear()
    },
  }
}

function ToEnd({ onClick }: { readonly onClick: () => void }) {
  return (
    <div className="talk-to-end">
      <Button small icon="down" onClick={onClick}>
        To the newest
      </Button>
    </div>
  )
}

/** Older entries are read before the first one is in sight. */
function useOlder(id: string, scroller: RefObject<HTMLDivElement | null>) {
  const store = useSessionStore(id)
  const { hasOlder, isLoading, oldest } = useSession(id, (state) => ({
    hasOlder: state.hasOlder,
    isLoading: state.isLoadingOlder,
    oldest: state.entries[0]?.key,
  }))
  // Without an answer, the line of trouble says so, and scrolling tries again.
  const read = (): void => void store.loadOlder().catch(() => {})
  const readBackTo = (seq: number): void => void store.loadBackTo(seq).catch(() => {})
  const fill = useEffectEvent(read)
  // A page that does not fill the screen cannot be scrolled.
  useEffect(() => {
    const at = scroller.current
    if (at !== null && hasOlder && !isLoading && at.scrollHeight <= at.clientHeight) fill()
  }, [scroller, hasOlder, isLoading, oldest])
  const readIfNear = (): void => {
    if (hasOlder && !isLoading && (scroller.current?.scrollTop ?? Infinity) < NEAR_START_PX) read()
  }
  return { hasOlder, isLoading, readIfNear, readBackTo }
}

/** Messages that wait stand above the composer, where they can be changed. */
function useShownEntries(id: string): readonly Entry[] {
  const { entries, queue } = useSession(id, (state) => ({ entries: state.entries, queue: state.queue }))
  const begun = useSession(id, begunOf)
  return useMemo(() => {
    const waiting = new Set(queue.map(({ message }) => message.id))
    const taken = queue.length === 0 ? entries : entries.filter((entry) => !isWaiting(entry, waiting))
    return inShownOrder(taken, begun)
  }, [entries, queue, begun])
}

function isWaiting(entry: Entry, waiting: ReadonlySet<string>): boolean {
  return entry.kind === 'person' && entry.message !== null && waiting.has(entry.message.id)
}

function begunOf({ turns }: SessionState): Begun {
  return Object.fromEntries(
    Object.values(turns).flatMap(({ id, startedAt }) => (startedAt === null ? [] : [[id, startedAt] as const])),
  )
}
