/** What was said that has the words searched for, newest first. The server reads so many texts at once and no more. */
import { useEffect, useState } from 'react'
import { usePages, type Pages } from '../../data/use-read.ts'
import { SearchMessagesDocument, type SearchMessagesQuery } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Time } from '../../ui/display/time.tsx'
import { VirtualList } from '../../ui/display/virtual-list.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorLine } from '../../ui/feedback/error-line.tsx'
import { Pending } from '../../ui/feedback/pending.tsx'
import { FoundRow } from './found-row.tsx'

const PAGE_SIZE = 30
const SETTLED_AFTER_MS = 300

export function FoundList({ search }: { readonly search: string }) {
  const wanted = useSettled(search)
  const found = usePages(SearchMessagesDocument, { first: PAGE_SIZE, search: wanted }, foundOf)
  const { rows, hasMore, lastPage } = found
  const back = lastPage?.searchMessages.searchedBackTo ?? null
  // One that is not full came to the end of what one request may read: a person says whether it is worth another.
  const isFull = lastPage?.searchMessages.edges.length === PAGE_SIZE
  const problem = found.error !== null && <ErrorLine>{found.error.message}</ErrorLine>
  if (problem !== false && rows.length === 0) return problem
  if (found.isLoading) return <Pending what="what was said" />
  const further = hasMore && back !== null && <Further key={wanted} since={back} found={found} />
  if (rows.length === 0)
    return (
      <EmptyState icon="filter" title="Nothing found" action={further}>
        All words must have been said in one message or answer. A minus before a word leaves out what has it; “or”
        stands between words of which one is enough.
      </EmptyState>
    )
  return (
    <VirtualList
      label="What was said"
      rows={rows}
      keyOf={({ entry }) => entry.id}
      rowHeight={76}
      {...(isFull ? { onNearEnd: found.loadMore } : {})}
      end={problem !== false ? problem : isFull && found.isLoadingMore ? <Pending what="more" /> : further}
    >
      {(match) => <FoundRow match={match} />}
    </VirtualList>
  )
}

const foundOf = ({ searchMessages }: SearchMessagesQuery): SearchMessagesQuery['searchMessages'] => searchMessages

interface FurtherProps {
  readonly since: string
  readonly found: Pick<Pages<unknown>, 'rows' | 'isLoadingMore' | 'loadMore'>
}

/** Goes on until something more is found, or one has seen enough. */
function Further({ since, found: { rows, isLoadingMore, loadMore } }: FurtherProps) {
  const [until, setUntil] = useState<number | null>(null)
  const isGoing = until !== null && rows.length < until
  useEffect(() => {
    if (isGoing && !isLoadingMore) loadMore()
  }, [isGoing, isLoadingMore, loadMore])
  return (
    <div className="found-further soft" role="status">
      <span>
        Searched back to <Time at={since} />.
      </span>
      {isGoing ? (
        <Button small onClick={() => setUntil(null)}>
          Stop
        </Button>
      ) : (
        <Button small onClick={() => setUntil(rows.length + 1)}>
          Search further back
        </Button>
      )}
    </div>
  )
}

/** The text when nothing was typed for a while: a search costs as much as many other reads. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLED_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
